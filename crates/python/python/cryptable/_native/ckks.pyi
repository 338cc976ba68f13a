"""For `cryptable.ckks`."""

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
    """The server's key of vectors: computes on them, without the secret. Threads may share it."""

    def __repr__(self, /) -> str: ...
    def add(self, /, x: Vector, y: Vector | complex | npt.ArrayLike, *, threads: int = 0) -> Vector:
        """`x + y`: y is a vector, a number, or an array of the shape of x."""

    def bootstrap(self, /, x: Vector, *, threads: int = 0) -> Vector:
        """All levels back."""

    def conjugate(self, /, x: Vector, *, threads: int = 0) -> Vector:
        """Complex conjugates."""

    def from_packed(
        self, /, x: Ciphertext, table: SlotTable, packed: EvaluationKey2, shared: SharedSecret, *, threads: int = 0
    ) -> Vector:
        """The table's values of packed integers, in slots."""

    @property
    def has_bootstrapping(self, /) -> bool:
        """Whether there are keys to bootstrap."""

    @property
    def has_conjugation(self, /) -> bool:
        """Whether there are keys to conjugate."""

    @property
    def has_lookups(self, /) -> bool:
        """Whether there are keys of lookups."""

    def inner_sum(self, /, x: Vector, count: SupportsIndex, *, threads: int = 0) -> Vector:
        """In slot j the sum of `count` slots from j on, a power of two of them."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that it was made from."""

    def leveled_table(self, /, x: Vector, table: LeveledTable, *, threads: int = 0) -> Vector:
        """A table of few points, by levels and without a bootstrap."""

    def lookup(self, /, x: Vector, table: SlotTable | SmoothFunction, *, threads: int = 0) -> Vector:
        """The value of a table or of a smooth function in every slot, with levels back."""

    def lookup_many(
        self, /, x: Vector, tables: Sequence[SlotTable | SmoothFunction], *, threads: int = 0
    ) -> list[Vector]:
        """Several tables of the same points, or functions of one period, for less than as many lookups."""

    def lower(self, /, x: Vector, level: SupportsIndex, *, threads: int = 0) -> Vector:
        """Lowered to a level: less memory, and faster operations."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it takes."""

    def mul(self, /, x: Vector, y: Vector | complex | npt.ArrayLike, *, threads: int = 0) -> Vector:
        """`x * y`, as `add`: a level below, but for integers."""

    def negate(self, /, x: Vector, *, threads: int = 0) -> Vector:
        """`-x`."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False, automatic: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it. Processes that open the same file share its pages."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters."""

    def polynomial(self, /, x: Vector, polynomial: Polynomial, *, threads: int = 0) -> Vector:
        """A polynomial of every slot."""

    def prepare(self, /, map: LinearMap) -> PreparedMap:
        """Encodes a linear map once for any number of products."""

    def rotate(self, /, x: Vector, steps: SupportsIndex, *, threads: int = 0) -> Vector:
        """All slots rotated to the left: slot j gets what was in slot j + steps."""

    def sub(self, /, x: Vector, y: Vector | complex | npt.ArrayLike, *, threads: int = 0) -> Vector:
        """`x - y`, as `add`."""

    def to_packed(
        self, /, x: Vector, modulus: SupportsIndex, packed: EvaluationKey2, shared: SharedSecret, *, threads: int = 0
    ) -> Ciphertext:
        """Integers in slots as packed integers modulo `modulus`, in the order of `packed_index`."""

    def transform(self, /, x: Vector, map: PreparedMap, *, threads: int = 0) -> Vector:
        """The product of a linear map with slots, a level below that of the map."""

@final
class LeveledTable:
    """A table of few points that needs no bootstrap, but levels."""

    def __call__(self, /, x: SupportsFloat | SupportsIndex) -> float:
        """Evaluates the function in the clear."""

    def __new__(
        cls, /, values: npt.ArrayLike, points: npt.ArrayLike | None = None, *, order: SupportsIndex = 1
    ) -> LeveledTable:
        """Interpolates `values` at `points` (default: 0, 1, ...), where `order` derivatives vanish."""

    def __repr__(self, /) -> str: ...
    @property
    def levels(self, /) -> int:
        """Levels that it takes."""

