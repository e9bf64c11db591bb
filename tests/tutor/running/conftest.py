"""Makes what the tests of both real engines share importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
