"""For `cryptable.bits`."""

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
    """Thousands of encrypted bits in one ciphertext, in the shape of the array that they were. Public: they may be sent, stored
    and pickled.
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
        """Reads the bytes of a file. An array has one dimension then: files have no shape."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @property
    def levels(self, /) -> int:
        """Levels for gates that are left before the next bootstrap."""

    @staticmethod
    def load(path: str | PathLike[str], parameters: Parameters) -> EncryptedBits:
        """Reads a file. An array has one dimension then: files have no shape."""

    @property
    def log2_fail_per_bit(self, /) -> float:
        """log2 of the probability that a bit is wrong."""

    @property
    def ndim(self, /) -> int:
        """The number of its axes."""

    @property
    def noise(self, /) -> tuple[float, float]:
        """Predicted standard deviation of a bit from 0 or 1, and bound of what of it is no noise."""

    @property
    def parameters(self, /) -> Parameters:
        """Its parameters."""

    def reshape(self, /, *shape: int | Sequence[int]) -> EncryptedBits:
        """Returns the same values in another shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library reads. An existing one is replaced only if told so."""

    @property
    def shape(self, /) -> tuple[int, ...]:
        """The shape of the encrypted array."""

    @property
    def size(self, /) -> int:
        """The number of values."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as a file has them."""

@final
class Parameters:
    """A validated parameter set of bits: what keys are generated for."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    @property
    def bin_boot_precision(self, /) -> tuple[float, float]:
        """After BinBoot of fresh bits: standard deviation of a bit from 0 or 1, and log2 of the probability that it is wrong."""

    @property
    def bits_at_once(self, /) -> int:
        """Bits of a ciphertext and a bootstrap, at most."""

    @property
    def digest(self, /) -> str:
        """The digest that names it in files."""

    @staticmethod
    def from_literal(literal: Mapping[str, Any], *, allow_insecure: bool = False) -> Parameters:
        """The set of a literal, validated: every number against its bounds, and the security and failures that it claims."""

    @property
    def gate_boot_precision(self, /) -> tuple[float, float]:
        """After GateBoot of fresh bits, as `bin_boot_precision`."""

    @property
    def key_memory_bytes(self, /) -> int:
        """Bytes of a server's switching keys in memory."""

    @property
    def levels(self, /) -> int:
        """Levels for gates that fresh and bootstrapped bits have."""

    @property
    def literal(self, /) -> dict[str, Any]:
        """All numbers that make the set, as a dictionary: what `json.dumps` writes, and `from_literal` reads."""

    @property
    def log2_fail_per_bit(self, /) -> float:
        """log2 of the stated failure probability of a bit: operations that would exceed it are refused."""

    @property
    def name(self, /) -> str:
        """Its name, for people."""

    @staticmethod
    def named(name: str) -> Parameters:
        """The set of a name of `names()`; or one for tests, of which `insecure-toy` is the smallest."""

    @staticmethod
    def names() -> list[tuple[str, str]]:
        """Names of the sets of 128 bits of security, and what each is for; the smallest ciphertexts first."""

    @property
    def ring_degree(self, /) -> int:
        """The ring degree."""

    @property
    def secrets(self, /) -> list[Secret]:
        """LWE problems on which the security of each secret rests."""

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical, of the weakest secret; 0 of toys."""

def bin_boot(server: EvaluationKey, *bits: EncryptedBits, threads: int = 0) -> EncryptedBits:
    """BinBoot: all levels back, and errors squared. Of several arrays of bits, their XOR."""

def clean(server: EvaluationKey, x: EncryptedBits, *, threads: int = 0) -> EncryptedBits:
    """Bits with their errors squared, for two levels."""

def decrypt(secret: SecretKey, bits: EncryptedBits) -> npt.NDArray[np.bool_]:
    """Decrypts bits: an array of booleans, in the shape that was encrypted."""

def disjoint_or(server: EvaluationKey, x: EncryptedBits, y: EncryptedBits) -> EncryptedBits:
    """The OR, which is the XOR, of bits of which never both are 1, for no level. What comes of two that are both 1 is no bit."""

def encrypt(secret: SecretKey, values: npt.ArrayLike, *, levels: SupportsIndex | None = None) -> EncryptedBits:
    """Encrypts bits of any shape, at most `Parameters.bits_at_once`, with `levels` levels for gates left (default: all)."""

def gate(server: EvaluationKey, gate: str, x: EncryptedBits, y: EncryptedBits, *, threads: int = 0) -> EncryptedBits:
    """A gate of two bits between bootstraps, for one level: `and`, `or`, `xor`, `nand`, `nor`, `xnor`, or `andnot`, `ornot` (the
    second bit negated), `notand`, `notor` (the first).
    """

def gate_boot(
    server: EvaluationKey, gate: str, x: EncryptedBits, y: EncryptedBits, *, cleaning: bool = False, threads: int = 0
) -> EncryptedBits:
    """GateBoot: a gate of two bits, as of `gate`, and all levels back. With `cleaning`, errors are squared, for one level more."""

def gate_boot_many(
    server: EvaluationKey, functions: Sequence[npt.ArrayLike], *bits: EncryptedBits, threads: int = 0
) -> list[EncryptedBits]:
    """Functions of the sum of up to seven bits, and all levels back but a few, for little more than one bootstrap. A function is
    a list of its outputs where 0, 1, ... of the bits are 1: a full adder is `[[0, 1, 0, 1], [0, 0, 1, 1]]`.
    """

def gates(
    server: EvaluationKey, gates: SupportsGetItem[int, str], x: EncryptedBits, y: EncryptedBits, *, threads: int = 0
) -> list[EncryptedBits]:
    """Several gates of the same two bits, for little more than one."""

def logical_not(server: EvaluationKey, x: EncryptedBits) -> EncryptedBits:
    """The negated bits: no level, no noise."""

def lower(server: EvaluationKey, x: EncryptedBits, levels: SupportsIndex) -> EncryptedBits:
    """The same bits with fewer levels left: less memory, and less time of what reads them."""

def tables(
    server: EvaluationKey,
    tables: Sequence[npt.ArrayLike],
    *bits: EncryptedBits,
    levels: SupportsIndex | None = None,
    threads: int = 0,
) -> list[EncryptedBits]:
    """Applies tables of up to eight bits, between bootstraps, for the levels that log2 of their number has, rounded up:
    each is a list of 2^k outputs, and the first array of bits is the lowest bit of the index. Results have `levels`
    levels left (default: as many as possible).
    """
