"""Compiled part of `cryptable.wide`."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, SupportsFloat, SupportsIndex, final

import numpy as np
import numpy.typing as npt

from ..progress import Progress
from . import EvaluationKey, SecretKey

__all__ = [
    "PreparedWide",
    "WidePlan",
    "WideValues",
    "decrypt_wide",
    "encrypt_wide",
    "lookup_wide",
    "plan_wide",
    "prepare_wide",
    "recognise_wide",
]

@final
class PreparedWide:
    """A dictionary or a structured table, encoded for a key, made once and used for any number of lookups."""

    def __repr__(self, /) -> str: ...
    def evaluate(self, /, value: SupportsIndex) -> int:
        """Looks up a value in the clear, to check a table."""

    @property
    def input_words(self, /) -> int:
        """Number of words of each input value."""

    @property
    def lookups(self, /) -> int:
        """Number of lookups of a word that it needs."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it uses."""

    @property
    def output_words(self, /) -> int:
        """Number of words of each result."""

@final
class WidePlan:
    """Predicted costs of dictionaries and structured tables, from which keys are generated. Prints as a list."""

    def __repr__(self, /) -> str: ...
    @property
    def bits(self, /) -> int:
        """Bits of the keys of a dictionary."""

    @property
    def key_file_bytes(self, /) -> int:
        """Size of the evaluation key's file in bytes."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a dictionary returns any wrong value in a ciphertext."""

    @property
    def memory_bytes(self, /) -> int:
        """Predicted peak memory in bytes, including keys."""

    @property
    def security_bits(self, /) -> float:
        """Classical security in bits."""

    @property
    def tables(self, /) -> list[tuple[str, int, float]]:
        """Lists for a dictionary and each kind of structure its name, number of lookups, and predicted seconds for a full
        ciphertext.
        """

    @property
    def value_bits(self, /) -> int:
        """Bits of its values."""

    @property
    def word_modulus(self, /) -> int:
        """Largest number of entries of a dictionary, which is the number of values of a word."""

@final
class WideValues:
    """Encrypted values in words, in the shape of the array that was encrypted. Public: they may be sent, stored and
    pickled.
    """

    def __bool__(self, /) -> bool: ...
    def __eq__(self, other: object, /) -> Any: ...
    def __ge__(self, other: object, /) -> Any: ...
    def __getitem__(self, key: Any, /) -> WideValues:
        """Returns some of the values, as numpy would."""

    def __gt__(self, other: object, /) -> Any: ...
    def __hash__(self, /) -> int: ...
    def __iter__(self, /) -> Iterator[WideValues]: ...
    def __le__(self, other: object, /) -> Any: ...
    def __len__(self, /) -> int: ...
    def __lt__(self, other: object, /) -> Any: ...
    def __ne__(self, other: object, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def from_bytes(bytes: bytes, words: SupportsIndex) -> WideValues:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str], words: SupportsIndex) -> WideValues:
        """Reads a file into an array of one dimension, since files have no shape."""

    @property
    def ndim(self, /) -> int:
        """The number of axes."""

    def reshape(self, /, *shape: int | Sequence[int]) -> WideValues:
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

    @property
    def words(self, /) -> int:
        """Number of words per value."""

def decrypt_wide(secret: SecretKey, values: WideValues) -> npt.NDArray[np.uint64]:
    """Decrypts values in words to an array of `uint64`, in the shape that was encrypted."""

def encrypt_wide(secret: SecretKey, values: npt.ArrayLike, bits: SupportsIndex) -> WideValues:
    """Encrypts unsigned integers of `bits` bits, of any shape."""

def lookup_wide(
    key: EvaluationKey, values: WideValues, table: PreparedWide, *, threads: int = 0, progress: Progress | None = True
) -> WideValues:
    """Maps every value through a dictionary or a structured table."""

def plan_wide(
    bits: SupportsIndex,
    *,
    value_bits: SupportsIndex | None = None,
    values: SupportsIndex | None = None,
    memory: SupportsIndex | None = None,
    log2_fail: SupportsFloat | SupportsIndex | None = None,
    threads: int | None = None,
    insecure_toy: bool = False,
) -> WidePlan:
    """Predicts the costs of dictionaries with keys of `bits` bits."""

def prepare_wide(key: EvaluationKey, table: Mapping[str, Any]) -> PreparedWide:
    """Encodes a table of words for a key."""

def recognise_wide(key: EvaluationKey, outputs: npt.NDArray[Any], output_modulus: SupportsIndex) -> PreparedWide:
    """Finds the structure of a table of words, with one output per value of two words, and encodes it. The outputs are an
    array of one dimension, of `uint8` to `uint64`, which is copied if somebody may write to it meanwhile.
    """
