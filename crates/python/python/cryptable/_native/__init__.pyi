"""
The compiled half of `cryptable`. Import `cryptable` instead.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Final, Literal, SupportsFloat, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from _typeshed import SupportsGetItem

from ..progress import Progress
from ..tables import Engine, Entries, Signs, TableLike
from . import bits as bits
from . import booleans as booleans
from . import bridges as bridges
from . import circuits as circuits
from . import ckks as ckks
from . import integers as integers
from . import large_values as large_values
from . import transciphering as transciphering
from . import wide as wide
from .integers import IntegerPlan
from .wide import WidePlan

__all__ = [
    "Automaton",
    "Canaries",
    "Candidate",
    "Ciphertext",
    "CiphertextReader",
    "CiphertextWriter",
    "ComparisonPlan",
    "ComplexTable",
    "CostModel",
    "Digits",
    "EncryptedTable",
    "EvaluationKey",
    "ListedParameters",
    "Parameters",
    "Plan",
    "Prediction",
    "PreparedComplexTable",
    "PreparedTable",
    "PublicKey",
    "RekeyingKey",
    "Secret",
    "SecretKey",
    "SumLimits",
    "Table",
    "__version__",
    "bfloat16_table",
    "bits",
    "booleans",
    "bridges",
    "circuits",
    "ckks",
    "compare",
    "gelu",
    "inspect",
    "integers",
    "large_values",
    "list_parameters",
    "modulus_for",
    "plan",
    "plan_comparisons",
    "real_table",
    "transciphering",
    "wide",
    "write_file",
]
__version__: Final[str]

@final
class Automaton:
    """
    Reads words of encrypted values symbol by symbol: counts patterns in texts, checks formats, compares long numbers.

    `next[s][x]` is the state that follows state s on symbol x, and `weights[s][x]`, 0 by default, is added to the weight of
    the word; `final_weights[s]` is added where a word ends in s. Words begin in state 0. `EvaluationKey.run_automaton` gives
    a table's entry at the weight of each word.

        >>> import cryptable
        >>> text = list(b"bananaspapayas")
        >>> secret = cryptable.SecretKey.generate(cryptable.plan(moduli=(256, 16), word_length=7))
        >>> words = secret.encrypt([text[:7], text[7:]])
        >>> automaton = cryptable.Automaton.occurrences(list(b"ana"), 256)
        >>> secret.decrypt(secret.evaluation_key().run_automaton(automaton, words)).tolist()
        [2, 0]
    """

    def __new__(
        cls, /, next: npt.ArrayLike, weights: npt.ArrayLike | None = None, final_weights: npt.ArrayLike | None = None
    ) -> Automaton: ...
    def __repr__(self, /) -> str: ...
    @property
    def final_weights(self, /) -> npt.NDArray[np.integer[Any]]:
        """
        The weights that are added where a word ends, one per state.
        """

    def largest_weight(self, /, length: SupportsIndex) -> int:
        """
        The largest weight of any word of a length: tables of weights have an entry more.
        """

    @property
    def next(self, /) -> npt.NDArray[np.integer[Any]]:
        """
        The states that follow, a row per state with a column per symbol.
        """

    @staticmethod
    def occurrences(pattern: npt.ArrayLike, symbols: SupportsIndex) -> Automaton:
        """
        The automaton that counts where a pattern of symbols occurs, occurrences that overlap included.
        """

    @property
    def symbols(self, /) -> int:
        """
        The number of symbols: values of words are below it.
        """

    def weight(self, /, word: npt.ArrayLike) -> int:
        """
        The weight of a word in the clear.
        """

    @property
    def weights(self, /) -> npt.NDArray[np.integer[Any]]:
        """
        The weights that are added, a row per state with a column per symbol.
        """

@final
class Canaries:
    """
    The secret places and inputs of canaries in a ciphertext, of `SecretKey.encrypt_with_canaries`.

    A server that answers wrong in w of n places, chosen without knowing the c canaries, is missed with probability
    C(n - w, c)/C(n, c), `missed_probability(w)`. Canaries find servers that are wrong in a fraction of all places, not those
    that are wrong in a few; the book's page on checked results says what else they leave open.

        >>> import cryptable
        >>> secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
        >>> squares = [x * x % 16 for x in range(16)]
        >>> encrypted, canaries = secret.encrypt_with_canaries([3, 1, 4], 20)
        >>> result = secret.evaluation_key().lookup(encrypted, squares)
        >>> secret.decrypt_checked(result, canaries, squares).tolist()
        [9, 1, 0]
    """

    def __repr__(self, /) -> str: ...
    @property
    def count(self, /) -> int:
        """
        The number of canaries.
        """

    @property
    def id(self, /) -> str:
        """
        An identifier drawn for these canaries. Reveals nothing of them.
        """

    @property
    def key_id(self, /) -> str:
        """
        The identifier of the secret key that encrypted them.
        """

    @staticmethod
    def load(path: str | PathLike[str], secret: SecretKey) -> Canaries:
        """
        Reads canaries of this secret key from a file, as `save` and `cryptable encrypt --canaries` write it.
        """

    def missed_probability(self, /, wrong: SupportsIndex) -> float:
        """
        The probability that a server is missed that answers wrong in `wrong` places.
        """

    @staticmethod
    def needed(places: SupportsIndex, wrong: SupportsIndex, limit: SupportsFloat | SupportsIndex) -> int | None:
        """
        The least number of canaries among `places` places by which a server that is wrong in `wrong` of them is missed with a
        probability of at most `limit`; `None` if no number does that.
        """

    @property
    def places(self, /) -> int:
        """
        The number of values of the ciphertext, canaries included.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """
        Writes the canaries to a file that its owner alone may read. Their values decrypt to one dimension then.
        """

