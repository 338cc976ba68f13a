"""How public objects come out of a pickle."""

from __future__ import annotations

from os import PathLike

from ._native import Ciphertext, EvaluationKey


def ciphertext(data: bytes, shape: list[int]) -> Ciphertext:
    """A ciphertext of its bytes and its shape."""
    return Ciphertext.from_bytes(data).reshape(tuple(shape))


def evaluation_key(path: PathLike[str], allow_insecure: bool) -> EvaluationKey:
    """A key of the file that it was opened from: pages are shared with other processes of the machine."""
    return EvaluationKey.open(path, allow_insecure=allow_insecure)
