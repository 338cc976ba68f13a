"""For `cryptable.bridges`."""

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
    """The server's keys of both ends, and between them. Threads may share them."""

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
        """Maps packed values that come in several ciphertexts, the least significant digits first, through tables of all of them
        together: what `pack_radix` gives, where the packed end has digits of three bits.
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
        """Maps packed values through tables: for leveled values one table per digit, the lowest first."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that they take."""

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
        """Packs leveled values again, a ciphertext a digit of two bits, the lowest first."""

    def pack_radix(
        self, /, values: SupportsGetItem[int, Radix], *, threads: int = 0, progress: Progress | None = True
    ) -> list[Ciphertext]:
        """Packs integers in digits again: a ciphertext of values below 8 for every digit, the lowest first."""

    def prepare(self, /, table: Table) -> PreparedTable:
        """Encodes a table of the packed lookup."""

    def prepare_leveled(self, /, table: Table) -> PreparedTable:
        """Encodes a table of leveled values."""

    @property
    def single(self, /) -> EvaluationKey:
        """The key of integers at the other end, for all functions of `cryptable.large_values`: `sign`, `maximum`, digits."""

    def to_integers(self, /, values: Ciphertext, start: SupportsIndex, stop: SupportsIndex) -> Integers:
        """Takes packed values from `start` to `stop` out as integers."""

    def to_leveled(
        self, /, digits: SupportsGetItem[int, Ciphertext], start: SupportsIndex, stop: SupportsIndex
    ) -> LeveledValues:
        """Takes packed digits from `start` to `stop` out as leveled values."""

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
        """Takes packed digits of an even modulus up to 8, a ciphertext for every digit, the lowest first, out as integers in
        digits of base 8, from `start` to `stop`.
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
        """Takes packed values of an even modulus up to 16, from `start` to `stop`, out as small values modulo 16: selectors."""

@final
class Integers:
    """Whole encrypted integers, a ciphertext each. Public."""

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
        """Reads the bytes of a file. An array has one dimension then: files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Integers:
        """Reads a file. An array has one dimension then: files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library reads. An existing one is replaced only if told so."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as a file has them."""

@final
class LeveledValues:
    """Encrypted values of engine `leveled`. Public."""

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
        """Reads the bytes of a file. An array has one dimension then: files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str]) -> LeveledValues:
        """Reads a file. An array has one dimension then: files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library reads. An existing one is replaced only if told so."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as a file has them."""

@final
class Plan:
    """A packed lookup, what comes after it, and what every step takes. Prints as a list; keys are generated for it."""

    def __repr__(self, /) -> str: ...
    @property
    def input_modulus(self, /) -> int:
        """Inputs of the packed lookup are below this modulus."""

    @property
    def key_file_bytes(self, /) -> int:
        """Bytes of the file of the evaluation keys."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that any value of a packed ciphertext goes wrong anywhere on its way."""

    @property
    def log2_fail_per_value(self, /) -> float:
        """log2 of the probability that one value does."""

    @property
    def memory_bytes(self, /) -> int:
        """Predicted memory at its peak, keys included."""

    @property
    def output_modulus(self, /) -> int:
        """Outputs of the packed lookup are below this modulus: `2**bits` for integers, 4 for digits of leveled values."""

    @property
    def seconds(self, /) -> float:
        """Predicted time of all steps, in seconds."""

    @property
    def steps(self, /) -> list[tuple[str, float | None, float]]:
        """For each step its name, log2 of the probability that a value goes wrong in it (None of steps that only add noise),
        and predicted seconds.
        """

@final
class SecretKeys:
    """The client's secret keys of both ends: encrypts packed values, and decrypts what comes of them.

    Cleared from memory when they go; never pickled.
    """

    def __repr__(self, /) -> str: ...
    def decrypt(self, /, values: Ciphertext, *, signed: bool | None = None) -> npt.NDArray[Any]:
        """Decrypts packed values, in the shape that was encrypted: signed if their ciphertext is, or as `signed` says, since
        results of bridges do not say it.
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
        """Encrypts values of any shape for the packed lookup, at most as many as a ciphertext holds; `signed` is as of
        `cryptable.SecretKey.encrypt`.
        """

    def evaluation_keys(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKeys:
        """The server's keys, in memory."""

    @staticmethod
    def generate(plan: Plan) -> SecretKeys:
        """Draws fresh secrets for a plan."""

    @property
    def ids(self, /) -> list[str]:
        """The identifiers of both keys. Reveal nothing of them."""

    @staticmethod
    def joining(packed: Parameters, bits: SupportsIndex) -> SecretKeys:
        """Draws fresh secrets for packed parameters, whatever their tables, and integers of `bits` bits at the other end:
        for results that are processed in digits. Toys go with toys.
        """

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKeys:
        """Reads a file of keys."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the keys to a file that its owner alone may read. An existing one is replaced only if told so."""

    def save_evaluation_keys(
        self, /, path: str | PathLike[str], *, threads: int = 0, progress: Progress | None = True, replace: bool = False
    ) -> None:
        """Makes the server's keys and writes them to a file, never all of them in memory."""

@final
class SmallValues:
    """Encrypted small values, a ciphertext each: signs and results of comparisons. Public."""

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
        """Reads the bytes of a file. An array has one dimension then: files have no shape."""

    @staticmethod
    def load(path: str | PathLike[str]) -> SmallValues:
        """Reads a file. An array has one dimension then: files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library reads. An existing one is replaced only if told so."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as a file has them."""

def plan_bridge(
    input_modulus: SupportsIndex,
    then: str,
    bits: SupportsIndex,
    moduli: tuple[SupportsIndex, SupportsIndex],
    returning: str,
    limits: Mapping[str, Any],
) -> Plan:
    """Plans a packed lookup whose results go on: as integers of `bits` bits (`then` is `sign` or `absolute`), or to a table of
    these moduli (`table`).
    """
