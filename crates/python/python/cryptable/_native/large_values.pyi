"""Compiled part of `cryptable.large_values`."""

from collections.abc import Callable
from os import PathLike
from typing import Any, SupportsFloat, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from _typeshed import SupportsLenAndGetItem

from ..progress import Progress
from ..tables import TableLike
from .bridges import Integers, SmallValues

__all__ = ["EvaluationKey", "Radix", "SecretKey"]

@final
class EvaluationKey:
    """The server's key for large values."""

    def __repr__(self, /) -> str: ...
    def continuous(
        self,
        /,
        x: Integers,
        function: Callable[[float], float],
        *,
        lipschitz: SupportsFloat | SupportsIndex,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> Integers:
        """Evaluates a continuous function approximately on integers read as fractions v = x / 2^(bits - 1). The function
        may jump only at 0, and its slope is at most `lipschitz` everywhere. Results have the noise of
        `continuous_noise`; they can be decrypted, or used in further such functions. Values range from
        -`continuous_limit()` to `continuous_limit()`.
        """

    def continuous_limit(self, /) -> float:
        """Returns the largest value that `continuous` accepts for fresh integers: beyond it, noise may turn it into a
        value at the other end of the range.
        """

    def continuous_noise(self, /, lipschitz: SupportsFloat | SupportsIndex) -> float:
        """Returns the standard deviation of results of `continuous` on fresh integers, on the scale of values in [-1, 1)."""

    def function(
        self,
        /,
        name: str,
        x: Integers,
        y: Integers | None = None,
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> Integers:
        """Evaluates `absolute` or `relu` of x, or `maximum` of x and y."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that it was made from."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it uses."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it."""

    def radix_absolute(self, /, x: Radix) -> Radix:
        """Returns the absolute value in two's complement."""

    def radix_add(self, /, x: Radix, y: Radix) -> Radix:
        """Returns x + y modulo 8 to the power of the number of digits."""

    def radix_fold(
        self, /, x: Radix, initial: SupportsIndex, next: SupportsLenAndGetItem[SupportsLenAndGetItem[SupportsIndex]]
    ) -> SmallValues:
        """Runs a two-state automaton over the digits, the lowest first, and returns its last state. For each digit there
        are the next states from state 0 and from state 1.
        """

    def radix_less_than(self, /, x: Radix, y: Radix) -> SmallValues:
        """Returns 1 if x < y as unsigned integers, else 0."""

    def radix_lookup(self, /, x: Radix, table: TableLike, output_modulus: SupportsIndex) -> SmallValues:
        """Maps the whole integer through a table with one entry per value of its digits together, and outputs below a
        modulus.
        """

    def radix_map(self, /, x: Radix, table: TableLike) -> Radix:
        """Maps every digit through a table from digits to digits."""

    def radix_maximum(self, /, x: Radix, y: Radix) -> Radix:
        """Returns the larger of x and y, as unsigned integers."""

    def radix_negate(self, /, x: Radix) -> Radix:
        """Returns -x modulo 8 to the power of the number of digits."""

    def radix_relu(self, /, x: Radix) -> Radix:
        """Returns x where it is positive in two's complement, else 0."""

    def radix_select(self, /, selector: SmallValues, x: Radix, y: Radix) -> Radix:
        """Returns x where a sign or a comparison is 1, else y."""

    def radix_sign(self, /, x: Radix) -> SmallValues:
        """Returns 1 if x is negative in two's complement, else 0."""

    def sign(
        self, /, x: Integers, y: Integers | None = None, *, threads: int = 0, progress: Progress | None = True
    ) -> SmallValues:
        """Returns 1 for negative integers, else 0; with a second operand, 1 where x < y, else 0."""

    def to_radix(self, /, x: Integers, *, threads: int = 0, progress: Progress | None = True) -> list[Radix]:
        """Returns the digits of every integer's two's complement in base 8."""

@final
class Radix:
    """An encrypted integer in digits of base 8. Public."""

    def __eq__(self, other: object, /) -> Any: ...
    def __ge__(self, other: object, /) -> Any: ...
    def __gt__(self, other: object, /) -> Any: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, other: object, /) -> Any: ...
    def __lt__(self, other: object, /) -> Any: ...
    def __ne__(self, other: object, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def digits(self, /) -> int:
        """Its digits."""

    @staticmethod
    def from_bytes(bytes: bytes) -> Radix:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Radix:
        """Reads a file into an array of one dimension, since files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library can read. An existing file is replaced only with
        `replace=True`.
        """

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

@final
class SecretKey:
    """The client's secret key for large values.

    Erased from memory when it is deleted; it cannot be pickled.
    """

    def __repr__(self, /) -> str: ...
    @property
    def bits(self, /) -> int:
        """Number of bits of the integers and of differences: integers to be compared range from -2^(bits-2) to 2^(bits-2)
        - 1.
        """

    def decrypt(self, /, values: Integers) -> npt.NDArray[np.int64]:
        """Decrypts integers."""

    def decrypt_radix(self, /, value: Radix) -> int:
        """Decrypts an integer in digits, as an unsigned one."""

    def decrypt_reals(self, /, values: Integers) -> npt.NDArray[np.float64]:
        """Decrypts integers as numbers from -1 to below 1. Results of continuous functions reveal part of their noise:
        show them to nobody who has the ciphertexts.
        """

    def decrypt_small(self, /, values: SmallValues) -> npt.NDArray[np.uint64]:
        """Decrypts signs, comparisons and results of tables."""

    def encrypt(self, /, values: npt.ArrayLike, *, full_range: bool = False) -> Integers:
        """Encrypts integers, of one dimension, from -2^(bits-2) to 2^(bits-2) - 1, any two of which can be compared. With
        `full_range`, the range is -2^(bits-1) to 2^(bits-1) - 1, for functions of one integer: comparisons and maxima
        are wrong for integers that differ by 2^(bits-1) or more.
        """

    def encrypt_radix(self, /, value: SupportsIndex, *, digits: SupportsIndex) -> Radix:
        """Encrypts an unsigned integer as `digits` digits of base 8."""

    def encrypt_reals(self, /, values: npt.ArrayLike) -> Integers:
        """Encrypts numbers from -1 to below 1, of one dimension, as integers: multiples of 2^-(bits - 1)."""

    def evaluation_key(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKey:
        """Makes the server's key, in memory."""

    @staticmethod
    def generate(
        bits: SupportsIndex,
        *,
        log2_fail: SupportsFloat | SupportsIndex | None = None,
        algorithm: str | None = None,
        insecure_toy: bool = False,
    ) -> SecretKey:
        """Draws a fresh secret of 128 bits of security for integers of `bits` bits; a function of one integer fails with
        probability at most 2^`log2_fail` (default: 2^-64). `algorithm` decomposes integers into digits:
        `"HomDecomp-Reduce"` (the default and the fastest), `"HomDecomp-FDFB"`, `"HomFloor"` or `"HomFloorAlt"`.
        """

    @property
    def id(self, /) -> str:
        """The identifier shared by this key, its evaluation keys and its ciphertexts. It reveals nothing about the key."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKey:
        """Reads a key file."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a function of an integer goes wrong."""

    @property
    def results_are_inputs(self, /) -> bool:
        """Whether results of functions can be operands of further functions."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that only its owner may read. An existing file is replaced only with
        `replace=True`: everything encrypted under its key is then lost.
        """

    def save_evaluation_key(
        self, /, path: str | PathLike[str], *, threads: int = 0, progress: Progress | None = True, replace: bool = False
    ) -> None:
        """Makes the server's key and writes it to a file, to be sent to the server, without ever holding all of it
        in memory.
        """

    @property
    def security_bits(self, /) -> float:
        """Classical security in bits; 0 for toys."""