@final
class Candidate:
    """
    One way to look a table up.
    """

    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    @property
    def ciphertext_bytes(self, /) -> int:
        """
        Bytes of one fresh ciphertext.
        """

    @property
    def engine(self, /) -> str:
        """
        How values are encrypted: `packed`, `single` or `leveled`.
        """

    @property
    def input_modulus(self, /) -> int:
        """
        Inputs are below this modulus.
        """

    @property
    def key_file_bytes(self, /) -> int:
        """
        Bytes of the file of the evaluation key.
        """

    @property
    def log2_fail(self, /) -> float:
        """
        log2 of the probability that any value of a ciphertext comes out wrong.
        """

    @property
    def memory_bytes(self, /) -> int:
        """
        Predicted memory of a lookup at its peak, keys included.
        """

    @property
    def method(self, /) -> str:
        """
        How tables are evaluated.
        """

    @property
    def output_modulus(self, /) -> int:
        """
        Outputs are below this modulus.
        """

    @property
    def parameters(self, /) -> Parameters:
        """
        The parameters.
        """

    @property
    def prediction(self, /) -> Prediction:
        """
        Predicted costs of a lookup: memory, bytes of keys and ciphertexts, seconds for any number of values.
        """

    @property
    def seconds(self, /) -> float:
        """
        Predicted time of a lookup of all values, in seconds.
        """

    @property
    def security_bits(self, /) -> float:
        """
        Security in bits, classical.
        """

    @property
    def values_per_ciphertext(self, /) -> int:
        """
        Values that one ciphertext holds.
        """

@final
class Ciphertext:
    """
    Encrypted integers, in the shape of the array that they were. Public: it may be sent, stored and pickled.

    `shape`, `ndim`, `size`, `len` and `reshape` are numpy's. So are indexing and iteration: `x[2:5]`, `x[-1]`, `x[mask]`. Packed
    values lie together in ciphertexts, which an index takes whole or not at all. `==` is refused: a lookup compares with a
    number, `cryptable.comparisons` and `cryptable.integers` compare two. The shape is no part of the file format:
    `Ciphertext.load` gives one dimension. `+ - *` work within `with cryptable.computing(server):`.
    """

    __array_ufunc__: Final[tuple[()] | None]
    "\n    numpy is to leave operators to these.\n    "

    def __add__(self, other: object, /) -> Ciphertext: ...
    def __bool__(self, /) -> bool: ...
    def __eq__(self, other: object, /) -> Any: ...
    def __ge__(self, other: object, /) -> Any: ...
    def __getitem__(self, key: Any, /) -> Ciphertext:
        """
        Returns some of the values, as numpy would.
        """

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
        """
        The same values, read as signed or unsigned ones, such as a difference of unsigned values.
        """

    @property
    def engine(self, /) -> str:
        """
        Which engine it is of.
        """

    @staticmethod
    def from_bytes(bytes: bytes) -> Ciphertext:
        """
        Reads the bytes of a file. An array has one dimension then: files have no shape.
        """

    @property
    def is_fresh(self, /) -> bool:
        """
        Whether nothing was computed on it yet.
        """

    @staticmethod
    def join(parts: SupportsGetItem[int, Ciphertext]) -> Ciphertext:
        """
        Values of several ciphertexts, one after another, in one dimension.
        """

    @property
    def key_id(self, /) -> str:
        """
        The identifier of the secret key that decrypts it.
        """

    @staticmethod
    def load(path: str | PathLike[str]) -> Ciphertext:
        """
        Reads a file. An array has one dimension then: files have no shape.
        """

    @property
    def modulus(self, /) -> int:
        """
        Values are below this modulus.
        """

    @property
    def ndim(self, /) -> int:
        """
        The number of its axes.
        """

    @property
    def noise(self, /) -> tuple[float, float] | None:
        """
        A bound on its noise, as it states itself: standard deviation and bias, fractions of the modulus of ciphertexts.
        `None` where there are no sums, which need it.
        """

    @property
    def parameter_digest(self, /) -> str:
        """
        The digest of its parameters: `Parameters.digest`.
        """

    def parts(self, /) -> list[Ciphertext]:
        """
        Its parts one by one, as many values each as the engine encrypts together: what `join` joins.
        """

    def reshape(self, /, *shape: int | Sequence[int]) -> Ciphertext:
        """
        Returns the same values in another shape.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """
        Writes a file that every program of this library reads. An existing one is replaced only if told so.
        """

    @property
    def shape(self, /) -> tuple[int, ...]:
        """
        The shape of the encrypted array.
        """

    @property
    def signed(self, /) -> bool:
        """
        Whether its values are signed: from -M/2 to M/2 - 1, M their modulus. Encryption says so, or the table of a lookup.
        """

    @property
    def size(self, /) -> int:
        """
        The number of values.
        """

    def to_bytes(self, /) -> bytes:
        """
        Returns its bytes, as a file has them.
        """

@final
class CiphertextReader:
    """
    Reads a file of ciphertexts one after another, in the memory of one; all of it is checked first. Iterates over
    ciphertexts of one dimension.
    """

    def __enter__(self, /) -> CiphertextReader: ...
    def __exit__(self, /, *_error: object) -> None:
        """
        Nothing is left to do: files are closed with their readers.
        """

    def __iter__(self, /) -> CiphertextReader: ...
    def __len__(self, /) -> int:
        """
        The number of ciphertexts.
        """

    def __new__(cls, /, path: str | PathLike[str]) -> CiphertextReader:
        """
        Opens a file and checks all of it.
        """

    def __next__(self, /) -> Ciphertext: ...
    def __repr__(self, /) -> str: ...
    @property
    def digest(self, /) -> str:
        """
        The digest of the file.
        """

    @property
    def engine(self, /) -> str:
        """
        Which engine it is of.
        """

    @property
    def key_id(self, /) -> str:
        """
        The identifier of the secret key that decrypts it.
        """

    @property
    def modulus(self, /) -> int:
        """
        Values are below this modulus.
        """

    @property
    def parameter_digest(self, /) -> str:
        """
        The digest of the parameters.
        """

    @property
    def size(self, /) -> int:
        """
        The number of values of the file.
        """

@final
class CiphertextWriter:
    """
    Writes a file of ciphertexts one after another, of any number, in the memory of one. It appears when it is whole: at
    `close`, or at the end of a `with` block, but not if that ends by an exception.
    """

    def __enter__(self, /) -> CiphertextWriter: ...
    def __exit__(self, /, kind: type[BaseException] | None, *_error: object) -> None: ...
    def __new__(cls, /, path: str | PathLike[str], *, replace: bool = False) -> CiphertextWriter:
        """
        A writer of a new file; an existing one is replaced only if told so.
        """

    def __repr__(self, /) -> str: ...
    def close(self, /) -> None:
        """
        Completes the file.
        """

    def write(self, /, ciphertext: Ciphertext) -> None:
        """
        Appends the values of a ciphertext: of the same key, engine and modulus as the first.
        """

@final
class ComparisonPlan:
    """
    Predicted costs of comparisons of integers. Prints as a list.
    """

    def __repr__(self, /) -> str: ...
    @property
    def bits(self, /) -> int:
        """
        Bits of the integers.
        """

    @property
    def digit_sizes(self, /) -> list[int]:
        """
        Sizes of the digits of values, the least significant first; one bit of the last is headroom.
        """

    @property
    def key_file_bytes(self, /) -> int:
        """
        Bytes of the file of the evaluation key.
        """

    @property
    def memory_bytes(self, /) -> int:
        """
        Predicted memory at its peak, keys included.
        """

    @property
    def operations(self, /) -> list[tuple[str, float, float]]:
        """
        For each operation its name, predicted seconds for a full ciphertext, and log2 of the probability that any of
        its integers comes out wrong.
        """

@final
class ComplexTable:
    """
    A table of complex outputs: both parts in fixed point.
    """

    def __len__(self, /) -> int: ...
    def __new__(cls, /, outputs: npt.ArrayLike, output_modulus: SupportsIndex) -> ComplexTable:
        """
        Outputs for the inputs 0, 1, ..., whose parts are from -1/2 to below 1/2, rounded to multiples of one over the output
        modulus.
        """

    def __repr__(self, /) -> str: ...
    @property
    def input_modulus(self, /) -> int:
        """
        The number of inputs.
        """

    @property
    def output_modulus(self, /) -> int:
        """
        Denominator of both parts.
        """

    @property
    def outputs(self, /) -> npt.NDArray[np.complex128]:
        """
        The outputs as they were rounded.
        """

@final
class CostModel:
    """
    Seconds of each kind of work on one thread of a machine: what plans turn counts of operations into times by.
    """

    def __repr__(self, /) -> str: ...
    @staticmethod
    def calibrated() -> CostModel:
        """
        Returns the model of this machine, which is measured once and kept: the default of plans.
        """

    @property
    def fields(self, /) -> dict[str, float]:
        """
        Seconds of each kind of work, by name.
        """

    @staticmethod
    def measure() -> CostModel:
        """
        Measures this machine anew: a second or two.
        """

    @staticmethod
    def of_unit(seconds: SupportsFloat | SupportsIndex) -> CostModel:
        """
        Returns the built-in proportions for a machine whose unit, a forward transform of degree 65,536, takes this many
        seconds.
        """

    @property
    def unit(self, /) -> float:
        """
        The unit u in seconds.
        """

@final
class Digits:
    """
    Encrypted integers in digits: what maximum, ReLU and their like give.
    """

    def __bool__(self, /) -> bool: ...
    def __eq__(self, other: object, /) -> Any: ...
    def __ge__(self, other: object, /) -> Any: ...
    def __gt__(self, other: object, /) -> Any: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, other: object, /) -> Any: ...
    def __len__(self, /) -> int: ...
    def __lt__(self, other: object, /) -> Any: ...
    def __ne__(self, other: object, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @property
    def digits(self, /) -> list[Ciphertext]:
        """
        The digits, the least significant first, to be looked up or added.
        """

    @staticmethod
    def from_bytes(bytes: bytes, parameters: Parameters) -> Digits:
        """
        Reads the bytes of a file. An array has one dimension then: files have no shape.
        """

    @staticmethod
    def load(path: str | PathLike[str], parameters: Parameters) -> Digits:
        """
        Reads a file. An array has one dimension then: files have no shape.
        """

    @property
    def modulus(self, /) -> int:
        """
        Integers are below this modulus.
        """

    @property
    def ndim(self, /) -> int:
        """
        The number of its axes.
        """

    @staticmethod
    def of(parameters: Parameters, digits: SupportsGetItem[int, Ciphertext]) -> Digits:
        """
        Digits that came one by one, as results under these parameters have them.
        """

    def reshape(self, /, *shape: int | Sequence[int]) -> Digits:
        """
        Returns the same values in another shape.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """
        Writes a file that every program of this library reads. An existing one is replaced only if told so.
        """

    @property
    def shape(self, /) -> tuple[int, ...]:
        """
        The shape of the encrypted array.
        """

    @property
    def signed(self, /) -> bool:
        """
        Whether the integers are signed.
        """

    @property
    def size(self, /) -> int:
        """
        The number of values.
        """

    @property
    def sizes(self, /) -> list[int]:
        """
        Sizes of the digits: integers are the sum of digits times the product of the sizes before.
        """

    def to_bytes(self, /) -> bytes:
        """
        Returns its bytes, as a file has them.
        """

