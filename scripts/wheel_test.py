"""Tests a fresh installation of the wheel: a demo, and a lookup at 128 bits. Run by `make wheel-test`."""

import importlib.metadata
import sys
import tempfile
from pathlib import Path

import cryptable
import numpy as np


def main() -> None:
    if Path(sys.prefix) not in Path(cryptable.__file__).parents:
        sys.exit(f"cryptable is not the installed one: {cryptable.__file__}")
    installed = {path.name for path in importlib.metadata.files("cryptable") or []}
    if missing := {"LICENSE-APACHE", "LICENSE-MIT"} - installed:
        sys.exit(f"the wheel has no {', '.join(sorted(missing))}")
    with tempfile.TemporaryDirectory() as folder:
        picture = cryptable.demo(Path(folder) / "picture.png", insecure_toy=True)
        if not picture.stat().st_size:
            sys.exit("the demo wrote nothing")
    table = np.random.default_rng(1).integers(0, 16, 16)
    secret = cryptable.SecretKey.generate(cryptable.plan(table, engine="single", values=16))
    server = secret.evaluation_key(progress=False)
    found = secret.decrypt(server.lookup(secret.encrypt(np.arange(16)), table, progress=False))
    if not np.array_equal(found, table):
        sys.exit(f"{found} was found, not {table}")
    print(f"cryptable {importlib.metadata.version('cryptable')}: the demo, and a lookup of 16 values at 128 bits")


if __name__ == "__main__":
    main()
