"""Compiled part of `cryptable.ckks`."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Final, SupportsFloat, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from _typeshed import SupportsGetItem, SupportsLenAndGetItem

from ..progress import Progress
from . import EvaluationKey as EvaluationKey2
from . import SecretKey as SecretKey2
from .ciphertexts import Ciphertext
from .plans import Secret

__all__ = [
    "EvaluationKey",
    "LeveledTable",
    "LinearMap",
    "LookupCandidate",
    "LookupPlan",
    "Parameters",
    "Polynomial",
    "PreparedMap",
    "PublicKey",
    "SecretKey",
    "SharedSecret",
    "SlotTable",
    "SmoothFunction",
    "Vector",
    "plan_lookups",
    "restore_vector",
]

@final
class EvaluationKey:
    """The server's key for vectors: computes on them without the secret. Threads may share it."""

    def __repr__(self, /) -> str: ...
    def add(self, /, x: Vector, y: Vector | complex | npt.ArrayLike, *, threads: int = 0) -> Vector:
        """`x + y`: y is a vector, a number, or an array of the shape of x."""

    def bootstrap(self, /, x: Vector, *, threads: int = 0) -> Vector:
        """Bootstraps the vector, which restores all levels."""

    def conjugate(self, /, x: Vector, *, threads: int = 0) -> Vector:
        """Conjugates all slots."""

    def from_packed(
        self, /, x: Ciphertext, table: SlotTable, packed: EvaluationKey2, shared: SharedSecret, *, threads: int = 0
    ) -> Vector:
        """Looks up packed integers in a table, with results in slots."""

    @property
    def has_bootstrapping(self, /) -> bool:
        """Whether it has keys for bootstraps."""

    @property
    def has_conjugation(self, /) -> bool:
        """Whether it has keys for conjugation."""

    @property
    def has_lookups(self, /) -> bool:
        """Whether it has keys for lookups."""

    def inner_sum(self, /, x: Vector, count: SupportsIndex, *, threads: int = 0) -> Vector:
        """Computes in slot j the sum of `count` slots from j on, where `count` is a power of two."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that it was made from."""

    def leveled_table(self, /, x: Vector, table: LeveledTable, *, threads: int = 0) -> Vector:
        """Evaluates a table on a few points, which consumes levels but needs no bootstrap."""

    def lookup(self, /, x: Vector, table: SlotTable | SmoothFunction, *, threads: int = 0) -> Vector:
        """Evaluates a table or a smooth function in every slot, and restores levels."""

    def lookup_many(
        self, /, x: Vector, tables: Sequence[SlotTable | SmoothFunction], *, threads: int = 0
    ) -> list[Vector]:
        """Evaluates several tables on the same points, or several functions of one period, faster than separate lookups."""

    def lower(self, /, x: Vector, level: SupportsIndex, *, threads: int = 0) -> Vector:
        """Lowers the vector to a level, which saves memory and makes operations faster."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it uses."""

    def mul(self, /, x: Vector, y: Vector | complex | npt.ArrayLike, *, threads: int = 0) -> Vector:
        """`x * y`, with operands as in `add`. The result is a level lower unless y is a single integer."""

    def negate(self, /, x: Vector, *, threads: int = 0) -> Vector:
        """`-x`."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False, automatic: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it. Processes that open the same file share its memory pages."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters."""

    def polynomial(self, /, x: Vector, polynomial: Polynomial, *, threads: int = 0) -> Vector:
        """Evaluates a polynomial in every slot."""

    def prepare(self, /, map: LinearMap) -> PreparedMap:
        """Encodes a linear map once for any number of products."""

    def rotate(self, /, x: Vector, steps: SupportsIndex, *, threads: int = 0) -> Vector:
        """Rotates all slots to the left: slot j receives slot j + steps."""

    def sub(self, /, x: Vector, y: Vector | complex | npt.ArrayLike, *, threads: int = 0) -> Vector:
        """`x - y`, with operands as in `add`."""

    def to_packed(
        self, /, x: Vector, modulus: SupportsIndex, packed: EvaluationKey2, shared: SharedSecret, *, threads: int = 0
    ) -> Ciphertext:
        """Converts integers in slots to packed integers modulo `modulus`, in the order of `packed_index`."""

    def transform(self, /, x: Vector, map: PreparedMap, *, threads: int = 0) -> Vector:
        """Computes the product of a linear map with the slots, one level below that of the map."""