@final
class EncryptedTable:
    """
    Tables that the server looks up without reading them: one for all values, or one for each. Public.
    """

    def __repr__(self, /) -> str: ...
    @property
    def count(self, /) -> int | None:
        """
        How many there are; none if one serves all values.
        """

    @property
    def key_id(self, /) -> str:
        """
        The identifier of the secret key that they are encrypted under.
        """

    @property
    def memory_bytes(self, /) -> int:
        """
        Bytes of memory that they take, or of the file that they lie in.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """
        Writes a file, for `EvaluationKey.open_encrypted_table`. An existing one is replaced only if told so.
        """

@final
class EvaluationKey:
    """
    The server's key: maps encrypted values through tables, without the secret. Threads may share it.

        >>> import cryptable
        >>> secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)    # for use: of a plan
        >>> server = secret.evaluation_key()
        >>> squares = server.lookup(secret.encrypt([1, 2, 3]), lambda x: x * x % 16)
        >>> secret.decrypt(squares).tolist()
        [1, 4, 9]

    Sums need no lookup: `add`, `sub`, `mul_scalar`, or operators within `with cryptable.computing(server):`. Operands have one
    shape: nothing is broadcast.

    Calls that take long have `threads`, all of the machine's if 0, and `progress`: `True` for a bar (by tqdm, from a second
    on), `False` for none, or a callback of steps done and steps in all. `signed` says whether inputs and outputs of a table are from
    -P/2 to P/2 - 1, P the modulus of each, or one of both: `"inputs"`, `"outputs"`. By default lookups take what is no `Table` yet
    for signed if the values are; a table for others is a `MismatchError`.
    """

    def __repr__(self, /) -> str: ...
    def add(self, /, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """
        `x + y` modulo the modulus of the values, value by value, without a lookup.
        """

    def add_plain(self, /, x: Ciphertext, constants: npt.ArrayLike, *, signed: bool | None = None) -> Ciphertext:
        """
        `x + constants`, in the clear: an integer for each value, or one for all; signed if `x` is, or as `signed` says.
        """

    def chain_pieces(self, /, states: SupportsIndex) -> list[int]:
        """
        Sizes of the pieces of values that an automaton of `states` states reads in `lookup_chain`, the least significant first.
        """

    def compress(self, /, results: Ciphertext) -> Ciphertext:
        """
        Compresses packed or leveled results for their way to the client; they can be decrypted and nothing else.
        """

    def decompose(
        self,
        /,
        input: Ciphertext,
        tables: Sequence[Sequence[TableLike]] | None = None,
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> list[list[Ciphertext]]:
        """
        Decomposes every value into digits and maps each through tables, by functional digit decomposition: for each digit,
        the least significant first, the results of its tables, which are what `cryptable.table` makes one of. Without tables,
        the digits themselves.
        """

    @property
    def digit_sizes(self, /) -> list[int]:
        """
        Sizes of the digits that `decompose` gives, the least significant first.
        """

    @property
    def engine(self, /) -> str:
        """
        Which engine it is of.
        """

    def floor(
        self, /, input: Ciphertext, digits: SupportsIndex = 1, *, threads: int = 0, progress: Progress | None = True
    ) -> Ciphertext:
        """
        Returns the values without their lowest `digits` digits, rounded down.
        """

    @property
    def input_modulus(self, /) -> int:
        """
        Inputs are below this modulus.
        """

    @property
    def key_id(self, /) -> str:
        """
        The identifier of the secret key that it was made from.
        """

    def lookup(
        self,
        /,
        input: Ciphertext,
        table: TableLike | PreparedTable,
        *,
        signed: Signs | None = None,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> Ciphertext:
        """
        Maps every value through a table: a prepared one, a `Table`, or what `cryptable.table` makes one of (an array, a
        dictionary, a function). The result has the shape of the input.
        """

    def lookup_chain(
        self,
        /,
        input: Ciphertext,
        states: SupportsIndex,
        tables: Sequence[TableLike],
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> Ciphertext:
        """
        Runs an automaton over the pieces of every value, the least significant first, from state 0 on: table i maps
        `s + states * d`, s a state and d piece i, to the next state, the last one to the result. `chain_pieces` has the sizes
        of pieces.
        """

    def lookup_complex(
        self,
        /,
        input: Ciphertext,
        table: ComplexTable | PreparedComplexTable,
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> Ciphertext:
        """
        Maps every value through a complex table, prepared or not: with keys of a plan of `complex_outputs=True`. The result has
        a last axis of two, the parts; `SecretKey.decrypt_complex` joins them.
        """

    def lookup_digit(
        self,
        /,
        digit: Ciphertext,
        tables: Sequence[TableLike | PreparedTable],
        *,
        signed: Signs | None = None,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> list[Ciphertext]:
        """
        Maps a digit, which `decompose` gave or which is one of `comparisons.Digits`, through tables.
        """

    def lookup_digits(
        self,
        /,
        inputs: SupportsGetItem[int, Ciphertext],
        tables: Sequence[TableLike | PreparedTable],
        *,
        signed: Signs | None = None,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> list[Ciphertext]:
        """
        Maps values that come in several ciphertexts (`SecretKey.encrypt_digits`), the least significant digits first, through
        tables of all of them together.
        """

    def lookup_encrypted(
        self,
        /,
        input: Ciphertext,
        table: EncryptedTable,
        *,
        signed: Signs | None = None,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> Ciphertext:
        """
        Maps every value through a table that the client encrypted: with keys of a plan of `entries="encrypted"`. What the table
        was encrypted with as `signed` is to be said here, too, unless it is as the values are.
        """

    def lookup_many(
        self,
        /,
        input: Ciphertext,
        tables: Sequence[TableLike | PreparedTable],
        *,
        signed: Signs | None = None,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> list[Ciphertext]:
        """
        Maps every value through each of several tables, for less than as many lookups.
        """

    def lookup_per_value(
        self,
        /,
        input: Ciphertext,
        tables: npt.ArrayLike,
        *,
        signed: Signs | None = None,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> Ciphertext:
        """
        Maps every value through a table of its own: an array of the shape of the values and, along a last axis, the outputs
        of all inputs. With keys of a plan of `entries="per-value"`.
        """

    def lookup_per_value_digits(
        self,
        /,
        inputs: SupportsGetItem[int, Ciphertext],
        tables: npt.ArrayLike,
        *,
        signed: Signs | None = None,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> Ciphertext:
        """
        Maps values that come in several ciphertexts (`SecretKey.encrypt_digits`), the least significant digits first, each
        through a table of its own: tables of several variables, in the shape that `lookup_per_value` takes.
        """

    @property
    def memory_bytes(self, /) -> int:
        """
        Bytes of memory that it takes.
        """

    def mul_scalar(self, /, x: Ciphertext, factor: SupportsIndex) -> Ciphertext:
        """
        `factor * x` modulo the modulus of the values.
        """

    def negate(self, /, x: Ciphertext) -> Ciphertext:
        """
        `-x` modulo the modulus of the values.
        """

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKey:
        """
        Maps a key file into memory and checks all of it. Processes that open the same file share its pages.
        """

    def open_encrypted_table(self, /, path: str | PathLike[str]) -> EncryptedTable:
        """
        Maps a file of `SecretKey.save_encrypted_table` into memory and checks all of it.
        """

    @property
    def output_modulus(self, /) -> int:
        """
        Outputs are below this modulus.
        """

    def pack(self, /, values: Ciphertext) -> Ciphertext:
        """
        Packs single values, so that many are looked up at once.
        """

    @property
    def parameters(self, /) -> Parameters:
        """
        Its parameters.
        """

    def prepare(self, /, table: TableLike, *, signed: Signs | None = None) -> PreparedTable:
        """
        Encodes a table once for any number of lookups: a `Table`, or what `cryptable.table` makes one of.
        """

    def prepare_complex(self, /, table: ComplexTable) -> PreparedComplexTable:
        """
        Encodes a complex table once for any number of lookups.
        """

    def run_automaton(
        self,
        /,
        automaton: Automaton,
        words: Ciphertext,
        outputs: TableLike | None = None,
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> Ciphertext:
        """
        Runs an automaton on words, each along the last axis of the values, and gives a value for each: the entry of `outputs`
        at the word's weight, or the weight itself. With keys of a plan of `word_length`.
        """

    def sub(self, /, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """
        `x - y` modulo the modulus of the values, value by value, without a lookup.
        """

    def unpack(self, /, values: Ciphertext) -> Ciphertext:
        """
        Takes packed values out as single ones.
        """

@final
class ListedParameters:
    """
    A parameter set of the list.
    """

    def __repr__(self, /) -> str: ...
    @property
    def log2_fail(self, /) -> float | None:
        """
        log2 of the probability that a value, a gate, a bit, or a block of AES goes wrong; `None` where it depends on the
        circuit.
        """

    @property
    def name(self, /) -> str:
        """
        Purpose of the set.
        """

    @property
    def secrets(self, /) -> list[Secret]:
        """
        LWE problems on which the security of each secret rests.
        """

    @property
    def security_bits(self, /) -> float:
        """
        Security in bits, classical, of the weakest secret.
        """

@final
class Parameters:
    """
    A validated parameter set of any engine: what keys are generated for.
    """

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    @property
    def digest(self, /) -> str:
        """
        The digest that names them in ciphertexts.
        """

    @property
    def digit_sizes(self, /) -> list[int]:
        """
        Sizes of the digits that values are decomposed into, the least significant first: of packed values.
        """

    @property
    def engine(self, /) -> str:
        """
        Which engine they are of.
        """

    @staticmethod
    def from_bytes(engine: str, bytes: bytes, *, allow_insecure: bool = False) -> Parameters:
        """
        Reads what `to_bytes` wrote, of parameters of this engine, and validates it.
        """

    @staticmethod
    def from_literal(engine: str, literal: Mapping[str, Any], *, allow_insecure: bool = False) -> Parameters:
        """
        The set of a literal of this engine, validated: every number against its bounds, the security that it claims, and its
        failures.
        """

    @property
    def input_modulus(self, /) -> int:
        """
        Inputs are below this modulus.
        """

    @staticmethod
    def insecure_toy(
        engine: Engine,
        input_modulus: SupportsIndex,
        output_modulus: SupportsIndex,
        *,
        entries: Entries = "shared",
        complex_outputs: bool = False,
        digits: SupportsGetItem[int, SupportsIndex] | None = None,
        bridged: bool = False,
    ) -> Parameters:
        """
        Toys, for tests: no security at all. With `entries`, for tables of their own for every value or encrypted ones; with
        `complex_outputs`, for complex tables; with `digits`, of a multiplexer tree of such digits; with `bridged`, of single
        values that the server may pack.
        """

    @property
    def is_insecure(self, /) -> bool:
        """
        Whether they are toys, for tests.
        """

    @property
    def literal(self, /) -> dict[str, Any]:
        """
        All numbers that make the set, as a dictionary: what `json.dumps` writes, and `from_literal` reads.
        """

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> Parameters:
        """
        Reads a file of parameters of lookups, as `save` and `cryptable plan --output` write it, and validates them.
        """

    @property
    def log2_fail(self, /) -> float:
        """
        log2 of the probability that any value of a ciphertext comes out wrong of a lookup.
        """

    @property
    def log2_fail_per_value(self, /) -> float:
        """
        log2 of the probability that one value does.
        """

    @property
    def method(self, /) -> str:
        """
        How tables are evaluated.
        """

    @property
    def output_modulus(self, /) -> int:
        """
        Outputs are below this modulus.
        """

    def prediction(
        self, /, *, values: SupportsIndex = 1, tables: SupportsIndex = 1, entries: Entries = "shared"
    ) -> Prediction:
        """
        Predicts a lookup of `values` values in `tables` tables.
        """

    @property
    def ring_degree(self, /) -> int:
        """
        The ring degree.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """
        Writes a file of the parameters, which `cryptable keygen --plan` takes, too.
        """

    @property
    def secrets(self, /) -> list[Secret]:
        """
        LWE problems on which the security of each secret rests.
        """

    @property
    def security_bits(self, /) -> float:
        """
        Security in bits, classical, of the weakest secret; 0 of toys.
        """

    @property
    def sum_limits(self, /) -> SumLimits | None:
        """
        How many terms sums may have; `None` where there are no sums.
        """

    def to_bytes(self, /) -> bytes:
        """
        Canonical bytes.
        """

    @property
    def values_per_ciphertext(self, /) -> int:
        """
        Values that one ciphertext holds.
        """

