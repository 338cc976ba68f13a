"""How public objects come out of a pickle."""

from __future__ import annotations

from os import PathLike
from typing import Any

from ._native import bits, ckks, wide
from ._native.plans import Parameters


def parameters(engine: str, data: bytes) -> Parameters:
    """Parameters of their engine and their bytes. Toys come back as what they are: they say so."""
    return Parameters.from_bytes(engine, data, allow_insecure=True)


def wide_values(data: bytes, words: int, shape: list[int]) -> Any:
    """Encrypted values in words of their bytes, how many words they have, and their shape."""
    return wide.WideValues.from_bytes(data, words).reshape(tuple(shape))


def opened(cls: Any, path: PathLike[str], allow_insecure: bool) -> Any:
    """A key of the file that it was opened from: pages are shared with other processes of the machine."""
    return cls.open(path, allow_insecure=allow_insecure)


def of_bytes(cls: Any, data: bytes, shape: tuple[int, ...]) -> Any:
    """An encrypted array of its bytes and its shape."""
    return cls.from_bytes(data).reshape(shape)


def vector(parameters: bytes, data: bytes, shape: list[int]) -> Any:
    """An encrypted vector of its parameters, its bytes and its shape."""
    return ckks.restore_vector(parameters, data, list(shape))


def of_literal(cls: Any, literal: dict[str, Any]) -> Any:
    """Parameters of their literal. Toys come back as what they are: they say so."""
    return cls.from_literal(literal, allow_insecure=True)


def packed_bits(parameters: Any, data: bytes, shape: tuple[int, ...]) -> Any:
    """Encrypted bits of their parameters, their bytes and their shape."""
    return bits.EncryptedBits.from_bytes(data, parameters).reshape(shape)