@final
class LeveledTable:
    """A table on a few points that needs no bootstrap, but consumes levels."""

    def __call__(self, /, x: SupportsFloat | SupportsIndex) -> float:
        """Evaluates the function in the clear."""

    def __new__(
        cls, /, values: npt.ArrayLike, points: npt.ArrayLike | None = None, *, order: SupportsIndex = 1
    ) -> LeveledTable:
        """Interpolates `values` at `points` (default: 0, 1, ...), where the first `order` derivatives vanish."""

    def __repr__(self, /) -> str: ...
    @property
    def levels(self, /) -> int:
        """Number of levels that it consumes."""

@final
class LinearMap:
    """A square matrix whose width is a power of two; it multiplies slots that repeat with that width as their period."""

    def __new__(cls, /, parameters: Parameters, matrix: npt.ArrayLike, level: SupportsIndex | None = None) -> LinearMap:
        """Makes the map from an array of rows, for vectors that are lowered to this level (default: the level of fresh
        ones).
        """

    @property
    def level(self, /) -> int:
        """The level to which vectors are lowered."""

@final
class LookupCandidate:
    """Parameters for lookups on slots, and the cost of a lookup."""

    def __repr__(self, /) -> str: ...
    @property
    def level(self, /) -> int:
        """Number of levels of results."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that any value of a ciphertext has a larger error."""

    @property
    def memory_bytes(self, /) -> int:
        """Memory of a lookup in bytes, including keys."""

    @property
    def order(self, /) -> int:
        """The interpolation order that tables should have; 0 for a smooth function."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters."""

    @property
    def precision_bits(self, /) -> float:
        """Number of correct bits of results."""

    @property
    def seconds(self, /) -> float:
        """Predicted time of a lookup on one thread, in seconds."""

@final
class LookupPlan:
    """Parameters for lookups on slots, the fastest first. Prints as a table."""

    def __repr__(self, /) -> str: ...
    @property
    def best(self, /) -> LookupCandidate:
        """The fastest candidate."""

    @property
    def candidates(self, /) -> list[LookupCandidate]:
        """All candidates, the fastest first."""