@final
class LinearMap:
    """A square matrix, a power of two wide, that multiplies slots which repeat with the period of its width."""

    def __new__(cls, /, parameters: Parameters, matrix: npt.ArrayLike, level: SupportsIndex | None = None) -> LinearMap:
        """Creates the map from an array of rows, for vectors that are lowered to this level (default: that of fresh ones)."""

    @property
    def level(self, /) -> int:
        """The level that vectors are lowered to."""

@final
class LookupCandidate:
    """Parameters that serve lookups of slots, and what a lookup takes under them."""

    def __repr__(self, /) -> str: ...
    @property
    def level(self, /) -> int:
        """Levels of results."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that the error of any value of a ciphertext is larger."""

    @property
    def memory_bytes(self, /) -> int:
        """Memory that a lookup takes, keys included."""

    @property
    def order(self, /) -> int:
        """The order of interpolations that tables are to have; 0 for a smooth function."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters."""

    @property
    def precision_bits(self, /) -> float:
        """Bits that results are right to."""

    @property
    def seconds(self, /) -> float:
        """Predicted time of a lookup on one thread, in seconds."""

@final
class LookupPlan:
    """Parameters that serve lookups of slots, the fastest first. Prints as a table."""

    def __repr__(self, /) -> str: ...
    @property
    def best(self, /) -> LookupCandidate:
        """The fastest."""

    @property
    def candidates(self, /) -> list[LookupCandidate]:
        """All, the fastest first."""

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
        """The digest that names it in files."""

    @staticmethod
    def from_literal(literal: Mapping[str, Any], *, allow_insecure: bool = False) -> Parameters:
        """The set of a literal, validated: every number against its bounds, and the security and failures that it claims."""

    @property
    def is_bootstrappable(self, /) -> bool:
        """Whether there are bootstraps."""

    @property
    def levels(self, /) -> int:
        """Multiplications in a row, of fresh vectors."""

    @property
    def literal(self, /) -> dict[str, Any]:
        """All numbers that make the set, as a dictionary: what `json.dumps` writes, and `from_literal` reads."""

    @property
    def log2_fail_per_slot(self, /) -> float:
        """log2 of the probability per slot that a bootstrap goes wrong."""

    @staticmethod
    def named(name: str, *, slots: SupportsIndex | None = None) -> Parameters:
        """Returns a set by name: `leveled_128` (7 levels, no bootstrap), `bootstrapping_128`, `lookups_128`,
        `sparse_bootstrapping_128` with `slots` slots; or a set for tests, whose name begins with `insecure_toy`.
        """

    def packed_index(self, /, slot: SupportsIndex) -> int:
        """Where `EvaluationKey.to_packed` puts the integer of a slot."""

    def predict_lookup(self, /, vector: Vector, table: SlotTable | SmoothFunction) -> dict[str, Any]:
        """Predicts a lookup: levels of the result, standard deviation and bias of its error, the largest error of an
        input, as a part of half the distance of two points (or of a 64th of a smooth function's interval), and log2 of the
        probability that a slot fails.
        """

    @property
    def secrets(self, /) -> list[Secret]:
        """LWE problems on which the security of each secret rests."""

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical; 0 of toys."""

    @property
    def slots(self, /) -> int:
        """Numbers that a vector holds."""

@final
class Polynomial:
    """A polynomial of real slots within `[-interval, interval]`, maybe in place of another function."""

    def __call__(self, /, x: SupportsFloat | SupportsIndex) -> float:
        """Its value in the clear."""

    def __repr__(self, /) -> str: ...
    @staticmethod
    def chebyshev(coefficients: npt.ArrayLike, interval: SupportsFloat | SupportsIndex = 1.0) -> Polynomial:
        """The sum of `coefficients[k] * T_k(x / interval)`, T_k of Chebyshev."""

    @property
    def degree(self, /) -> int:
        """Its degree."""

    @staticmethod
    def interpolate(
        function: Callable[[float], float], degree: SupportsIndex, interval: SupportsFloat | SupportsIndex = 1.0
    ) -> Polynomial:
        """The polynomial of this degree that agrees with a function at Chebyshev's points. Its distance to the function goes
        into the errors that results state.
        """

    @property
    def levels(self, /) -> int:
        """Levels that it takes."""

    def max_error(self, /, function: Callable[[float], float]) -> float:
        """The largest distance to a function within the interval, at many points."""

    @staticmethod
    def monomial(coefficients: npt.ArrayLike, interval: SupportsFloat | SupportsIndex = 1.0) -> Polynomial:
        """The sum of `coefficients[k] * x**k`."""

@final
class PreparedMap:
    """A linear map, encoded for a key: made once, for any number of products."""

@final
class PublicKey:
    """A public key of vectors: anyone who has it encrypts numbers that only the secret key decrypts.

    `SecretKey.public_key` makes it. May be sent to anyone. Vectors have a larger error than those of the secret key, and state
    it.
    """

    def __repr__(self, /) -> str: ...
    def encrypt(self, /, values: npt.ArrayLike, *, bound: SupportsFloat | SupportsIndex = 1.0) -> Vector:
        """Encrypts numbers of any shape whose parts are at most `bound`; slots beyond them are 0."""

    @staticmethod
    def from_bytes(bytes: bytes, *, allow_insecure: bool = False) -> PublicKey:
        """Reads what `to_bytes` or a file holds."""

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
        """The key as bytes, as a file holds it."""

@final
class SecretKey:
    """The client's secret key of vectors: encrypts and decrypts, and makes the evaluation key that a server gets.

    Cleared from memory when it goes; never pickled. numpy arrays of values are the caller's.
    """

    def __repr__(self, /) -> str: ...
    def decrypt(
        self, /, vector: Vector, *, flooding: tuple[SupportsIndex, SupportsIndex] | None = None
    ) -> npt.NDArray[np.float64] | npt.NDArray[np.complex128]:
        """Decrypts: real numbers if bounds say that there are no others. Each part is rounded to what is sure.

        `flooding` is for results that others see: bits of security, and decryptions under this key.
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
        """The server's key, in memory."""

    @staticmethod
    def generate(parameters: Parameters) -> SecretKey:
        """Draws a fresh secret for parameters."""

    @property
    def id(self, /) -> str:
        """The identifier that this key, its evaluation keys and its ciphertexts share. Reveals nothing of the key."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKey:
        """Reads a key file."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters."""

    def public_key(self, /) -> PublicKey:
        """Generates a public key, with which anyone encrypts vectors for this key."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that its owner alone may read. An existing one is replaced only if told so: what it
        encrypted is lost then.
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
        """The word for servers that a key of packed integers has the same secret."""

    @staticmethod
    def sharing(parameters: Parameters, packed: SecretKey2) -> SecretKey:
        """A key of the secret of packed integers, so that servers convert between the two."""

@final
class SharedSecret:
    """A client's word to servers that its keys of vectors and of packed integers are of one secret."""

    def __new__(
        cls, /, vectors: SupportsLenAndGetItem[SupportsIndex], packed: SupportsLenAndGetItem[SupportsIndex]
    ) -> SharedSecret:
        """Creates the statement from the identifiers of both keys."""