@final
class Plan:
    """
    All ways to look a table up, the best first. Prints as a table.
    """

    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    def _repr_html_(self, /) -> str:
        """
        The comparison, for notebooks.
        """

    @property
    def best(self, /) -> Candidate:
        """
        The best way, for `SecretKey.generate`.
        """

    def best_of(self, /, engine: Engine) -> Candidate | None:
        """
        The best way of an engine, if it has one.
        """

    @property
    def candidates(self, /) -> list[Candidate]:
        """
        All ways, the best first.
        """

    @property
    def cost_model(self, /) -> CostModel:
        """
        Cost model of the predicted times.
        """

    @property
    def crossing(self, /) -> int | None:
        """
        From how many values on the server had better pack single ones, of a plan of `inputs="single"`.
        """

    @property
    def fastest_per_method(self, /) -> list[Candidate]:
        """
        The fastest parameters of the three fastest methods of each engine: those that a plan prints.
        """

    @property
    def refusals(self, /) -> list[tuple[str, str]]:
        """
        Engines that have no parameters for the request, and why.
        """

    @property
    def threads(self, /) -> int:
        """
        Threads that times are predicted for.
        """

    @property
    def values(self, /) -> int:
        """
        Values that times are predicted for.
        """

    @property
    def values_assumed(self, /) -> bool:
        """
        Whether nobody stated that number.
        """

