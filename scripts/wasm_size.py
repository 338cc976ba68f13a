#!/usr/bin/env python3
"""Checks the size of the npm package, compressed as servers send it: `wasm_size.py FOLDER`."""

import gzip
import sys
from pathlib import Path

#: Most bytes of all files, each compressed by gzip.
LIMIT = 1_500_000


def main() -> None:
    """Prints the size of the package, and fails where it is too large."""
    files = [path for path in Path(sys.argv[1]).iterdir() if path.suffix in (".js", ".wasm")]
    plain = sum(path.stat().st_size for path in files)
    compressed = sum(len(gzip.compress(path.read_bytes(), 9, mtime=0)) for path in files)
    print(f"npm package: {plain:,} bytes of code, {compressed:,} by gzip, of {LIMIT:,} at most")
    if compressed > LIMIT:
        sys.exit("the npm package is too large")


if __name__ == "__main__":
    main()
