"""Compiled part of `cryptable.bits`."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from _typeshed import SupportsGetItem

from .circuits import EvaluationKey, SecretKey
from .plans import Secret

__all__ = [
    "EncryptedBits",
    "Parameters",
    "bin_boot",
    "clean",
    "decrypt",
    "disjoint_or",
    "encrypt",
    "gate",
    "gate_boot",
    "gate_boot_many",
    "gates",
    "logical_not",
    "lower",
    "tables",
]

@final
class EncryptedBits:
    """Thousands of encrypted bits in one ciphertext, in the shape of the array that was encrypted. Public: they may be
    sent, stored and pickled.
    """

    def __bool__(self, /) -> bool: ...
    def __eq__(self, other: object, /) -> Any: ...
    def __ge__(self, other: object, /) -> Any: ...
    def __gt__(self, other: object, /) -> Any: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, other: object, /) -> Any: ...
    def __len__(self, /) -> int: ...
    def __lt__(self, other: object, /) -> Any: ...
    def __ne__(self, other: object, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def from_bytes(bytes: bytes, parameters: Parameters) -> EncryptedBits:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @property
    def levels(self, /) -> int:
        """Number of levels left for gates before the next bootstrap."""

    @staticmethod
    def load(path: str | PathLike[str], parameters: Parameters) -> EncryptedBits:
        """Reads a file into an array of one dimension, since files have no shape."""

    @property
    def log2_fail_per_bit(self, /) -> float:
        """log2 of the probability that a bit is wrong."""

    @property
    def ndim(self, /) -> int:
        """The number of axes."""

    @property
    def noise(self, /) -> tuple[float, float]:
        """Predicted standard deviation of a bit from 0 or 1, and a bound on its error that is not noise."""

    @property
    def parameters(self, /) -> Parameters:
        """Its parameters."""

    def reshape(self, /, *shape: int | Sequence[int]) -> EncryptedBits:
        """Returns the same values in another shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library can read. An existing file is replaced only with
        `replace=True`.
        """

    @property
    def shape(self, /) -> tuple[int, ...]:
        """The shape of the encrypted array."""

    @property
    def size(self, /) -> int:
        """The number of values."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

@final
class Parameters:
    """A validated parameter set of bits, from which keys are generated."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    @property
    def bin_boot_precision(self, /) -> tuple[float, float]:
        """Standard deviation of a bit from 0 or 1 after BinBoot of fresh bits, and log2 of the probability that it is
        wrong.
        """

    @property
    def bits_at_once(self, /) -> int:
        """Largest number of bits per ciphertext and bootstrap."""

    @property
    def digest(self, /) -> str:
        """The digest that identifies it in files."""

    @staticmethod
    def from_literal(literal: Mapping[str, Any], *, allow_insecure: bool = False) -> Parameters:
        """Makes the set with the numbers of a literal, after validation: every number against its bounds, and the
        security and failure probabilities that it claims.
        """

    @property
    def gate_boot_precision(self, /) -> tuple[float, float]:
        """The same as `bin_boot_precision`, after GateBoot of fresh bits."""

    @property
    def key_memory_bytes(self, /) -> int:
        """Size of a server's switching keys in memory, in bytes."""

    @property
    def levels(self, /) -> int:
        """Number of levels for gates that fresh and bootstrapped bits have."""

    @property
    def literal(self, /) -> dict[str, Any]:
        """All numbers that define the set, as a dictionary, which `json.dumps` can write and `from_literal` reads."""

    @property
    def log2_fail_per_bit(self, /) -> float:
        """log2 of the stated failure probability of a bit: operations that would exceed it are refused."""

    @property
    def name(self, /) -> str:
        """Its name for display."""

    @staticmethod
    def named(name: str) -> Parameters:
        """Returns the set with a name from `names()`, or a set for tests, of which `insecure-toy` is the smallest."""

    @staticmethod
    def names() -> list[tuple[str, str]]:
        """Lists the names and purposes of the sets of 128 bits of security, the smallest ciphertexts first."""

    @property
    def ring_degree(self, /) -> int:
        """The ring degree."""

    @property
    def secrets(self, /) -> list[Secret]:
        """LWE problems on which the security of each secret rests."""

    @property
    def security_bits(self, /) -> float:
        """Classical security of the weakest secret in bits; 0 for toys."""

def bin_boot(server: EvaluationKey, *bits: EncryptedBits, threads: int = 0) -> EncryptedBits:
    """Runs BinBoot, which restores all levels and squares errors. Several arrays of bits are combined by XOR."""

def clean(server: EvaluationKey, x: EncryptedBits, *, threads: int = 0) -> EncryptedBits:
    """Squares the errors of bits, for two levels."""

def decrypt(secret: SecretKey, bits: EncryptedBits) -> npt.NDArray[np.bool_]:
    """Decrypts bits to an array of booleans, in the shape that was encrypted."""

def disjoint_or(server: EvaluationKey, x: EncryptedBits, y: EncryptedBits) -> EncryptedBits:
    """Computes the OR of bits that are never both 1, where it equals the XOR, without using a level. If both bits are 1,
    the result is not a bit.
    """

def encrypt(secret: SecretKey, values: npt.ArrayLike, *, levels: SupportsIndex | None = None) -> EncryptedBits:
    """Encrypts bits of any shape, at most `Parameters.bits_at_once`, with `levels` levels left for gates (default: all)."""

def gate(server: EvaluationKey, gate: str, x: EncryptedBits, y: EncryptedBits, *, threads: int = 0) -> EncryptedBits:
    """Evaluates a gate on two bits between bootstraps, for one level: `and`, `or`, `xor`, `nand`, `nor`, `xnor`, or
    `andnot`, `ornot` (with the second bit negated), `notand`, `notor` (with the first bit negated).
    """

def gate_boot(
    server: EvaluationKey, gate: str, x: EncryptedBits, y: EncryptedBits, *, cleaning: bool = False, threads: int = 0
) -> EncryptedBits:
    """Runs GateBoot, which evaluates a gate on two bits, as `gate` does, and restores all levels. With `cleaning`, errors
    are squared, for one more level.
    """

def gate_boot_many(
    server: EvaluationKey, functions: Sequence[npt.ArrayLike], *bits: EncryptedBits, threads: int = 0
) -> list[EncryptedBits]:
    """Evaluates functions of the sum of up to seven bits and restores all levels but a few, in little more time than one
    bootstrap. A function is a list of its outputs for 0, 1, ... bits that are 1: a full adder is `[[0, 1, 0, 1], [0, 0,
    1, 1]]`.
    """

def gates(
    server: EvaluationKey, gates: SupportsGetItem[int, str], x: EncryptedBits, y: EncryptedBits, *, threads: int = 0
) -> list[EncryptedBits]:
    """Evaluates several gates on the same two bits, in little more time than one."""

def logical_not(server: EvaluationKey, x: EncryptedBits) -> EncryptedBits:
    """Negates bits, without using a level or adding noise."""

def lower(server: EvaluationKey, x: EncryptedBits, levels: SupportsIndex) -> EncryptedBits:
    """Returns the same bits with fewer levels left, which use less memory and make operations on them faster."""

def tables(
    server: EvaluationKey,
    tables: Sequence[npt.ArrayLike],
    *bits: EncryptedBits,
    levels: SupportsIndex | None = None,
    threads: int = 0,
) -> list[EncryptedBits]:
    """Evaluates tables of up to eight bits between bootstraps; the number of levels used is log2 of the number of bits,
    rounded up. Each table is a list of 2^k outputs, and the first array of bits is the lowest bit of the index. Results
    have `levels` levels left (default: as many as possible).
    """