@final
class Prediction:
    """
    Predicted costs of a lookup.
    """

    def __repr__(self, /) -> str: ...
    @property
    def ciphertext_bytes(self, /) -> int:
        """
        Bytes of a fresh ciphertext.
        """

    @property
    def key_file_bytes(self, /) -> int:
        """
        Bytes of the evaluation key in its file.
        """

    @property
    def key_memory_bytes(self, /) -> int:
        """
        Bytes of the evaluation key in memory.
        """

    @property
    def parallelism(self, /) -> int:
        """
        Threads that one ciphertext keeps busy.
        """

    def peak_bytes(self, /, threads: int = 2) -> int:
        """
        Memory at its peak, keys included.
        """

    @property
    def result_bytes(self, /) -> int:
        """
        Bytes of a result.
        """

    def seconds(self, /, values: SupportsIndex, threads: int = 1, *, cost_model: CostModel | None = None) -> float:
        """
        Returns the seconds of a lookup of `values` values by a cost model (default: that of this machine).
        """

    @property
    def values_per_ciphertext(self, /) -> int:
        """
        Values that one ciphertext holds.
        """

    @property
    def working_bytes(self, /) -> int:
        """
        Bytes of memory beside the key, on one thread.
        """

@final
class PreparedComplexTable:
    """
    A complex table encoded for a key: made once, looked up often.
    """

    def __repr__(self, /) -> str: ...
    @property
    def memory_bytes(self, /) -> int:
        """
        Bytes of memory that it takes.
        """

