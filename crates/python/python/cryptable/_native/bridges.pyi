"""Compiled part of `cryptable.bridges`."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from _typeshed import SupportsGetItem

from ..progress import Progress
from .ciphertexts import Ciphertext
from .large_values import EvaluationKey, Radix
from .plans import Parameters
from .tables import PreparedTable, Table

__all__ = ["EvaluationKeys", "Integers", "LeveledValues", "Plan", "SecretKeys", "SmallValues", "plan_bridge"]

@final
class EvaluationKeys:
    """The server's keys for both ends of a bridge and the conversion between them. Threads may share them."""

    def __repr__(self, /) -> str: ...
    def lookup_digits(
        self,
        /,
        inputs: SupportsGetItem[int, Ciphertext],
        tables: SupportsGetItem[int, PreparedTable],
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> list[Ciphertext]:
        """Maps packed values in several ciphertexts, the least significant digits first, through tables of all digits
        together. Inputs are results of `pack_radix`, where the packed end has digits of three bits.
        """

    def lookup_leveled(
        self, /, values: LeveledValues, table: PreparedTable, *, threads: int = 0, progress: Progress | None = True
    ) -> LeveledValues:
        """Maps leveled values through a table."""

    def lookup_many(
        self,
        /,
        values: Ciphertext,
        tables: SupportsGetItem[int, PreparedTable],
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> list[Ciphertext]:
        """Maps packed values through tables; for leveled values, these are one table per digit, the lowest first."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that they use."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKeys:
        """Maps a file of keys into memory and checks all of it."""

    def pack(
        self, /, values: SmallValues, modulus: SupportsIndex = 2, *, threads: int = 0, progress: Progress | None = True
    ) -> Ciphertext:
        """Packs small values again, modulo `modulus`."""

    def pack_leveled(
        self, /, values: LeveledValues, *, threads: int = 0, progress: Progress | None = True
    ) -> list[Ciphertext]:
        """Packs leveled values again, into one ciphertext per digit of two bits, the lowest first."""

    def pack_radix(
        self, /, values: SupportsGetItem[int, Radix], *, threads: int = 0, progress: Progress | None = True
    ) -> list[Ciphertext]:
        """Packs integers in digits again, into one ciphertext of values below 8 per digit, the lowest first."""

    def prepare(self, /, table: Table) -> PreparedTable:
        """Encodes a table of the packed lookup."""

    def prepare_leveled(self, /, table: Table) -> PreparedTable:
        """Encodes a table of leveled values."""

    @property
    def single(self, /) -> EvaluationKey:
        """The key for integers at the other end, for all functions of `cryptable.large_values`: `sign`, `maximum`, digits."""

    def to_integers(self, /, values: Ciphertext, start: SupportsIndex, stop: SupportsIndex) -> Integers:
        """Extracts the packed values from `start` to `stop` as integers."""

    def to_leveled(
        self, /, digits: SupportsGetItem[int, Ciphertext], start: SupportsIndex, stop: SupportsIndex
    ) -> LeveledValues:
        """Extracts packed digits from `start` to `stop` as leveled values."""

    def to_radix(
        self,
        /,
        digits: SupportsGetItem[int, Ciphertext],
        start: SupportsIndex,
        stop: SupportsIndex,
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> list[Radix]:
        """Extracts packed digits from `start` to `stop`, of an even modulus up to 8 and with one ciphertext per digit, the
        lowest first, as integers in digits of base 8.
        """

    def to_small(
        self,
        /,
        values: Ciphertext,
        start: SupportsIndex,
        stop: SupportsIndex,
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> SmallValues:
        """Extracts the packed values from `start` to `stop`, of an even modulus up to 16, as small values modulo 16:
        selectors.
        """

@final
class Integers:
    """Encrypted integers, with one ciphertext per integer. Public."""

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
    def from_bytes(bytes: bytes) -> Integers:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Integers:
        """Reads a file into an array of one dimension, since files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library can read. An existing file is replaced only with
        `replace=True`.
        """

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

@final
class LeveledValues:
    """Encrypted values of the engine `leveled`. Public."""

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
    def from_bytes(bytes: bytes) -> LeveledValues:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str]) -> LeveledValues:
        """Reads a file into an array of one dimension, since files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library can read. An existing file is replaced only with
        `replace=True`.
        """

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

@final
class Plan:
    """A plan of a packed lookup and the steps after it, with the cost of every step; keys are generated from it. Prints as
    a list.
    """

    def __repr__(self, /) -> str: ...
    @property
    def input_modulus(self, /) -> int:
        """Inputs of the packed lookup are below this modulus."""

    @property
    def key_file_bytes(self, /) -> int:
        """Size of the evaluation keys' file in bytes."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that any value of a packed ciphertext goes wrong anywhere on its way."""

    @property
    def log2_fail_per_value(self, /) -> float:
        """log2 of the probability that one value goes wrong."""

    @property
    def memory_bytes(self, /) -> int:
        """Predicted peak memory in bytes, including keys."""

    @property
    def output_modulus(self, /) -> int:
        """Outputs of the packed lookup are below this modulus: `2**bits` for integers, 4 for digits of leveled values."""

    @property
    def seconds(self, /) -> float:
        """Predicted time of all steps, in seconds."""

    @property
    def steps(self, /) -> list[tuple[str, float | None, float]]:
        """Lists for each step its name, log2 of the probability that a value goes wrong in it (`None` for steps that only
        add noise), and predicted seconds.
        """

@final
class SecretKeys:
    """The client's secret keys for both ends: they encrypt packed values, and decrypt the results of either end.

    Erased from memory when they are deleted; they cannot be pickled.
    """

    def __repr__(self, /) -> str: ...
    def decrypt(self, /, values: Ciphertext, *, signed: bool | None = None) -> npt.NDArray[Any]:
        """Decrypts packed values, in the shape that was encrypted. They are signed if their ciphertext says so; results of
        bridges do not, so `signed` can say it.
        """

    def decrypt_integers(self, /, values: Integers) -> npt.NDArray[np.int64]:
        """Decrypts whole integers."""

    def decrypt_leveled(self, /, values: LeveledValues) -> npt.NDArray[Any]:
        """Decrypts leveled values."""

    def decrypt_radix(self, /, value: Radix) -> int:
        """Decrypts an integer in digits, as an unsigned one."""

    def decrypt_small(self, /, values: SmallValues) -> npt.NDArray[Any]:
        """Decrypts small values."""

    def encrypt(self, /, values: npt.ArrayLike, *, signed: bool | None = None) -> Ciphertext:
        """Encrypts values of any shape for the packed lookup, at most as many as one ciphertext holds; `signed` has the
        meaning of `cryptable.SecretKey.encrypt`.
        """

    def evaluation_keys(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKeys:
        """Makes the server's keys, in memory."""

    @staticmethod
    def generate(plan: Plan) -> SecretKeys:
        """Draws fresh secrets for a plan."""

    @property
    def ids(self, /) -> list[str]:
        """The identifiers of both keys. They reveal nothing about the keys."""

    @staticmethod
    def joining(packed: Parameters, bits: SupportsIndex) -> SecretKeys:
        """Draws fresh secrets for packed parameters with any tables, and integers of `bits` bits at the other end, whose
        results are processed in digits. Toys can only be combined with toys.
        """

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKeys:
        """Reads a file of keys."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the keys to a file that only its owner may read. An existing file is replaced only with `replace=True`."""

    def save_evaluation_keys(
        self, /, path: str | PathLike[str], *, threads: int = 0, progress: Progress | None = True, replace: bool = False
    ) -> None:
        """Makes the server's keys and writes them to a file without ever holding all of them in memory."""

@final
class SmallValues:
    """Encrypted small values, with one ciphertext per value: signs and results of comparisons. Public."""

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
    def from_bytes(bytes: bytes) -> SmallValues:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str]) -> SmallValues:
        """Reads a file into an array of one dimension, since files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library can read. An existing file is replaced only with
        `replace=True`.
        """

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

def plan_bridge(
    input_modulus: SupportsIndex,
    then: str,
    bits: SupportsIndex,
    moduli: tuple[SupportsIndex, SupportsIndex],
    returning: str,
    limits: Mapping[str, Any],
) -> Plan:
    """Plans a packed lookup whose results become integers of `bits` bits (`then` is `sign` or `absolute`) or inputs of a
    table with these moduli (`table`).
    """
