"""For `cryptable.large_values`."""

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
    """The server's key of large values."""

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
        """A function of integers that are taken for fractions, v = x / 2^(bits - 1), continuous on either side of 0, whose slope is
        at most `lipschitz` anywhere: approximate, with the noise of `continuous_noise`. Results decrypt, and go into further
        such functions. Values are from -`continuous_limit()` to that.
        """

    def continuous_limit(self, /) -> float:
        """The largest value that `continuous` takes, of fresh integers: beyond it, noise may take it for one of the other end."""

    def continuous_noise(self, /, lipschitz: SupportsFloat | SupportsIndex) -> float:
        """Standard deviation of `continuous` of fresh integers, as values of [-1, 1) have it."""

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
        """`absolute` and `relu` of x, `maximum` of x and y."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that it was made from."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it takes."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it."""

    def radix_absolute(self, /, x: Radix) -> Radix:
        """The absolute value in two's complement."""

    def radix_add(self, /, x: Radix, y: Radix) -> Radix:
        """x + y modulo 8 to the number of digits."""

    def radix_fold(
        self, /, x: Radix, initial: SupportsIndex, next: SupportsLenAndGetItem[SupportsLenAndGetItem[SupportsIndex]]
    ) -> SmallValues:
        """The last state of an automaton of two states that reads the digits, the lowest first: the next states of each digit,
        from state 0 and from state 1.
        """

    def radix_less_than(self, /, x: Radix, y: Radix) -> SmallValues:
        """1 if x < y as unsigned integers, else 0."""

    def radix_lookup(self, /, x: Radix, table: TableLike, output_modulus: SupportsIndex) -> SmallValues:
        """The whole integer through a table of as many entries as its digits have values, with outputs below a modulus."""

    def radix_map(self, /, x: Radix, table: TableLike) -> Radix:
        """Every digit through a table from digits to digits."""

    def radix_maximum(self, /, x: Radix, y: Radix) -> Radix:
        """The larger of x and y, as unsigned integers."""

    def radix_negate(self, /, x: Radix) -> Radix:
        """-x modulo 8 to the number of digits."""

    def radix_relu(self, /, x: Radix) -> Radix:
        """x where it is positive in two's complement, else 0."""

    def radix_select(self, /, selector: SmallValues, x: Radix, y: Radix) -> Radix:
        """x where a sign or a comparison is 1, else y."""

    def radix_sign(self, /, x: Radix) -> SmallValues:
        """1 if x is negative in two's complement, else 0."""

    def sign(
        self, /, x: Integers, y: Integers | None = None, *, threads: int = 0, progress: Progress | None = True
    ) -> SmallValues:
        """1 for negative integers, 0 for others; with a second operand, 1 where x < y, else 0."""

    def to_radix(self, /, x: Integers, *, threads: int = 0, progress: Progress | None = True) -> list[Radix]:
        """The digits of base 8 of every integer's two's complement."""

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
        """Reads the bytes of a file. An array has one dimension then: files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Radix:
        """Reads a file. An array has one dimension then: files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library reads. An existing one is replaced only if told so."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as a file has them."""

@final
class SecretKey:
    """The client's secret key of large values.

    Cleared from memory when it goes; never pickled.
    """

    def __repr__(self, /) -> str: ...
    @property
    def bits(self, /) -> int:
        """Bits of the integers and of differences: integers that are compared are from -2^(bits-2) to 2^(bits-2) - 1."""

    def decrypt(self, /, values: Integers) -> npt.NDArray[np.int64]:
        """Decrypts integers."""

    def decrypt_radix(self, /, value: Radix) -> int:
        """Decrypts an integer in digits, as an unsigned one."""

    def decrypt_reals(self, /, values: Integers) -> npt.NDArray[np.float64]:
        """Decrypts integers as numbers from -1 to below 1. Results of continuous functions show a part of their noise: give
        them to nobody who has the ciphertexts.
        """

    def decrypt_small(self, /, values: SmallValues) -> npt.NDArray[np.uint64]:
        """Decrypts signs, comparisons and results of tables."""

    def encrypt(self, /, values: npt.ArrayLike, *, full_range: bool = False) -> Integers:
        """Encrypts integers, of one dimension, from -2^(bits-2) to 2^(bits-2) - 1: any two of them are compared right. With
        `full_range` from -2^(bits-1) to 2^(bits-1) - 1, for functions of one integer: comparisons and maxima of those that
        differ by 2^(bits-1) or more are wrong.
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
        """Draws a fresh secret for integers of `bits` bits, of 128 bits of security; a function of one fails with
        probability at most 2^`log2_fail` (default: 2^-64). `algorithm` takes integers apart into digits: `"HomDecomp-Reduce"`
        (the default and the fastest), `"HomDecomp-FDFB"`, `"HomFloor"` or `"HomFloorAlt"`.
        """

    @property
    def id(self, /) -> str:
        """The identifier that this key, its evaluation keys and its ciphertexts share. Reveals nothing of the key."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKey:
        """Reads a key file."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a function of an integer goes wrong."""

    @property
    def results_are_inputs(self, /) -> bool:
        """Whether results of functions are operands of functions again."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that its owner alone may read. An existing one is replaced only if told so: what it
        encrypted is lost then.
        """

    def save_evaluation_key(
        self, /, path: str | PathLike[str], *, threads: int = 0, progress: Progress | None = True, replace: bool = False
    ) -> None:
        """Makes the server's key and writes it to a file, never all of it in memory: what a server gets."""

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical; 0 of toys."""
