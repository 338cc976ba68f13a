"""For `cryptable.booleans`."""

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
    """Encrypted bits, each a ciphertext by itself, in the shape of the array that they were. Public: it may be sent, stored and
    pickled.

    `~x` needs no key; `& | ^` work within `with cryptable.booleans.computing(server):`.
    """

    __array_ufunc__: Final[tuple[()] | None]
    "\n    numpy is to leave operators to these.\n    "

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
        """One bit, of the array in one dimension; below 0, from the end."""

    @staticmethod
    def from_bytes(bytes: bytes) -> EncryptedBits:
        """Reads the bytes of a file. An array has one dimension then: files have no shape."""

    @staticmethod
    def join(parts: SupportsGetItem[int, EncryptedBits]) -> EncryptedBits:
        """Bits of several arrays, one after another, in one dimension."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @staticmethod
    def load(path: str | PathLike[str]) -> EncryptedBits:
        """Reads a file. An array has one dimension then: files have no shape."""

    @property
    def ndim(self, /) -> int:
        """The number of its axes."""

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
class EvaluationKey:
    """The server's key of gates, a bootstrap a gate and bit. Threads may share it."""

    def __repr__(self, /) -> str: ...
    def gate(
        self, /, gate: str, x: EncryptedBits, y: EncryptedBits, *, threads: int = 0, progress: Progress | None = True
    ) -> EncryptedBits:
        """A gate, bit by bit: `and`, `nand`, `or`, `nor`, `xor` or `xnor`."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that it was made from."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it takes."""

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
        """x where the selector is true, else y."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it. Processes that open the same file share its pages."""

@final
class ForeignGates:
    """The server's keys for gates on bits that another library encrypted, thousands at once; results go back to it, under the same
    secret. Threads may share them.

    Ciphertexts are the bytes of a list: `LWELIST1`, dimension n and log2 of the modulus q in four bytes each, the number of
    ciphertexts in eight; then n + 1 words of four bytes each, the mask and the body. `np.frombuffer(result, "<u4",
    offset=24).reshape(-1, n + 1)` are the words of a list.
    """

    def __repr__(self, /) -> str: ...
    @property
    def bits_at_once(self, /) -> int:
        """Bits of a bootstrap."""

    def gate(self, /, gate: str, x: bytes, y: bytes, *, threads: int = 0, progress: Progress | None = True) -> bytes:
        """A gate, bit by bit, as `EvaluationKey.gate`: of two different lists of equal length, of fresh ciphertexts or results."""

    def invert(self, /, x: bytes) -> bytes:
        """The negated bits of a list."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the other library's secret that they were made for."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a bit of a gate goes wrong."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that they take."""

    @property
    def noise(self, /) -> float:
        """Standard deviation of the noise of results, as a part of the LWE modulus; a bit is wrong from an eighth on."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> ForeignGates:
        """Maps a file of `ForeignSecret.save_gates`, or of `cryptable foreign keygen`, into memory and checks all of it."""

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical, of the weakest secret; 0 of toys."""

    @property
    def set(self, /) -> str:
        """The parameters of the ciphertexts."""

@final
class ForeignSecret:
    """A secret of OpenFHE or tfhe-rs, whose ciphertexts of bits go through `ForeignGates`.

    Its file, which programs in `comparisons/` write: `LWEKEY01`, the dimension n in four bytes, and n signed bytes.

    Cleared from memory when it goes; never pickled.
    """

    def __repr__(self, /) -> str: ...
    def gates(
        self, /, *, gates: SupportsIndex = 16384, threads: int = 0, progress: Progress | None = True
    ) -> ForeignGates:
        """The server's keys for `gates` gates at once, in memory: a gigabyte or two. Fewer take less time."""

    @property
    def id(self, /) -> str:
        """Its identifier. Reveals nothing of it."""

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
        """Makes the server's keys, as `gates`, and writes them to a file: what a server gets, and `ForeignGates.open` reads. An
        existing one is replaced only if told so.
        """

    @property
    def set(self, /) -> str:
        """The parameters of its ciphertexts."""

@final
class PackedGates:
    """The server's keys for thousands of gates at once: microseconds a gate. Threads may share them."""

    def __repr__(self, /) -> str: ...
    @property
    def bits_at_once(self, /) -> int:
        """Bits of a bootstrap."""

    def gate(
        self, /, gate: str, x: EncryptedBits, y: EncryptedBits, *, threads: int = 0, progress: Progress | None = True
    ) -> EncryptedBits:
        """A gate, bit by bit, as `EvaluationKey.gate`: of two different arrays of bits, fresh or results of this."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key of bits that they were made for."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a bit of a gate goes wrong."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it takes."""

    @property
    def noise(self, /) -> float:
        """Standard deviation of the noise of results, as a part of the LWE modulus; a bit is wrong from an eighth on."""

    @staticmethod
    def open(folder: str | PathLike[str], *, allow_insecure: bool = False) -> PackedGates:
        """Reads a folder that `SecretKey.save_packed_gates` wrote and checks all of it. The largest file is mapped into memory."""

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical, of the weakest secret; 0 of toys."""

@final
class SecretKey:
    """The client's secret key of bits.

    Cleared from memory when it goes; never pickled.
    """

    def __repr__(self, /) -> str: ...
    def decrypt(self, /, bits: EncryptedBits) -> npt.NDArray[np.bool_]:
        """Decrypts bits: an array of booleans."""

    def encrypt(self, /, values: npt.ArrayLike) -> EncryptedBits:
        """Encrypts bits of any shape."""

    def evaluation_key(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKey:
        """Makes the server's key, in memory."""

    @staticmethod
    def generate(*, log2_fail: SupportsFloat | SupportsIndex | None = None, insecure_toy: bool = False) -> SecretKey:
        """Draws a fresh secret, of 128 bits of security; a gate fails with probability at most 2^`log2_fail` (default:
        2^-64).
        """

    @property
    def id(self, /) -> str:
        """The identifier that this key, its evaluation keys and its ciphertexts share. Reveals nothing of the key."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKey:
        """Reads a key file."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a gate goes wrong."""

    def packed_gates(
        self, /, *, gates: SupportsIndex | None = None, threads: int = 0, progress: Progress | None = True
    ) -> PackedGates:
        """The server's keys for `gates` gates at once (default: the most, 16,384), in memory: half a gigabyte. Fewer take less
        time, 256 half of it. A secret must be of `log2_fail=-128` for them.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that its owner alone may read. An existing one is replaced only if told so: what it
        encrypted is lost then.
        """

    def save_evaluation_key(
        self, /, path: str | PathLike[str], *, threads: int = 0, progress: Progress | None = True, replace: bool = False
    ) -> None:
        """Makes the server's key and writes it to a file, never all of it in memory: what a server gets."""

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
        """Makes the server's keys for many gates at once, as `packed_gates`, and writes them to a new folder: what a server
        gets, and `PackedGates.open` reads. Files of an existing folder are replaced only if told so.
        """

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical; 0 of toys."""
