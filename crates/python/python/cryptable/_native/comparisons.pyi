"""Compiled part of `cryptable.comparisons`."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, SupportsFloat, SupportsIndex, final

from _typeshed import SupportsGetItem

from ..progress import Progress
from . import EvaluationKey
from .ciphertexts import Ciphertext
from .plans import Parameters

__all__ = ["ComparisonPlan", "Digits", "compare", "plan_comparisons"]

@final
class ComparisonPlan:
    """Predicted costs of comparisons of integers, from which keys are generated. Prints as a list."""

    def __repr__(self, /) -> str: ...
    @property
    def bits(self, /) -> int:
        """Bits of the integers."""

    @property
    def digit_sizes(self, /) -> list[int]:
        """Sizes of the digits of values, the least significant first; one bit of the last is headroom."""

    @property
    def key_file_bytes(self, /) -> int:
        """Size of the evaluation key's file in bytes."""

    @property
    def memory_bytes(self, /) -> int:
        """Predicted peak memory in bytes, including keys."""

    @property
    def operations(self, /) -> list[tuple[str, float, float]]:
        """Lists for each operation its name, the predicted seconds for a full ciphertext, and log2 of the probability that
        any of its integers comes out wrong.
        """

@final
class Digits:
    """Encrypted integers in digits, the results of maximum, ReLU and similar functions."""

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
    @property
    def digits(self, /) -> list[Ciphertext]:
        """The digits, the least significant first, which can be looked up or added."""

    @staticmethod
    def from_bytes(bytes: bytes, parameters: Parameters) -> Digits:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str], parameters: Parameters) -> Digits:
        """Reads a file into an array of one dimension, since files have no shape."""

    @property
    def modulus(self, /) -> int:
        """Integers are below this modulus."""

    @property
    def ndim(self, /) -> int:
        """The number of axes."""

    @staticmethod
    def of(parameters: Parameters, digits: SupportsGetItem[int, Ciphertext]) -> Digits:
        """Makes the value of separate digits, which are results under these parameters."""

    def reshape(self, /, *shape: int | Sequence[int]) -> Digits:
        """Returns the same values in another shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library can read. An existing file is replaced only with
        `replace=True`.
        """

    @property
    def shape(self, /) -> tuple[int, ...]:
        """The shape of the encrypted array."""

    @property
    def signed(self, /) -> bool:
        """Whether the integers are signed."""

    @property
    def size(self, /) -> int:
        """The number of values."""

    @property
    def sizes(self, /) -> list[int]:
        """Sizes of the digits: an integer is the sum of its digits, each times the product of the sizes before it."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

def compare(
    key: EvaluationKey,
    operation: str,
    operands: SupportsGetItem[int, Ciphertext],
    *,
    bounds: tuple[SupportsIndex, SupportsIndex] | None = None,
    threads: int = 0,
    progress: Progress | None = True,
) -> Ciphertext | Digits:
    """Runs an operation, by its name, on one or two ciphertexts."""

def plan_comparisons(
    bits: SupportsIndex,
    *,
    digit_bits: SupportsIndex | None = None,
    values: SupportsIndex | None = None,
    memory: SupportsIndex | None = None,
    log2_fail: SupportsFloat | SupportsIndex | None = None,
    threads: int | None = None,
    insecure_toy: bool = False,
) -> ComparisonPlan:
    """Predicts comparisons of integers of `bits` bits."""
