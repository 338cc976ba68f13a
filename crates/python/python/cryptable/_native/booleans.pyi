"""Compiled part of `cryptable.booleans`."""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, Final, SupportsFloat, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from _typeshed import SupportsGetItem

from ..progress import Progress

__all__ = ["EncryptedBits", "EvaluationKey", "ForeignGates", "ForeignSecret", "PackedGates", "SecretKey"]

@final
class EncryptedBits:
    """Encrypted bits, with one ciphertext per bit, in the shape of the array that was encrypted. Public: they may be sent,
    stored and pickled.

    `~x` needs no key; `& | ^` work within `with cryptable.booleans.computing(server):`.
    """

    __array_ufunc__: Final[tuple[()] | None]
    "\n    Tells numpy to leave operators to these.\n    "

    def __and__(self, other: object, /) -> EncryptedBits: ...
    def __bool__(self, /) -> bool: ...
    def __eq__(self, other: object, /) -> Any: ...
    def __ge__(self, other: object, /) -> Any: ...
    def __getitem__(self, key: Any, /) -> EncryptedBits:
        """Returns some of the values, as numpy would."""

    def __gt__(self, other: object, /) -> Any: ...
    def __hash__(self, /) -> int: ...
    def __invert__(self, /) -> EncryptedBits: ...
    def __iter__(self, /) -> Iterator[EncryptedBits]: ...
    def __le__(self, other: object, /) -> Any: ...
    def __len__(self, /) -> int: ...
    def __lt__(self, other: object, /) -> Any: ...
    def __ne__(self, other: object, /) -> Any: ...
    def __or__(self, other: object, /) -> EncryptedBits: ...
    def __repr__(self, /) -> str: ...
    def __xor__(self, other: object, /) -> EncryptedBits: ...
    def bit(self, /, index: SupportsIndex) -> EncryptedBits:
        """Returns one bit of the flattened array; negative indices count from the end."""

    @staticmethod
    def from_bytes(bytes: bytes) -> EncryptedBits:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @staticmethod
    def join(parts: SupportsGetItem[int, EncryptedBits]) -> EncryptedBits:
        """Joins the bits of several arrays, one after another, in one dimension."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @staticmethod
    def load(path: str | PathLike[str]) -> EncryptedBits:
        """Reads a file into an array of one dimension, since files have no shape."""

    @property
    def ndim(self, /) -> int:
        """The number of axes."""

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
class EvaluationKey:
    """The server's key for gates, with one bootstrap per gate and bit. Threads may share it."""

    def __repr__(self, /) -> str: ...
    def gate(
        self, /, gate: str, x: EncryptedBits, y: EncryptedBits, *, threads: int = 0, progress: Progress | None = True
    ) -> EncryptedBits:
        """Evaluates a gate bit by bit: `and`, `nand`, `or`, `nor`, `xor` or `xnor`."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that it was made from."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it uses."""

    def mux(
        self,
        /,
        selector: EncryptedBits,
        x: EncryptedBits,
        y: EncryptedBits,
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> EncryptedBits:
        """Returns x where the selector is true, else y."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it. Processes that open the same file share its memory
        pages.
        """

@final
class ForeignGates:
    """The server's keys for thousands of gates at once on bits that another library encrypted; results return to that
    library, under the same secret. Threads may share them.

    A list of ciphertexts consists of these bytes: `LWELIST1`; the dimension n and log2 of the modulus q in four bytes
    each; the number of ciphertexts in eight bytes; then for each ciphertext n + 1 words of four bytes, the mask and the
    body. `np.frombuffer(result, "<u4", offset=24).reshape(-1, n + 1)` returns the words of a list.
    """

    def __repr__(self, /) -> str: ...
    @property
    def bits_at_once(self, /) -> int:
        """Number of bits per bootstrap."""

    def gate(self, /, gate: str, x: bytes, y: bytes, *, threads: int = 0, progress: Progress | None = True) -> bytes:
        """Evaluates a gate bit by bit, like `EvaluationKey.gate`, on two different lists of equal length, of fresh
        ciphertexts or results.
        """

    def invert(self, /, x: bytes) -> bytes:
        """Negates the bits of a list."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the other library's secret for which they were made."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a gate returns a wrong bit."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that they use."""

    @property
    def noise(self, /) -> float:
        """Standard deviation of the noise of results, as a fraction of the LWE modulus; noise of an eighth or more makes a
        bit wrong.
        """

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> ForeignGates:
        """Maps a file written by `ForeignSecret.save_gates` or `cryptable foreign keygen` into memory and checks all of
        it.
        """

    @property
    def security_bits(self, /) -> float:
        """Classical security of the weakest secret in bits; 0 for toys."""

    @property
    def set(self, /) -> str:
        """The parameters of the ciphertexts."""

@final
class ForeignSecret:
    """A secret key of OpenFHE or tfhe-rs, for whose ciphertexts `ForeignGates` evaluates gates.

    Programs in `comparisons/` write its file: `LWEKEY01`, the dimension n in four bytes, and n signed bytes.

    Erased from memory when it is deleted; it cannot be pickled.
    """

    def __repr__(self, /) -> str: ...
    def gates(
        self, /, *, gates: SupportsIndex = 16384, threads: int = 0, progress: Progress | None = True
    ) -> ForeignGates:
        """Makes the server's keys for `gates` gates at once, in memory: one or two gigabytes. Keys for fewer gates take
        less time.
        """

    @property
    def id(self, /) -> str:
        """Its identifier. It reveals nothing about the secret."""

    @staticmethod
    def load(path: str | PathLike[str], *, set: str = "openfhe-std128", insecure_toy: bool = False) -> ForeignSecret:
        """Reads a file that a program of the other library wrote; `set` is `openfhe-std128` or `tfhe-rs-boolean`."""

    def save_gates(
        self,
        /,
        path: str | PathLike[str],
        *,
        gates: SupportsIndex = 16384,
        threads: int = 0,
        progress: Progress | None = True,
        replace: bool = False,
    ) -> None:
        """Makes the server's keys, like `gates`, and writes them to a file for the server, which `ForeignGates.open`
        reads. An existing file is replaced only with `replace=True`.
        """

    @property
    def set(self, /) -> str:
        """The parameters of its ciphertexts."""

@final
class PackedGates:
    """The server's keys for thousands of gates at once, in microseconds per gate. Threads may share them."""

    def __repr__(self, /) -> str: ...
    @property
    def bits_at_once(self, /) -> int:
        """Number of bits per bootstrap."""

    def gate(
        self, /, gate: str, x: EncryptedBits, y: EncryptedBits, *, threads: int = 0, progress: Progress | None = True
    ) -> EncryptedBits:
        """Evaluates a gate bit by bit, like `EvaluationKey.gate`, on two different arrays of bits, fresh or results of
        this method.
        """

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key for which they were made."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a gate returns a wrong bit."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it uses."""

    @property
    def noise(self, /) -> float:
        """Standard deviation of the noise of results, as a fraction of the LWE modulus; noise of an eighth or more makes a
        bit wrong.
        """

    @staticmethod
    def open(folder: str | PathLike[str], *, allow_insecure: bool = False) -> PackedGates:
        """Reads a folder that `SecretKey.save_packed_gates` wrote and checks all of it. The largest file is mapped into memory."""

    @property
    def security_bits(self, /) -> float:
        """Classical security of the weakest secret in bits; 0 for toys."""

@final
class SecretKey:
    """The client's secret key for gates on bits.

    Erased from memory when it is deleted; it cannot be pickled.
    """

    def __repr__(self, /) -> str: ...
    def decrypt(self, /, bits: EncryptedBits) -> npt.NDArray[np.bool_]:
        """Decrypts bits to an array of booleans."""

    def encrypt(self, /, values: npt.ArrayLike) -> EncryptedBits:
        """Encrypts bits of any shape."""

    def evaluation_key(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKey:
        """Makes the server's key, in memory."""

    @staticmethod
    def generate(*, log2_fail: SupportsFloat | SupportsIndex | None = None, insecure_toy: bool = False) -> SecretKey:
        """Draws a fresh secret of 128 bits of security; a gate fails with probability at most 2^`log2_fail` (default:
        2^-64).
        """

    @property
    def id(self, /) -> str:
        """The identifier shared by this key, its evaluation keys and its ciphertexts. It reveals nothing about the
        key.
        """

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKey:
        """Reads a key file."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a gate goes wrong."""

    def packed_gates(
        self, /, *, gates: SupportsIndex | None = None, threads: int = 0, progress: Progress | None = True
    ) -> PackedGates:
        """Makes the server's keys for `gates` gates at once (default: the largest number, 16,384), in memory: half a
        gigabyte. Keys for fewer gates take less time, for 256 gates half of it. The secret must have been made with
        `log2_fail=-128`.
        """

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

    def save_packed_gates(
        self,
        /,
        folder: str | PathLike[str],
        *,
        gates: SupportsIndex | None = None,
        threads: int = 0,
        progress: Progress | None = True,
        replace: bool = False,
    ) -> None:
        """Makes the server's keys for many gates at once, like `packed_gates`, and writes them to a new folder for the
        server, which `PackedGates.open` reads. Files of an existing folder are replaced only with `replace=True`.
        """

    @property
    def security_bits(self, /) -> float:
        """Classical security in bits; 0 for toys."""
