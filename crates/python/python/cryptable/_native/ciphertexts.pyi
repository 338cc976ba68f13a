"""Ciphertexts and their files."""

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any, Final, final

from _typeshed import SupportsGetItem

__all__ = ["Ciphertext", "CiphertextReader", "CiphertextWriter"]

@final
class Ciphertext:
    """Encrypted integers, in the shape of the array that was encrypted. Public: it may be sent, stored and pickled.

    `shape`, `ndim`, `size`, `len`, `reshape`, indexing and iteration work as in numpy: `x[2:5]`, `x[-1]`, `x[mask]`.
    Packed values share ciphertexts, and an index must select each of these as a whole or not at all. `==` is refused: a
    lookup compares with a number, and `cryptable.comparisons` and `cryptable.integers` compare two values. Files do not
    store the shape: `Ciphertext.load` returns one dimension. `+ - *` work within `with cryptable.computing(server):`.
    """

    __array_ufunc__: Final[tuple[()] | None]
    "\n    Tells numpy to leave operators to these.\n    "

    def __add__(self, other: object, /) -> Ciphertext: ...
    def __bool__(self, /) -> bool: ...
    def __eq__(self, other: object, /) -> Any: ...
    def __ge__(self, other: object, /) -> Any: ...
    def __getitem__(self, key: Any, /) -> Ciphertext:
        """Returns some of the values, as numpy would."""

    def __gt__(self, other: object, /) -> Any: ...
    def __hash__(self, /) -> int: ...
    def __iter__(self, /) -> Iterator[Ciphertext]: ...
    def __le__(self, other: object, /) -> Any: ...
    def __len__(self, /) -> int: ...
    def __lt__(self, other: object, /) -> Any: ...
    def __mul__(self, other: object, /) -> Ciphertext: ...
    def __ne__(self, other: object, /) -> Any: ...
    def __neg__(self, /) -> Ciphertext: ...
    def __radd__(self, other: object, /) -> Ciphertext: ...
    def __repr__(self, /) -> str: ...
    def __rmul__(self, other: object, /) -> Ciphertext: ...
    def __rsub__(self, other: object, /) -> Ciphertext: ...
    def __sub__(self, other: object, /) -> Ciphertext: ...
    def as_signed(self, /, signed: bool = True) -> Ciphertext:
        """Returns the same values, read as signed or unsigned ones; useful for a difference of unsigned values, for
        example.
        """

    @property
    def engine(self, /) -> str:
        """The name of its engine."""

    @staticmethod
    def from_bytes(bytes: bytes) -> Ciphertext:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @property
    def is_fresh(self, /) -> bool:
        """Whether nothing has been computed on it yet."""

    @staticmethod
    def join(parts: SupportsGetItem[int, Ciphertext]) -> Ciphertext:
        """Joins the values of several ciphertexts, one after another, in one dimension."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Ciphertext:
        """Reads a file into an array of one dimension, since files have no shape."""

    @property
    def modulus(self, /) -> int:
        """Values are below this modulus."""

    @property
    def ndim(self, /) -> int:
        """The number of axes."""

    @property
    def noise(self, /) -> tuple[float, float] | None:
        """The noise bound that it states: standard deviation and bias, as fractions of the modulus of ciphertexts. `None`
        where there are no sums, which need it.
        """

    @property
    def parameter_digest(self, /) -> str:
        """The digest of its parameters: `Parameters.digest`."""

    def parts(self, /) -> list[Ciphertext]:
        """Yields its parts, each with the number of values that the engine encrypts together; `join` joins them again."""

    def reshape(self, /, *shape: int | Sequence[int]) -> Ciphertext:
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
        """Whether its values are signed, from -M/2 to M/2 - 1 for the modulus M, as set at encryption or by the table of a
        lookup.
        """

    @property
    def size(self, /) -> int:
        """The number of values."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

@final
class CiphertextReader:
    """Reads a file of ciphertexts one after another, with only one in memory, after checking the whole file. Iteration
    yields ciphertexts of one dimension.
    """

    def __enter__(self, /) -> CiphertextReader: ...
    def __exit__(self, /, *_error: object) -> None:
        """Does nothing, since files are closed when their readers are deleted."""

    def __iter__(self, /) -> CiphertextReader: ...
    def __len__(self, /) -> int:
        """The number of ciphertexts."""

    def __new__(cls, /, path: str | PathLike[str]) -> CiphertextReader:
        """Opens a file and checks all of it."""

    def __next__(self, /) -> Ciphertext: ...
    def __repr__(self, /) -> str: ...
    @property
    def digest(self, /) -> str:
        """The digest of the file."""

    @property
    def engine(self, /) -> str:
        """The name of its engine."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @property
    def modulus(self, /) -> int:
        """Values are below this modulus."""

    @property
    def parameter_digest(self, /) -> str:
        """The digest of the parameters."""

    @property
    def size(self, /) -> int:
        """The number of values in the file."""

@final
class CiphertextWriter:
    """Writes any number of ciphertexts to a file one after another, with only one in memory. The file appears when it is
    complete: at `close`, or at the end of a `with` block unless that ends with an exception.
    """

    def __enter__(self, /) -> CiphertextWriter: ...
    def __exit__(self, /, kind: type[BaseException] | None, *_error: object) -> None: ...
    def __new__(cls, /, path: str | PathLike[str], *, replace: bool = False) -> CiphertextWriter:
        """Makes a writer of a new file; an existing file is replaced only with `replace=True`."""

    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """Completes the file."""

    def write(self, /, ciphertext: Ciphertext) -> None:
        """Appends the values of a ciphertext of the same key, engine and modulus as the first."""