@final
class SlotTable:
    """A table of real slots that hold points `first + m * step`, discontinuous as it may be."""

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
        """`values[m]` at `first + m * step`, by interpolation of order 1 to 3."""

    def __repr__(self, /) -> str: ...
    def largest_deviation(self, /, error: SupportsFloat | SupportsIndex) -> float:
        """How far outputs are off at most where inputs are off by `error`."""

    @property
    def levels(self, /) -> int:
        """Levels between the exponential and the result."""

    @property
    def points(self, /) -> tuple[list[float], float]:
        """The points, and the distance of two before they repeat."""

@final
class SmoothFunction:
    """A smooth function of the numbers of an interval, evaluated by `EvaluationKey.lookup` in the bootstrap: a trigonometric
    series of a longer period that is within `tolerance`. Numbers outside the interval give the series' values there.
    """

    def __call__(self, /, x: SupportsFloat | SupportsIndex) -> float:
        """The series' value in the clear."""

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
        """`exp(x)`, for x from `lower` to `upper`."""

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
        """x times the normal distribution, for x from `-bound` to `bound`."""

    @property
    def interval(self, /) -> tuple[float, float]:
        """The ends of the interval."""

    @property
    def levels(self, /) -> int:
        """Levels between the exponential and the result."""

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
        """`1 / x`, for x from `lower` to `upper`, both above 0."""

    @staticmethod
    def sigmoid(
        bound: SupportsFloat | SupportsIndex = 8.0, *, tolerance: SupportsFloat | SupportsIndex = ...
    ) -> SmoothFunction:
        """`1 / (1 + exp(-x))`, for x from `-bound` to `bound`."""

    @property
    def slope(self, /) -> float:
        """The largest slope on the interval, by which errors of inputs are multiplied at most."""

    @staticmethod
    def square_root(
        lower: SupportsFloat | SupportsIndex,
        upper: SupportsFloat | SupportsIndex,
        *,
        tolerance: SupportsFloat | SupportsIndex = ...,
    ) -> SmoothFunction:
        """The square root of x, for x from `lower` to `upper`, both above 0."""

    @staticmethod
    def tanh(
        bound: SupportsFloat | SupportsIndex = 4.0, *, tolerance: SupportsFloat | SupportsIndex = ...
    ) -> SmoothFunction:
        """The hyperbolic tangent, for x from `-bound` to `bound`."""

