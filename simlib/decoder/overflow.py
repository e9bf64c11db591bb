"""Numbers beyond a format's range: a GPU makes infinities of them and says nothing, and so does this."""

from __future__ import annotations

import numpy as np

# A decorator: no warning for what overflows, or for what comes of computing with infinities
QUIET = np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")
