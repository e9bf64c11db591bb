"""Leaves OpenSSL out of a session: it takes 3 MiB of memory, and nothing here speaks to a network."""

from __future__ import annotations

import sys
from importlib.util import find_spec

# What Python computes hashes with by itself; some distributions leave a few out, and then OpenSSL is needed
_OWN = ("_md5", "_sha1", "_sha2" if sys.version_info >= (3, 12) else "_sha256", "_sha3", "_blake2")


def leave_openssl_out() -> None:
    """From now on this process is as in a Python built without OpenSSL, which the standard library allows for.

    What is loaded already stays. asyncio would load the one module, hashlib and with it NumPy the other.
    """
    if all(map(find_spec, _OWN)):
        for name in ("ssl", "_hashlib"):
            sys.modules.setdefault(name, None)  # type: ignore[arg-type]