@final
class Vector:
    """Encrypted real or complex numbers, one per slot, in the shape of the original array. Public: it may be sent, stored
    and pickled.

    Operators (`+ - *`) work within `with cryptable.ckks.computing(server):`.
    """

    __array_ufunc__: Final[tuple[()] | None]
    "\n    numpy is to leave operators to these.\n    "

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
        """All slots, in one dimension."""

    @property
    def bounds(self, /) -> tuple[float, float]:
        """Bounds on the absolute real and imaginary parts of slots."""

    @property
    def error(self, /) -> tuple[float, float]:
        """How far slots are from what they stand for: the standard deviation of noise, and the largest error that is no noise."""

    @staticmethod
    def from_bytes(bytes: bytes, parameters: Parameters) -> Vector:
        """Reads the bytes of a file. An array has one dimension then: files have no shape."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @property
    def level(self, /) -> int:
        """Multiplications that are left."""

    @staticmethod
    def load(path: str | PathLike[str], parameters: Parameters) -> Vector:
        """Reads a file. An array has one dimension then: files have no shape."""

    @property
    def ndim(self, /) -> int:
        """The number of its axes."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters."""

    def reshape(self, /, *shape: int | Sequence[int]) -> Vector:
        """Returns the same values in another shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library reads. An existing one is replaced only if told so."""

    @property
    def scale(self, /) -> float:
        """Factor of the slots within the ciphertext."""

    @property
    def shape(self, /) -> tuple[int, ...]:
        """The shape of the encrypted array."""

    @property
    def size(self, /) -> int:
        """The number of values."""

    @property
    def slots(self, /) -> int:
        """Numbers that it holds."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as a file has them."""

    def with_bounds(
        self, /, real: SupportsFloat | SupportsIndex, imaginary: SupportsFloat | SupportsIndex = 0.0
    ) -> Vector:
        """The same with other bounds, which its owner knows to hold."""

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
