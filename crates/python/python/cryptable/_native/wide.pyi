"""For `cryptable.wide`."""

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
    """A dictionary or a structured table, encoded for a key: made once, looked up often."""

    def __repr__(self, /) -> str: ...
    def evaluate(self, /, value: SupportsIndex) -> int:
        """Looks a value up in the clear, to check a table."""

    @property
    def input_words(self, /) -> int:
        """Words of each value that it maps."""

    @property
    def lookups(self, /) -> int:
        """Lookups of a word that it takes."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it takes."""

    @property
    def output_words(self, /) -> int:
        """Words of each result."""

@final
class WidePlan:
    """Predicted costs of dictionaries and structured tables. Prints as a list; keys are generated for it."""

    def __repr__(self, /) -> str: ...
    @property
    def bits(self, /) -> int:
        """Bits of the keys of a dictionary."""

    @property
    def key_file_bytes(self, /) -> int:
        """Bytes of the file of the evaluation key."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that any value of a ciphertext comes out wrong of a dictionary."""

    @property
    def memory_bytes(self, /) -> int:
        """Predicted memory at its peak, keys included."""

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical."""

    @property
    def tables(self, /) -> list[tuple[str, int, float]]:
        """For a dictionary and each kind of structure its name, lookups, and predicted seconds of a full ciphertext."""

    @property
    def value_bits(self, /) -> int:
        """Bits of its values."""

    @property
    def word_modulus(self, /) -> int:
        """Most entries of a dictionary: values of a word."""

@final
class WideValues:
    """Encrypted values in words, in the shape of the array that they were. Public: they may be sent, stored and pickled."""

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
        """Reads the bytes of a file. An array has one dimension then: files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str], words: SupportsIndex) -> WideValues:
        """Reads a file. An array has one dimension then: files have no shape."""

    @property
    def ndim(self, /) -> int:
        """The number of its axes."""

    def reshape(self, /, *shape: int | Sequence[int]) -> WideValues:
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

    @property
    def words(self, /) -> int:
        """Words of each value."""

def decrypt_wide(secret: SecretKey, values: WideValues) -> npt.NDArray[np.uint64]:
    """Decrypts values in words: an array of `uint64`, in the shape that was encrypted."""

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
    """Predicts dictionaries of keys of `bits` bits."""

def prepare_wide(key: EvaluationKey, table: Mapping[str, Any]) -> PreparedWide:
    """Encodes a table of words for a key."""

def recognise_wide(key: EvaluationKey, outputs: npt.NDArray[Any], output_modulus: SupportsIndex) -> PreparedWide:
    """Finds the structure of a table of words, an output for every value of two words, and encodes it: an array of one
    dimension, of `uint8` to `uint64`, which is copied if somebody may write to it meanwhile.
    """
