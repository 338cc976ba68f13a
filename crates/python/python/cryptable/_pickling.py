"""Functions that restore public objects from a pickle."""

from __future__ import annotations

from os import PathLike
from typing import Any

from ._native import bits, ckks, wide
from ._native.plans import Parameters


def parameters(engine: str, data: bytes) -> Parameters:
    """Restores parameters from their engine and bytes. Toys are accepted, since they remain marked as such."""
    return Parameters.from_bytes(engine, data, allow_insecure=True)


def wide_values(data: bytes, words: int, shape: list[int]) -> Any:
    """Restores encrypted values in words from their bytes, number of words, and shape."""
    return wide.WideValues.from_bytes(data, words).reshape(tuple(shape))


def opened(cls: Any, path: PathLike[str], allow_insecure: bool) -> Any:
    """Opens a key from its original file, whose pages are shared with other processes of the machine."""
    return cls.open(path, allow_insecure=allow_insecure)


def of_bytes(cls: Any, data: bytes, shape: tuple[int, ...]) -> Any:
    """Restores an encrypted array from its bytes and shape."""
    return cls.from_bytes(data).reshape(shape)


def vector(parameters: bytes, data: bytes, shape: list[int]) -> Any:
    """Restores an encrypted vector from its parameters, bytes and shape."""
    return ckks.restore_vector(parameters, data, list(shape))


def of_literal(cls: Any, literal: dict[str, Any]) -> Any:
    """Restores parameters from their literal. Toys are accepted, since they remain marked as such."""
    return cls.from_literal(literal, allow_insecure=True)


def packed_bits(parameters: Any, data: bytes, shape: tuple[int, ...]) -> Any:
    """Restores encrypted bits from their parameters, bytes and shape."""
    return bits.EncryptedBits.from_bytes(data, parameters).reshape(shape)