@final
class Parameters:
    """A validated parameter set."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    @property
    def bootstrap_error(self, /) -> tuple[float, float] | None:
        """Standard deviation and bias of the error of a bootstrap of a fresh vector; `None` without bootstraps."""

    @property
    def digest(self, /) -> str:
        """The digest that identifies it in files."""

    @staticmethod
    def from_literal(literal: Mapping[str, Any], *, allow_insecure: bool = False) -> Parameters:
        """Makes the set with the numbers of a literal, after validation: every number against its bounds, and the
        security and failure probabilities that it claims.
        """

    @property
    def is_bootstrappable(self, /) -> bool:
        """Whether they allow bootstraps."""

    @property
    def levels(self, /) -> int:
        """Number of multiplications in a row that fresh vectors allow."""

    @property
    def literal(self, /) -> dict[str, Any]:
        """All numbers that define the set, as a dictionary, which `json.dumps` can write and `from_literal` reads."""

    @property
    def log2_fail_per_slot(self, /) -> float:
        """log2 of the probability that a bootstrap gets a slot wrong."""

    @staticmethod
    def named(name: str, *, slots: SupportsIndex | None = None) -> Parameters:
        """Returns a set by name: `leveled_128` (7 levels, no bootstrap), `bootstrapping_128`, `lookups_128`,
        `sparse_bootstrapping_128` with `slots` slots; or a set for tests, whose name begins with `insecure_toy`.
        """

    def packed_index(self, /, slot: SupportsIndex) -> int:
        """Returns the index at which `EvaluationKey.to_packed` puts the integer of a slot."""

    def predict_lookup(self, /, vector: Vector, table: SlotTable | SmoothFunction) -> dict[str, Any]:
        """Predicts a lookup: levels of the result, standard deviation and bias of its error, the largest error of an input
        as a fraction of half the distance of two points (or of a 64th of a smooth function's interval), and log2 of the
        probability that a slot fails.
        """

    @property
    def secrets(self, /) -> list[Secret]:
        """LWE problems on which the security of each secret rests."""

    @property
    def security_bits(self, /) -> float:
        """Classical security in bits; 0 for toys."""

    @property
    def slots(self, /) -> int:
        """Number of slots of a vector, each of which holds one number."""

@final
class Polynomial:
    """A polynomial on real slots within `[-interval, interval]`, possibly an approximation of another function."""

    def __call__(self, /, x: SupportsFloat | SupportsIndex) -> float:
        """Evaluates the polynomial in the clear."""

    def __repr__(self, /) -> str: ...
    @staticmethod
    def chebyshev(coefficients: npt.ArrayLike, interval: SupportsFloat | SupportsIndex = 1.0) -> Polynomial:
        """Makes the sum of `coefficients[k] * T_k(x / interval)`, with the Chebyshev polynomials T_k."""

    @property
    def degree(self, /) -> int:
        """Its degree."""

    @staticmethod
    def interpolate(
        function: Callable[[float], float], degree: SupportsIndex, interval: SupportsFloat | SupportsIndex = 1.0
    ) -> Polynomial:
        """Makes the polynomial of this degree that agrees with a function at the Chebyshev points. Its distance to the
        function is part of the errors that results state.
        """

    @property
    def levels(self, /) -> int:
        """Number of levels that it consumes."""

    def max_error(self, /, function: Callable[[float], float]) -> float:
        """Returns the largest distance to a function within the interval, sampled at many points."""

    @staticmethod
    def monomial(coefficients: npt.ArrayLike, interval: SupportsFloat | SupportsIndex = 1.0) -> Polynomial:
        """Makes the polynomial that is the sum of `coefficients[k] * x**k`."""

@final
class PreparedMap:
    """A linear map encoded for a key, made once and used for any number of products."""

@final
class PublicKey:
    """A public key for vectors, with which anyone can encrypt numbers that only the secret key decrypts.

    `SecretKey.public_key` makes it. It may be sent to anyone. Vectors encrypted with it have a larger error than those
    of the secret key, and state it.
    """

    def __repr__(self, /) -> str: ...
    def encrypt(self, /, values: npt.ArrayLike, *, bound: SupportsFloat | SupportsIndex = 1.0) -> Vector:
        """Encrypts numbers of any shape whose parts are at most `bound`; slots beyond them are 0."""

    @staticmethod
    def from_bytes(bytes: bytes, *, allow_insecure: bool = False) -> PublicKey:
        """Reads the bytes that `to_bytes` returns or a file holds."""

    @property
    def id(self, /) -> str:
        """The identifier of the secret key, which its evaluation keys and ciphertexts share."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> PublicKey:
        """Reads a key from a file, whoever wrote it."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file."""

    def to_bytes(self, /) -> bytes:
        """Returns the key as bytes, as in its file."""

@final
class SecretKey:
    """The client's secret key for vectors: encrypts and decrypts, and makes the server's evaluation key.

    Erased from memory when it is deleted; it cannot be pickled. Erasing numpy arrays of values is up to the caller.
    """

    def __repr__(self, /) -> str: ...
    def decrypt(
        self, /, vector: Vector, *, flooding: tuple[SupportsIndex, SupportsIndex] | None = None
    ) -> npt.NDArray[np.float64] | npt.NDArray[np.complex128]:
        """Decrypts to real numbers if the bounds exclude imaginary parts, else to complex ones. Each part is rounded to
        its certain digits.

        `flooding` is needed for results that others see: a pair of bits of security and number of decryptions under
        this key.
        """

    def encrypt(self, /, values: npt.ArrayLike, *, bound: SupportsFloat | SupportsIndex = 1.0) -> Vector:
        """Encrypts numbers of any shape whose parts are at most `bound`; slots beyond them are 0."""

    def evaluation_key(
        self,
        /,
        keys: Mapping[str, Any],
        maps: SupportsGetItem[int, LinearMap],
        automatic: bool = False,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> EvaluationKey:
        """Makes the server's key, in memory."""

    @staticmethod
    def generate(parameters: Parameters) -> SecretKey:
        """Draws a fresh secret for parameters."""

    @property
    def id(self, /) -> str:
        """The identifier shared by this key, its evaluation keys and its ciphertexts. It reveals nothing about the
        key.
        """

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKey:
        """Reads a key file."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters."""

    def public_key(self, /) -> PublicKey:
        """Generates a public key, with which anyone can encrypt vectors for this key."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that only its owner may read. An existing file is replaced only with
        `replace=True`: everything encrypted under its key is then lost.
        """

    def save_evaluation_key(
        self,
        /,
        path: str | PathLike[str],
        keys: Mapping[str, Any],
        maps: SupportsGetItem[int, LinearMap],
        threads: int = 0,
        progress: Progress | None = True,
        replace: bool = False,
    ) -> None:
        """Makes the server's key and writes it to a file."""

    def shared_secret(self, /, packed: SecretKey2) -> SharedSecret:
        """Returns the statement for servers that a key of packed integers has the same secret."""

    @staticmethod
    def sharing(parameters: Parameters, packed: SecretKey2) -> SecretKey:
        """Makes a key for vectors from the secret of packed integers, so that servers can convert between the two."""

@final
class SharedSecret:
    """A client's statement to servers that its keys for vectors and for packed integers share one secret."""

    def __new__(
        cls, /, vectors: SupportsLenAndGetItem[SupportsIndex], packed: SupportsLenAndGetItem[SupportsIndex]
    ) -> SharedSecret:
        """Creates the statement from the identifiers of both keys."""

@final
class SlotTable:
    """A table, possibly discontinuous, on real slots that hold points `first + m * step`."""

    def __len__(self, /) -> int: ...
    def __new__(
        cls,
        /,
        values: npt.ArrayLike,
        *,
        first: SupportsFloat | SupportsIndex = 0.0,
        step: SupportsFloat | SupportsIndex = 1.0,
        order: SupportsIndex = 1,
    ) -> SlotTable:
        """Makes the table with `values[m]` at `first + m * step`, by interpolation of order 1 to 3."""

    def __repr__(self, /) -> str: ...
    def largest_deviation(self, /, error: SupportsFloat | SupportsIndex) -> float:
        """Returns the largest error of outputs if inputs have errors of `error`."""

    @property
    def levels(self, /) -> int:
        """Number of levels between the exponential and the result."""

    @property
    def points(self, /) -> tuple[list[float], float]:
        """Returns the points, and the period after which they repeat."""

@final
class SmoothFunction:
    """A smooth function on an interval, evaluated by `EvaluationKey.lookup` in the bootstrap: a trigonometric series with
    a longer period that approximates it within `tolerance`. For numbers outside the interval, results are the values of
    the series.
    """

    def __call__(self, /, x: SupportsFloat | SupportsIndex) -> float:
        """Evaluates the series in the clear."""

    def __repr__(self, /) -> str: ...
    @property
    def error(self, /) -> float:
        """The largest distance between function and series on the interval."""

    @staticmethod
    def exponential(
        lower: SupportsFloat | SupportsIndex,
        upper: SupportsFloat | SupportsIndex,
        *,
        tolerance: SupportsFloat | SupportsIndex = ...,
    ) -> SmoothFunction:
        """Makes `exp(x)`, for x from `lower` to `upper`."""

    @staticmethod
    def fit(
        function: Callable[[float], float],
        lower: SupportsFloat | SupportsIndex,
        upper: SupportsFloat | SupportsIndex,
        *,
        tolerance: SupportsFloat | SupportsIndex = ...,
    ) -> SmoothFunction:
        """Fits a function on the interval from `lower` to `upper`."""

    @staticmethod
    def gelu(
        bound: SupportsFloat | SupportsIndex = 8.0, *, tolerance: SupportsFloat | SupportsIndex = ...
    ) -> SmoothFunction:
        """Makes GELU, x times the normal distribution function, for x from `-bound` to `bound`."""

    @property
    def interval(self, /) -> tuple[float, float]:
        """The ends of the interval."""

    @property
    def levels(self, /) -> int:
        """Number of levels between the exponential and the result."""

    @property
    def period(self, /) -> float:
        """The distance after which the series repeats."""

    @staticmethod
    def reciprocal(
        lower: SupportsFloat | SupportsIndex,
        upper: SupportsFloat | SupportsIndex,
        *,
        tolerance: SupportsFloat | SupportsIndex = ...,
    ) -> SmoothFunction:
        """Makes `1 / x`, for x from `lower` to `upper`, both above 0."""

    @staticmethod
    def sigmoid(
        bound: SupportsFloat | SupportsIndex = 8.0, *, tolerance: SupportsFloat | SupportsIndex = ...
    ) -> SmoothFunction:
        """Makes `1 / (1 + exp(-x))`, for x from `-bound` to `bound`."""

    @property
    def slope(self, /) -> float:
        """The largest slope on the interval, the largest factor by which errors of inputs grow."""

    @staticmethod
    def square_root(
        lower: SupportsFloat | SupportsIndex,
        upper: SupportsFloat | SupportsIndex,
        *,
        tolerance: SupportsFloat | SupportsIndex = ...,
    ) -> SmoothFunction:
        """Makes the square root of x, for x from `lower` to `upper`, both above 0."""

    @staticmethod
    def tanh(
        bound: SupportsFloat | SupportsIndex = 4.0, *, tolerance: SupportsFloat | SupportsIndex = ...
    ) -> SmoothFunction:
        """Makes the hyperbolic tangent, for x from `-bound` to `bound`."""

@final
class Vector:
    """Encrypted real or complex numbers, one per slot, in the shape of the original array. Public: it may be sent, stored
    and pickled.

    Operators (`+ - *`) work within `with cryptable.ckks.computing(server):`.
    """

    __array_ufunc__: Final[tuple[()] | None]
    "\n    Tells numpy to leave operators to these.\n    "

    def __add__(self, other: object, /) -> Vector: ...
    def __bool__(self, /) -> bool: ...
    def __eq__(self, other: object, /) -> Any: ...
    def __ge__(self, other: object, /) -> Any: ...
    def __gt__(self, other: object, /) -> Any: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, other: object, /) -> Any: ...
    def __len__(self, /) -> int: ...
    def __lt__(self, other: object, /) -> Any: ...
    def __mul__(self, other: object, /) -> Vector: ...
    def __ne__(self, other: object, /) -> Any: ...
    def __neg__(self, /) -> Vector: ...
    def __radd__(self, other: object, /) -> Vector: ...
    def __repr__(self, /) -> str: ...
    def __rmul__(self, other: object, /) -> Vector: ...
    def __rsub__(self, other: object, /) -> Vector: ...
    def __sub__(self, other: object, /) -> Vector: ...
    def all_slots(self, /) -> Vector:
        """Returns all slots, in one dimension."""

    @property
    def bounds(self, /) -> tuple[float, float]:
        """Bounds on the absolute real and imaginary parts of slots."""

    @property
    def error(self, /) -> tuple[float, float]:
        """The error of slots: the standard deviation of noise, and the largest error that is not noise."""

    @staticmethod
    def from_bytes(bytes: bytes, parameters: Parameters) -> Vector:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @property
    def level(self, /) -> int:
        """Number of multiplications that are left."""

    @staticmethod
    def load(path: str | PathLike[str], parameters: Parameters) -> Vector:
        """Reads a file into an array of one dimension, since files have no shape."""

    @property
    def ndim(self, /) -> int:
        """The number of axes."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters."""

    def reshape(self, /, *shape: int | Sequence[int]) -> Vector:
        """Returns the same values in another shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library can read. An existing file is replaced only with
        `replace=True`.
        """

    @property
    def scale(self, /) -> float:
        """The scale by which slots are multiplied within the ciphertext."""

    @property
    def shape(self, /) -> tuple[int, ...]:
        """The shape of the encrypted array."""

    @property
    def size(self, /) -> int:
        """The number of values."""

    @property
    def slots(self, /) -> int:
        """Number of slots that it has."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

    def with_bounds(
        self, /, real: SupportsFloat | SupportsIndex, imaginary: SupportsFloat | SupportsIndex = 0.0
    ) -> Vector:
        """Returns the same vector with other bounds, which the caller knows to hold."""

def plan_lookups(
    function: int | SmoothFunction,
    *,
    first: SupportsFloat | SupportsIndex = 0.0,
    step: SupportsFloat | SupportsIndex = 1.0,
    order: SupportsIndex | None = None,
    precision_bits: SupportsFloat | SupportsIndex | None = None,
    complex: bool = False,
    values: SupportsIndex | None = None,
    levels: SupportsIndex = 0,
    log2_fail: SupportsFloat | SupportsIndex | None = None,
    memory: SupportsIndex | None = None,
    ring_degree: SupportsIndex | None = None,
) -> LookupPlan:
    """Finds parameters for tables of a number of points `first + m·step`, or for a smooth function."""

def restore_vector(parameters: bytes, bytes: bytes, shape: SupportsGetItem[int, SupportsIndex]) -> Vector:
    """Restores a pickled vector."""