@final
class PreparedTable:
    """
    A table encoded for an engine: made once, looked up often.
    """

    def __repr__(self, /) -> str: ...
    @property
    def input_modulus(self, /) -> int:
        """
        Inputs are below this modulus.
        """

    @property
    def memory_bytes(self, /) -> int:
        """
        Bytes of memory that it takes.
        """

    @property
    def output_modulus(self, /) -> int:
        """
        Outputs are below this modulus.
        """

    @property
    def signed_inputs(self, /) -> bool:
        """
        Whether it is for signed values.
        """

    @property
    def signed_outputs(self, /) -> bool:
        """
        Whether its outputs are signed.
        """

@final
class PublicKey:
    """
    A public key: anyone who has it encrypts values that only the secret key decrypts.

    `SecretKey.public_key` makes it, for keys of lookups. May be sent to anyone.

        >>> import cryptable
        >>> secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
        >>> public = secret.public_key()
        >>> secret.decrypt(public.encrypt([3, 1, 4])).tolist()
        [3, 1, 4]
    """

    def __repr__(self, /) -> str: ...
    def encrypt(self, /, values: npt.ArrayLike, *, signed: bool | None = None) -> Ciphertext:
        """
        Encrypts integers of any shape, from 0 to P - 1, P the `input_modulus`; if `signed`, from -P/2 to P/2 - 1. By default the
        type of an array says so if it cannot hold P - 1, as int8 for a modulus of 256.
        """

    @staticmethod
    def from_bytes(bytes: bytes, *, allow_insecure: bool = False) -> PublicKey:
        """
        Reads what `to_bytes` or a file holds.
        """

    @property
    def id(self, /) -> str:
        """
        The identifier of the secret key, which its evaluation keys and ciphertexts share.
        """

    @property
    def input_modulus(self, /) -> int:
        """
        Values are below this modulus.
        """

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> PublicKey:
        """
        Reads a key from a file, as `save` and `cryptable keygen --public` write it.
        """

    @property
    def parameters(self, /) -> Parameters:
        """
        The parameters.
        """

    def rerandomize(self, /, values: Ciphertext) -> Ciphertext:
        """
        Gives packed values a fresh mask, so that nobody but the client can tell of which ciphertext they were made.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """
        Writes the key to a file.
        """

    def to_bytes(self, /) -> bytes:
        """
        The key as bytes, as a file holds it.
        """

@final
class RekeyingKey:
    """
    Turns packed ciphertexts and results of one client into those of another, without decrypting them.

    `SecretKey.rekey_to` makes it. For the server alone: whoever has it and the new owner's secret key can decrypt all
    ciphertexts of the owner.

        >>> import cryptable
        >>> clinic = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
        >>> analyst = cryptable.SecretKey.generate(clinic.parameters)
        >>> rekeying = clinic.rekey_to(analyst)
        >>> analyst.decrypt(rekeying.apply(clinic.encrypt([3, 1, 4]))).tolist()
        [3, 1, 4]
    """

    def __repr__(self, /) -> str: ...
    def apply(self, /, ciphertext: Ciphertext) -> Ciphertext:
        """
        Turns values of the owner, fresh or computed, into the same values of the new owner.
        """

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> RekeyingKey:
        """
        Reads a key from a file, as `save` and `cryptable rekey keygen` write it.
        """

    @property
    def new_owner(self, /) -> str:
        """
        The identifier of the secret key that decrypts what it makes.
        """

    @property
    def noise(self, /) -> float:
        """
        Standard deviation of the noise that it adds to every value, as a fraction of the modulus.
        """

    @property
    def owner(self, /) -> str:
        """
        The identifier of the secret key whose ciphertexts it takes.
        """

    @property
    def parameters(self, /) -> Parameters:
        """
        The parameters of both.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """
        Writes the key to a file that only its owner can read.
        """

@final
class Secret:
    """
    A learning-with-errors problem that a secret of a parameter set rests on.
    """

    def __repr__(self, /) -> str: ...
    @property
    def dimension(self, /) -> int:
        """
        LWE dimension, or ring degree.
        """

    @property
    def distribution(self, /) -> str:
        """
        How the secret is drawn: `binary`, `ternary`, or `ternary of weight` and its Hamming weight.
        """

    @property
    def is_ring(self, /) -> bool:
        """
        Whether it is RLWE.
        """

    @property
    def log2_modulus(self, /) -> float:
        """
        log2 of the largest modulus that anything is encrypted under.
        """

    @property
    def name(self, /) -> str:
        """
        Which secret of the set it is.
        """

    @property
    def security_bits(self, /) -> float | None:
        """
        Estimated cost of the cheapest attack, log2, by the tables of estimates; None if they have no such row.
        """

