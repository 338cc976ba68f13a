"""Compiled part of `cryptable.integers`."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Final, SupportsFloat, SupportsIndex, final

import numpy as np
import numpy.typing as npt

from ..progress import Progress
from . import EvaluationKey, PublicKey, SecretKey

__all__ = [
    "Column",
    "ColumnReader",
    "ColumnWriter",
    "IntegerPlan",
    "compute_integers",
    "decrypt_column",
    "encrypt_column",
    "plan_integers",
]

@final
class Column:
    """Encrypted integers of 8 to 64 bits, or booleans, in the shape of the array that was encrypted. Public: they may be
    sent, stored and pickled.

    Operators (`+ - * << >> < <= == & | ^ ~`) work within `with cryptable.integers.computing(server):`, as in numpy.
    """

    __array_ufunc__: Final[tuple[()] | None]
    "\n    Tells numpy to leave operators to these.\n    "

    def __add__(self, other: object, /) -> Column: ...
    def __and__(self, other: object, /) -> Column: ...
    def __bool__(self, /) -> bool: ...
    def __eq__(self, other: object, /) -> Column: ...  # type: ignore[override]
    def __ge__(self, other: object, /) -> Column: ...
    def __gt__(self, other: object, /) -> Column: ...
    def __invert__(self, /) -> Column: ...
    def __le__(self, other: object, /) -> Column: ...
    def __len__(self, /) -> int: ...
    def __lshift__(self, other: object, /) -> Column: ...
    def __lt__(self, other: object, /) -> Column: ...
    def __mul__(self, other: object, /) -> Column: ...
    def __ne__(self, other: object, /) -> Column: ...  # type: ignore[override]
    def __neg__(self, /) -> Column: ...
    def __or__(self, other: object, /) -> Column: ...
    def __radd__(self, other: object, /) -> Column: ...
    def __repr__(self, /) -> str: ...
    def __rmul__(self, other: object, /) -> Column: ...
    def __rshift__(self, other: object, /) -> Column: ...
    def __rsub__(self, other: object, /) -> Column: ...
    def __sub__(self, other: object, /) -> Column: ...
    def __xor__(self, other: object, /) -> Column: ...
    @property
    def bits(self, /) -> int:
        """Number of bits of the integers; 1 for booleans."""

    @property
    def dtype(self, /) -> np.dtype[Any]:
        """The numpy type of the values."""

    @property
    def engine(self, /) -> str:
        """The name of its engine: `packed` or `single`."""

    @staticmethod
    def from_bytes(bytes: bytes) -> Column:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Column:
        """Reads a file into an array of one dimension, since files have no shape."""

    @property
    def ndim(self, /) -> int:
        """The number of axes."""

    def reshape(self, /, *shape: int | Sequence[int]) -> Column:
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
        """Whether integers are signed."""

    @property
    def size(self, /) -> int:
        """The number of values."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

@final
class ColumnReader:
    """Reads a file of a column part by part, with two parts in memory, and checks each before it is returned. Iteration
    yields columns of one dimension.
    """

    def __enter__(self, /) -> ColumnReader: ...
    def __exit__(self, /, *_error: object) -> None:
        """Does nothing, since files are closed when their readers are deleted."""

    def __iter__(self, /) -> ColumnReader: ...
    def __new__(cls, /, path: str | PathLike[str]) -> ColumnReader:
        """Opens a file and checks its first part."""

    def __next__(self, /) -> Column: ...
    def __repr__(self, /) -> str: ...

@final
class ColumnWriter:
    """Writes a file of a column part by part, with one part in memory. The file appears when it is complete: at `close`,
    or at the end of a `with` block unless that ends with an exception.
    """

    def __enter__(self, /) -> ColumnWriter: ...
    def __exit__(self, /, kind: type[BaseException] | None, *_error: object) -> None: ...
    def __new__(cls, /, path: str | PathLike[str], *, replace: bool = False) -> ColumnWriter:
        """Makes a writer of a new file; an existing file is replaced only with `replace=True`."""

    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """Completes the file."""

    def write(self, /, column: Column) -> None:
        """Appends the values of a column of the same key and type as the first."""

@final
class IntegerPlan:
    """Predicted costs of operations on columns of integers, from which keys are generated. Prints as a list."""

    def __repr__(self, /) -> str: ...
    @property
    def bits(self, /) -> int:
        """Bits of the integers."""

    @property
    def digit_bits(self, /) -> int:
        """Number of bits per digit; each digit is one ciphertext."""

    @property
    def engine(self, /) -> str:
        """The name of its engine."""

    @property
    def key_file_bytes(self, /) -> int:
        """Size of the evaluation key's file in bytes."""

    @property
    def memory_bytes(self, /) -> int:
        """Predicted peak memory of a lookup in bytes, including keys."""

    @property
    def operations(self, /) -> list[tuple[str, int, int, float, float]]:
        """Lists for each operation its name, number of lookups, number of tables, predicted seconds for a full ciphertext,
        and log2 of the probability that any of its integers comes out wrong.
        """

    @property
    def security_bits(self, /) -> float:
        """Classical security in bits."""

    @property
    def signed(self, /) -> bool:
        """Whether they are signed."""

def compute_integers(
    key: EvaluationKey,
    operation: str,
    operands: Sequence[Column | int],
    options: Mapping[str, Any],
    table: npt.NDArray[Any] | None = None,
    progress: Progress | None = True,
) -> list[Column]:
    """Runs an operation, by its name, on columns and public numbers."""

def decrypt_column(secret: SecretKey, column: Column) -> npt.NDArray[Any]:
    """Decrypts a column to an array of the numpy type with the same name."""

def encrypt_column(key: SecretKey | PublicKey, values: npt.NDArray[Any], bits: SupportsIndex, signed: bool) -> Column:
    """Encrypts integers of `bits` bits, or booleans with `bits` = 1."""

def plan_integers(
    bits: SupportsIndex,
    signed: bool,
    engine: str,
    *,
    digit_bits: SupportsIndex | None = None,
    search: bool = False,
    sums: bool = False,
    values: SupportsIndex | None = None,
    memory: SupportsIndex | None = None,
    log2_fail: SupportsFloat | SupportsIndex | None = None,
    threads: int | None = None,
    insecure_toy: bool = False,
) -> IntegerPlan:
    """Plans operations on columns of integers of `bits` bits."""
