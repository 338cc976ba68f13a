"""A photograph, encrypted, corrected through a table by a server that cannot see it, and decrypted."""

from __future__ import annotations

import os
import time
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np


def demo(output: str | os.PathLike[str] = "before-after.png", *, insecure_toy: bool = False) -> Path:
    """Stretches the contrast of an encrypted photograph of a retina, and writes it beside the original.

    At 128 bits of security, the demo needs 2.5 GB of memory and half a minute on two cores; `insecure_toy` uses
    parameters for tests instead. The demo needs Pillow. It checks every pixel, and returns the path of the picture.
    """
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("the demo needs Pillow: pip install pillow") from None

    from . import SecretKey, plan

    with resources.as_file(resources.files(__package__) / "retina.png") as path:
        before: Any = np.asarray(Image.open(path).convert("L"))
    grey = np.arange(256)
    curve = np.clip((grey - 24) * 255 // 130, 0, 255)

    if insecure_toy:
        before = before[::16, ::16]
        secret = SecretKey.generate_insecure_toy("packed", 256, 256)
    else:
        chosen = plan(curve, values=before.size, engine="packed")
        print(chosen)
        secret = SecretKey.generate(chosen)
    server = secret.evaluation_key()
    encrypted = secret.encrypt(before)
    start = time.perf_counter()
    result = server.lookup(encrypted, curve)
    seconds = time.perf_counter() - start
    after = secret.decrypt(result)

    wrong = int(np.count_nonzero(after != curve[before]))
    print(f"{before.size} pixels looked up in {seconds:.2f} s, {wrong} wrong")
    if wrong:
        raise AssertionError(f"{wrong} of {before.size} pixels are wrong")
    bar = np.full((before.shape[0], 8), 255, dtype=np.uint8)
    Image.fromarray(np.hstack([before, bar, after.astype(np.uint8)])).save(output)
    print(f"the picture is in {os.fspath(output)}")
    return Path(output)