@final
class SecretKey:
    """
    The client's secret key: encrypts and decrypts, and makes the evaluation key that a server gets.

    Cleared from memory when it goes; never pickled. numpy arrays of values are the caller's. `threads` and `progress` are those
    of `EvaluationKey`.

        >>> import cryptable
        >>> secret = cryptable.SecretKey.generate(cryptable.plan([1, 0, 3, 2], engine="single"))
        >>> encrypted = secret.encrypt([[0, 1], [2, 3]])
        >>> secret.decrypt(encrypted).tolist()
        [[0, 1], [2, 3]]
    """

    def __repr__(self, /) -> str: ...
    def decrypt(self, /, ciphertext: Ciphertext, *, signed: bool | None = None) -> npt.NDArray[Any]:
        """
        Decrypts: exact integers in the shape that was encrypted, of numpy's smallest type for them, signed if the ciphertext is.
        What `signed` says, if anything, must be so.
        """

    def decrypt_checked(
        self, /, ciphertext: Ciphertext, canaries: Canaries, table: TableLike, *, signed: bool | None = None
    ) -> npt.NDArray[Any]:
        """
        Decrypts results of a lookup in `table` like `decrypt`, checks those of the canaries, and leaves them out. After several
        lookups, `table` is that of all of them together.

        Raises `errors.WrongResultError` if a canary has another result than the table has for it: use none of the results then.
        """

    def decrypt_complex(
        self,
        /,
        ciphertext: Ciphertext,
        *,
        precision: SupportsIndex | None = None,
        flooding: tuple[SupportsIndex, SupportsIndex] | None = None,
    ) -> npt.NDArray[np.complex128]:
        """
        Decrypts results of `EvaluationKey.lookup_complex`, as `decrypt_reals`: in the shape that was encrypted.
        """

    def decrypt_integers(self, /, digits: Digits, *, signed: bool | None = None) -> npt.NDArray[np.int64]:
        """
        Decrypts integers in digits, in the shape that was encrypted. What `signed` says, if anything, must be so.
        """

    def decrypt_reals(
        self,
        /,
        ciphertext: Ciphertext,
        *,
        precision: SupportsIndex | None = None,
        flooding: tuple[SupportsIndex, SupportsIndex] | None = None,
    ) -> npt.NDArray[np.float64]:
        """
        Decrypts results of a `real_table`: the multiples of one over the output modulus that the table has, or rounded to
        multiples of 2^-`precision`. `flooding` is for results that others see: bits of security, and decryptions under this key.
        """

    def encrypt(self, /, values: npt.ArrayLike, *, signed: bool | None = None) -> Ciphertext:
        """
        Encrypts integers of any shape, from 0 to P - 1, P the `input_modulus`; if `signed`, from -P/2 to P/2 - 1. By default the
        type of an array says so if it cannot hold P - 1, as int8 for a modulus of 256.
        """

    def encrypt_digits(self, /, values: npt.ArrayLike, modulus: SupportsIndex) -> Ciphertext:
        """
        Encrypts values of another modulus: some of the digits of inputs of `EvaluationKey.lookup_digits`.
        """

    def encrypt_integers(self, /, values: npt.ArrayLike, *, signed: bool = True) -> Ciphertext:
        """
        Encrypts integers for comparisons, with a bit of headroom.
        """

    def encrypt_table(
        self, /, table: TableLike, *, per_value: bool = False, signed: Signs | None = None
    ) -> EncryptedTable:
        """
        Encrypts a table that the server applies unread: what `cryptable.table` makes one of, or, with `per_value`, an array
        of a table for each value, the outputs along the last axis.
        """

    def encrypt_with_canaries(
        self,
        /,
        values: npt.ArrayLike,
        canaries: SupportsIndex,
        *,
        inputs: npt.ArrayLike | None = None,
        signed: bool | None = None,
    ) -> tuple[Ciphertext, Canaries]:
        """
        Encrypts values of any shape like `encrypt`, with `canaries` values among them whose results `decrypt_checked` checks.
        Returns the ciphertext, of one dimension, and the canaries, which stay with the client.

        Canaries have uniform inputs, or are drawn from those in `inputs`. Inputs such as your values find a wrong table as
        often as values meet it; if they are your values, and the server sees that a check failed, it learns something of them.
        """

    @property
    def engine(self, /) -> str:
        """
        Which engine it is of.
        """

    def evaluation_key(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKey:
        """
        The server's key, in memory.
        """

    @staticmethod
    def generate(plan: Plan | Candidate | Parameters | ComparisonPlan | IntegerPlan | WidePlan) -> SecretKey:
        """
        Draws fresh secrets for a plan's best way, for a candidate, for parameters, or for a plan of comparisons, integers or
        wide values.
        """

    @staticmethod
    def generate_insecure_toy(
        engine: Engine, input_modulus: SupportsIndex, output_modulus: SupportsIndex, *, entries: Entries = "shared"
    ) -> SecretKey:
        """
        A key of toy parameters, for tests: no security at all. With `entries`, for tables of their own for every value or
        encrypted ones; `Parameters.insecure_toy` has more kinds.
        """

    @property
    def id(self, /) -> str:
        """
        The identifier that this key, its evaluation keys and its ciphertexts share. Reveals nothing of the key.
        """

    @property
    def input_modulus(self, /) -> int:
        """
        Values to be encrypted are below this modulus.
        """

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKey:
        """
        Reads a key file.
        """

    @property
    def output_modulus(self, /) -> int:
        """
        Results are below this modulus.
        """

    @property
    def parameters(self, /) -> Parameters:
        """
        Its parameters.
        """

    def public_key(self, /) -> PublicKey:
        """
        Generates a public key, with which anyone encrypts values for this key; for keys of lookups.
        """

    def rekey_to(self, /, other: SecretKey) -> RekeyingKey:
        """
        Generates a key with which a server turns this key's packed ciphertexts into those of another key, of the same parameters.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """
        Writes the key to a file that its owner alone may read. An existing one is replaced only if told so: what it
        encrypted is lost then.
        """

    def save_encrypted_table(
        self,
        /,
        path: str | PathLike[str],
        table: TableLike,
        *,
        per_value: bool = False,
        signed: Signs | None = None,
        threads: int = 0,
        progress: Progress | None = True,
        replace: bool = False,
    ) -> None:
        """
        Encrypts a table like `encrypt_table`, into a file: never all of it in memory.
        """

    def save_evaluation_key(
        self, /, path: str | PathLike[str], *, threads: int = 0, progress: Progress | None = True, replace: bool = False
    ) -> None:
        """
        Makes the server's key and writes it to a file, never all of it in memory: what a server gets.
        """

@final
class SumLimits:
    """
    How many terms sums may have, and how many lookups follow each other, before noise is too large.
    """

    def __repr__(self, /) -> str: ...
    @property
    def fresh_lookup(self, /) -> int:
        """
        Most fresh values of a sum that can be looked up.
        """

    @property
    def lookups_in_a_row(self, /) -> int | None:
        """
        Most lookups in a row of a fresh value; `None` if there is no end.
        """

    @property
    def result_decryption(self, /) -> int:
        """
        Most results of lookups of a sum that can be decrypted.
        """

    @property
    def result_lookup(self, /) -> int:
        """
        Most results of lookups of a sum that can be looked up; 0 if results have another modulus than inputs.
        """

    @property
    def text(self, /) -> str:
        """
        All of them in a sentence.
        """

@final
class Table:
    """
    A lookup table: one output for every input 0, 1, ... below the input modulus.
    """

    def __eq__(self, other: object, /) -> bool: ...
    def __len__(self, /) -> int: ...
    def __new__(cls, /, outputs: npt.ArrayLike, output_modulus: SupportsIndex, *, signed: Signs | None = None) -> Table:
        """
        Outputs for the inputs 0, 1, ..., and the modulus that all of them are below. With `signed`, inputs and outputs are from
        -P/2 to P/2 - 1, P the modulus of each (those below 0 are the last of the list), or one of both: `"inputs"`, `"outputs"`.
        """

    def __repr__(self, /) -> str: ...
    def halves(self, /) -> tuple[Table, Table]:
        """
        Two tables of half the output bits each: of the low and of the high half, so that the outputs are
        `low + low.output_modulus * high`.
        """

    @property
    def input_modulus(self, /) -> int:
        """
        The number of inputs.
        """

    @property
    def output_modulus(self, /) -> int:
        """
        All outputs are below this modulus.
        """

    @property
    def outputs(self, /) -> npt.NDArray[np.integer[Any]]:
        """
        The outputs.
        """

    @property
    def reals(self, /) -> npt.NDArray[np.float64]:
        """
        The outputs in fixed point: fractions of the output modulus from -1/2 to below 1/2, of tables of `real_table`.
        """

    @property
    def signed_inputs(self, /) -> bool:
        """
        Whether it is for signed values.
        """

    @property
    def signed_outputs(self, /) -> bool:
        """
        Whether its outputs are signed.
        """

def bfloat16_table(function: Callable[[float], float]) -> Table:
    """
    The table of a function of bfloat16 numbers from patterns of 16 bits to such, exact to the last bit.

    Results are rounded to the nearest number, ties to even; what is not a number is one pattern.
    """

def compare(
    key: EvaluationKey,
    operation: str,
    operands: SupportsGetItem[int, Ciphertext],
    *,
    bounds: tuple[SupportsIndex, SupportsIndex] | None = None,
    threads: int = 0,
    progress: Progress | None = True,
) -> Ciphertext | Digits:
    """
    Runs an operation, by its name, on one or two ciphertexts.
    """

def gelu(x: SupportsFloat | SupportsIndex) -> float:
    """
    GELU, `x·Φ(x)`, correct to the last bits of a double.
    """

def inspect(path: str | PathLike[str]) -> dict[str, Any]:
    """
    Says what a file is: type, engine, key, sizes, security and failure probability of its parameters.
    """

def list_parameters() -> list[ListedParameters]:
    """
    All parameter sets that have names, and those that plans take by default for tables of every width: half a minute.
    """

def modulus_for(error: SupportsFloat | SupportsIndex) -> int:
    """
    The least output modulus, a power of two, that rounds real outputs by no more than `error`.
    """

def plan(
    moduli: tuple[SupportsIndex, SupportsIndex],
    *,
    values: SupportsIndex | None = None,
    tables: SupportsIndex = 1,
    lookups_in_a_row: SupportsIndex = 1,
    word_length: SupportsIndex = 0,
    log2_fail: SupportsFloat | SupportsIndex | None = None,
    memory: SupportsIndex | None = None,
    threads: int | None = None,
    goal: Literal["throughput", "latency"] = "throughput",
    engine: Engine | None = None,
    inputs: Engine | None = None,
    method: str | None = None,
    ring_degree: SupportsIndex | None = None,
    digit_bits: SupportsIndex | None = None,
    entries: Entries = "shared",
    complex_outputs: bool = False,
    cost_model: CostModel | None = None,
) -> Plan:
    """
    Compares all ways to look a table of these input and output moduli up.
    """

def plan_comparisons(
    bits: SupportsIndex,
    *,
    digit_bits: SupportsIndex | None = None,
    values: SupportsIndex | None = None,
    memory: SupportsIndex | None = None,
    log2_fail: SupportsFloat | SupportsIndex | None = None,
    threads: int | None = None,
    insecure_toy: bool = False,
) -> ComparisonPlan:
    """
    Predicts comparisons of integers of `bits` bits.
    """

def real_table(outputs: npt.ArrayLike, output_modulus: SupportsIndex) -> Table:
    """
    The table of real outputs from -1/2 to below 1/2, rounded to multiples of one over the output modulus.
    """

def write_file(path: str | PathLike[str], content: bytes) -> None:
    """
    Writes a file whole or not at all, in place of one that is there.
    """
