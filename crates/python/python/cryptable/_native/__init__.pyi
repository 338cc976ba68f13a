"""The compiled half of `cryptable`. Import `cryptable` instead."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Final, SupportsFloat, SupportsIndex, final

import numpy as np
import numpy.typing as npt
from _typeshed import SupportsGetItem

from ..progress import Progress
from ..tables import Engine, Entries, Signs, TableLike
from . import bits as bits
from . import booleans as booleans
from . import bridges as bridges
from . import ciphertexts as ciphertexts
from . import circuits as circuits
from . import ckks as ckks
from . import comparisons as comparisons
from . import frames as frames
from . import integers as integers
from . import large_values as large_values
from . import owners as owners
from . import plans as plans
from . import programs as programs
from . import tables as tables
from . import transciphering as transciphering
from . import wide as wide
from .ciphertexts import Ciphertext
from .comparisons import ComparisonPlan, Digits
from .integers import IntegerPlan
from .plans import Candidate, Parameters, Plan
from .programs import ProgramPlan
from .tables import ComplexTable, EncryptedTable, PreparedComplexTable, PreparedTable
from .wide import WidePlan

__version__: Final[str]

@final
class Automaton:
    """Reads words of encrypted values symbol by symbol: counts patterns in texts, checks formats, compares long numbers.

    `next[s][x]` is the state that follows state s on symbol x. `weights[s][x]`, 0 by default, is added to the weight of
    the word, and `final_weights[s]` is added if the word ends in state s. Words begin in state 0.
    `EvaluationKey.run_automaton` returns a table's entry at the weight of each word.

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
        """The weights that are added at the end of a word, one per state."""

    def largest_weight(self, /, length: SupportsIndex) -> int:
        """Returns the largest weight of any word of this length; tables of weights need one more entry than that."""

    @property
    def next(self, /) -> npt.NDArray[np.integer[Any]]:
        """The next states: one row per state, one column per symbol."""

    @staticmethod
    def occurrences(pattern: npt.ArrayLike, symbols: SupportsIndex) -> Automaton:
        """Makes the automaton that counts the occurrences of a pattern of symbols, including overlapping ones."""

    @property
    def symbols(self, /) -> int:
        """The number of symbols: values of words are below it."""

    def weight(self, /, word: npt.ArrayLike) -> int:
        """Computes the weight of a word in the clear."""

    @property
    def weights(self, /) -> npt.NDArray[np.integer[Any]]:
        """The weights that transitions add: one row per state, one column per symbol."""

@final
class Canaries:
    """Secret places and inputs of the canaries in a ciphertext, made by `SecretKey.encrypt_with_canaries`.

    If a server answers wrong in w of n places, chosen without knowing the c canaries, it escapes detection with
    probability C(n - w, c)/C(n, c), `missed_probability(w)`. Canaries detect servers that are wrong in a fraction of
    all places, not those that are wrong in a few places. The book's page on checked results describes the other limits.

        >>> import cryptable
        >>> secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
        >>> squares = [x * x % 16 for x in range(16)]
        >>> encrypted, canaries = secret.encrypt_with_canaries([3, 1, 4], 20)
        >>> result = secret.evaluation_key().lookup(encrypted, squares)
        >>> secret.decrypt_checked(result, canaries, squares).tolist()
        [9, 1, 0]
    """

    def __repr__(self, /) -> str: ...
    def check_results(self, /, results: npt.ArrayLike, expected: npt.ArrayLike) -> npt.NDArray[Any]:
        """Compares the canaries among decrypted results with `expected`, in the order of `inputs`, and returns the results
        of the other values.

        Raises `errors.WrongResultError` if a canary has any other result; then use none of the results.
        """

    @property
    def count(self, /) -> int:
        """The number of canaries."""

    def hide(self, /, values: npt.ArrayLike, *, signed: bool = False) -> npt.NDArray[Any]:
        """Returns the array to encrypt: the values in order, among canaries. Signed integers are in two's complement."""

    @property
    def id(self, /) -> str:
        """An identifier drawn for these canaries. It reveals nothing about them."""

    def inputs(self, /, *, signed: bool = False) -> npt.NDArray[Any]:
        """The inputs of the canaries, as secret as their places."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that encrypted them."""

    @staticmethod
    def load(path: str | PathLike[str], secret: SecretKey) -> Canaries:
        """Reads canaries of this secret key from a file, as `save` and `cryptable encrypt --canaries` write it."""

    def missed_probability(self, /, wrong: SupportsIndex) -> float:
        """Returns the probability that a server that answers wrong in `wrong` places is not detected."""

    @staticmethod
    def needed(places: SupportsIndex, wrong: SupportsIndex, limit: SupportsFloat | SupportsIndex) -> int | None:
        """Returns the least number of canaries among `places` places for which a server that is wrong in `wrong` of them
        escapes detection with a probability of at most `limit`; `None` if no number suffices.
        """

    @property
    def places(self, /) -> int:
        """The number of values in the ciphertext, including canaries."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the canaries to a file that only its owner may read. After loading, the values decrypt to one dimension."""

    def with_inputs_of(self, /, inputs: npt.ArrayLike, *, signed: bool = False) -> Canaries:
        """Makes canaries at the same places, with inputs drawn from `inputs`, for another operand of the same operation."""

@final
class EvaluationKey:
    """The server's key: maps encrypted values through tables, without the secret. Threads may share it.

        >>> import cryptable
        >>> secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)    # for use: of a plan
        >>> server = secret.evaluation_key()
        >>> squares = server.lookup(secret.encrypt([1, 2, 3]), lambda x: x * x % 16)
        >>> secret.decrypt(squares).tolist()
        [1, 4, 9]

    Sums need no lookup: use `add`, `sub` and `mul_scalar`, or operators within `with cryptable.computing(server):`.
    Operands must have the same shape; nothing is broadcast.

    Long calls accept `threads` (0 for all of the machine's) and `progress`: `True` for a bar (by tqdm, after the first
    second), `False` for none, or a callback that gets the steps done and the total. `signed` says whether inputs and
    outputs of a table range from -P/2 to P/2 - 1, where P is the modulus of each, or only one of them: `"inputs"`,
    `"outputs"`. By default, a lookup treats anything that is not a `Table` yet as signed if the values are; a `Table`
    for values of the other kind is a `MismatchError`.
    """

    def __repr__(self, /) -> str: ...
    def add(self, /, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """`x + y` modulo the modulus of the values, value by value, without a lookup."""

    def add_plain(self, /, x: Ciphertext, constants: npt.ArrayLike, *, signed: bool | None = None) -> Ciphertext:
        """`x + constants` for constants in the clear: an integer per value, or one for all; signed if `x` is, or as
        `signed` says.
        """

    def chain_pieces(self, /, states: SupportsIndex) -> list[int]:
        """Returns the sizes of the pieces of values that an automaton of `states` states reads in `lookup_chain`, the
        lowest first.
        """

    def compress(self, /, results: Ciphertext) -> Ciphertext:
        """Compresses packed or leveled results for sending them to the client; afterwards they can only be decrypted."""

    def decompose(
        self,
        /,
        input: Ciphertext,
        tables: Sequence[Sequence[TableLike]] | None = None,
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> list[list[Ciphertext]]:
        """Decomposes every value into digits and maps each through tables, by functional digit decomposition. Returns for
        each digit, the least significant first, the results of its tables, which may be anything that `cryptable.table`
        accepts. Without tables, it returns the digits themselves.
        """

    @property
    def digit_sizes(self, /) -> list[int]:
        """Sizes of the digits that `decompose` returns, the least significant first."""

    @property
    def engine(self, /) -> str:
        """The name of its engine."""

    def floor(
        self, /, input: Ciphertext, digits: SupportsIndex = 1, *, threads: int = 0, progress: Progress | None = True
    ) -> Ciphertext:
        """Returns the values without their lowest `digits` digits, rounded down."""

    @property
    def input_modulus(self, /) -> int:
        """Inputs are below this modulus."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that it was made from."""

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
        """Maps every value through a table: a prepared one, a `Table`, or anything that `cryptable.table` converts to one
        (an array, a dictionary, a function). The result has the shape of the input.
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
        """Runs an automaton over the pieces of every value, the least significant first, starting in state 0. Table i maps
        `s + states * d`, for state s and piece i = d, to the next state; the last table maps to the result.
        `chain_pieces` returns the sizes of the pieces.
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
        """Maps every value through a complex table, prepared or not; needs keys of a plan with `complex_outputs=True`. The
        result has a last axis of two, the real and imaginary parts; `SecretKey.decrypt_complex` joins them.
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
        """Maps a digit through tables; it is a result of `decompose` or one of `comparisons.Digits`."""

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
        """Maps values in several ciphertexts (`SecretKey.encrypt_digits`), the least significant digits first, through
        tables of all their digits together.
        """

    def lookup_encrypted(
        self,
        /,
        input: Ciphertext | Sequence[Ciphertext],
        table: EncryptedTable,
        *,
        signed: Signs | None = None,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> Ciphertext:
        """Maps every value through a table that the client encrypted; needs keys of a plan with `entries="encrypted"`.
        `signed` must be the same as when the table was encrypted; by default it follows the values. Values in several
        ciphertexts (`SecretKey.encrypt_digits`), the least significant digits first, are inputs of a table of several
        variables.
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
        """Maps every value through each of several tables, faster than separate lookups."""

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
        """Maps every value through a table of its own. `tables` is an array of the shape of the values with one more axis
        at the end, the outputs for all inputs. Needs keys of a plan with `entries="per-value"`.
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
        """Maps values in several ciphertexts (`SecretKey.encrypt_digits`), the least significant digits first, each value
        through a table of its own. These are tables of several variables, in the shape that `lookup_per_value` expects.
        """

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it uses."""

    def mul_scalar(self, /, x: Ciphertext, factor: SupportsIndex) -> Ciphertext:
        """`factor * x` modulo the modulus of the values."""

    def negate(self, /, x: Ciphertext) -> Ciphertext:
        """`-x` modulo the modulus of the values."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it. Processes that open the same file share its memory pages."""

    def open_encrypted_table(self, /, path: str | PathLike[str]) -> EncryptedTable:
        """Maps a file written by `SecretKey.save_encrypted_table` into memory and checks all of it."""

    @property
    def output_modulus(self, /) -> int:
        """Outputs are below this modulus."""

    def pack(self, /, values: Ciphertext) -> Ciphertext:
        """Packs single values, so that many can be looked up at once."""

    @property
    def parameters(self, /) -> Parameters:
        """Its parameters."""

    def prepare(self, /, table: TableLike, *, signed: Signs | None = None) -> PreparedTable:
        """Encodes a table once for any number of lookups: a `Table`, or anything that `cryptable.table` converts to one."""

    def prepare_complex(self, /, table: ComplexTable) -> PreparedComplexTable:
        """Encodes a complex table once for any number of lookups."""

    def register(
        self, /, outputs: TableLike, entries: SupportsIndex | None = None, *, cyclic: bool = False
    ) -> Register:
        """Makes a register that holds 0 and is read through a table of `entries` entries, one per number that it may hold.
        With `cyclic`, numbers are modulo the number of entries, a power of two; the time of a step is then multiplied
        by the number of output bits.
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
        """Runs an automaton on words, each along the last axis of the values. Returns one value per word: the entry of
        `outputs` at the word's weight, or the weight itself. Needs keys of a plan with `word_length`.
        """

    def selectors(self, /, values: Ciphertext, *, threads: int = 0, progress: Progress | None = True) -> Selectors:
        """Converts encrypted values to the form in which their bits select, for registers: the bits of each value, the
        lowest first. Needs keys of a plan with `chain`, and 8 to 12 milliseconds per bit.
        """

    def sub(self, /, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """`x - y` modulo the modulus of the values, value by value, without a lookup."""

    def unpack(self, /, values: Ciphertext) -> Ciphertext:
        """Extracts packed values as single ones."""

@final
class PublicKey:
    """A public key, with which anyone can encrypt values that only the secret key decrypts.

    `SecretKey.public_key` makes it, for keys of lookups. It may be sent to anyone.

        >>> import cryptable
        >>> secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
        >>> public = secret.public_key()
        >>> secret.decrypt(public.encrypt([3, 1, 4])).tolist()
        [3, 1, 4]
    """

    def __repr__(self, /) -> str: ...
    def draw_canaries(
        self, /, values: SupportsIndex, canaries: SupportsIndex, *, bits: SupportsIndex | None = None
    ) -> Canaries:
        """Draws canaries as `SecretKey.draw_canaries` does: the holder of this public key hides them among its values, and
        gives their file to the holder of the secret key.
        """

    def encrypt(self, /, values: npt.ArrayLike, *, signed: bool | None = None) -> Ciphertext:
        """Encrypts integers of any shape, from 0 to P - 1, where P is the `input_modulus`, or from -P/2 to P/2 - 1 if
        `signed`. By default, values are signed if the array's type cannot hold P - 1, as with int8 for a modulus of
        256.
        """

    @staticmethod
    def from_bytes(bytes: bytes, *, allow_insecure: bool = False) -> PublicKey:
        """Reads the bytes that `to_bytes` returns or a file holds."""

    @property
    def id(self, /) -> str:
        """The identifier of the secret key, which its evaluation keys and ciphertexts share."""

    @property
    def input_modulus(self, /) -> int:
        """Values are below this modulus."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> PublicKey:
        """Reads a key from a file, whoever wrote it."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters."""

    def rerandomize(self, /, values: Ciphertext) -> Ciphertext:
        """Gives packed values a fresh mask, so that nobody but the client can tell from which ciphertext they were made."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file."""

    def to_bytes(self, /) -> bytes:
        """Returns the key as bytes, as in its file."""

@final
class Register:
    """An encrypted number that encrypted bits increment and select, read through a table; `EvaluationKey.register` makes
    it.

    Each step takes some 40 microseconds. Keys of `plan(chain=10_000)` allow ten thousand steps in a row before the
    register is read.

        >>> import cryptable
        >>> secret = cryptable.SecretKey.generate_insecure_toy("leveled", 2, 8)    # for use: of a plan
        >>> server = secret.evaluation_key()
        >>> votes = server.selectors(secret.encrypt([1, 0, 1, 1]))
        >>> register = server.register(range(8))
        >>> register.add_if(votes, [0, 1, 2, 3], [3, 2, 1, 1])
        >>> int(secret.decrypt(register.read()))
        5
    """

    def __repr__(self, /) -> str: ...
    def add_if(
        self, /, bits: Selectors, bit: npt.ArrayLike, number: npt.ArrayLike, *, progress: Progress | None = False
    ) -> None:
        """Adds a number if a bit is 1. For arrays of places, adds each number if the bit at its place is 1, or one number
        for all of them; places may repeat. If an error or Ctrl-C ends the call, nothing is added.
        """

    def choose_if(self, /, bits: Selectors, bit: SupportsIndex, other: Register) -> None:
        """Takes the contents of another register, whose table has the same number of entries, if a bit is 1."""

    def copy(self, /) -> Register:
        """Returns an independent copy."""

    @property
    def depth(self, /) -> int:
        """The number of steps in a row that led to its contents."""

    @property
    def largest(self, /) -> int:
        """The number that it would hold if all bits were 1."""

    def read(self, /) -> Ciphertext:
        """Returns the table's entry at the number, encrypted. The register can still be used afterwards."""

@final
class RekeyingKey:
    """Turns ciphertexts and results of one client into those of another, without decrypting them.

    `SecretKey.rekey_to` makes it. Give it only to the server: whoever holds it together with the new owner's secret key
    can decrypt all ciphertexts of the old owner.

        >>> import cryptable
        >>> clinic = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
        >>> analyst = cryptable.SecretKey.generate(clinic.parameters)
        >>> rekeying = clinic.rekey_to(analyst.public_key())
        >>> analyst.decrypt(rekeying.apply(clinic.encrypt([3, 1, 4]))).tolist()
        [3, 1, 4]
    """

    def __repr__(self, /) -> str: ...
    def apply(self, /, ciphertext: Ciphertext) -> Ciphertext:
        """Turns values of the owner, fresh or computed, into the same values of the new owner."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> RekeyingKey:
        """Reads a key from a file, as `save` and `cryptable rekey keygen` write it."""

    @property
    def new_owner(self, /) -> str:
        """The identifier of the secret key that decrypts its results."""

    @property
    def noise(self, /) -> float:
        """Standard deviation of the noise that it adds to every value, as a fraction of the modulus."""

    @property
    def owner(self, /) -> str:
        """The identifier of the secret key whose ciphertexts it converts."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters of both secret keys."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that only its owner can read."""

@final
class SecretKey:
    """The client's secret key: encrypts and decrypts, and makes the evaluation key that a server gets.

    Erased from memory when it is deleted; it cannot be pickled. Erasing numpy arrays of values is up to the caller.
    `threads` and `progress` are those of `EvaluationKey`.

        >>> import cryptable
        >>> secret = cryptable.SecretKey.generate(cryptable.plan([1, 0, 3, 2], engine="single"))
        >>> encrypted = secret.encrypt([[0, 1], [2, 3]])
        >>> secret.decrypt(encrypted).tolist()
        [[0, 1], [2, 3]]
    """

    def __repr__(self, /) -> str: ...
    def decrypt(self, /, ciphertext: Ciphertext, *, signed: bool | None = None) -> npt.NDArray[Any]:
        """Decrypts to exact integers in the shape that was encrypted, of numpy's smallest suitable type, signed if the
        ciphertext is. If `signed` is given, it must agree with the ciphertext.
        """

    def decrypt_checked(
        self, /, ciphertext: Ciphertext, canaries: Canaries, table: TableLike, *, signed: bool | None = None
    ) -> npt.NDArray[Any]:
        """Decrypts results of a lookup in `table` like `decrypt`, checks those of the canaries, and removes them. After
        several lookups, `table` is the composition of all of them.

        Raises `errors.WrongResultError` if a canary has another result than in the table; then use none of the results.
        """

    def decrypt_complex(
        self,
        /,
        ciphertext: Ciphertext,
        *,
        precision: SupportsIndex | None = None,
        flooding: tuple[SupportsIndex, SupportsIndex] | None = None,
    ) -> npt.NDArray[np.complex128]:
        """Decrypts results of `EvaluationKey.lookup_complex` like `decrypt_reals`, in the shape that was encrypted."""

    def decrypt_integers(self, /, digits: Digits, *, signed: bool | None = None) -> npt.NDArray[np.int64]:
        """Decrypts integers in digits, in the shape that was encrypted. If `signed` is given, it must agree with the
        ciphertext.
        """

    def decrypt_reals(
        self,
        /,
        ciphertext: Ciphertext,
        *,
        precision: SupportsIndex | None = None,
        flooding: tuple[SupportsIndex, SupportsIndex] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Decrypts results of a `real_table` to the table's multiples of one over the output modulus, or rounded to
        multiples of 2^-`precision`. `flooding` is needed for results that others see: a pair of bits of security and
        number of decryptions under this key.
        """

    def draw_canaries(
        self, /, values: SupportsIndex, canaries: SupportsIndex, *, bits: SupportsIndex | None = None
    ) -> Canaries:
        """Draws canaries of uniform inputs, and their places among `values` values, for anything that the key encrypts:
        inputs of lookups or, with `bits`, integers of that many bits, as in columns and values in words.
        `Canaries.hide` returns the array to encrypt.

            >>> import cryptable
            >>> from cryptable import integers
            >>> plan = integers.plan(8, engine="single", insecure_toy=True)    # without `insecure_toy` for use
            >>> secret = cryptable.SecretKey.generate(plan)
            >>> canaries = secret.draw_canaries(3, 20, bits=8)
            >>> column = integers.encrypt(secret, canaries.hide([200, 7, 9]))
            >>> canaries.check_results(integers.decrypt(secret, column), canaries.inputs()).tolist()
            [200, 7, 9]
        """

    def encrypt(self, /, values: npt.ArrayLike, *, signed: bool | None = None) -> Ciphertext:
        """Encrypts integers of any shape, from 0 to P - 1, where P is the `input_modulus`, or from -P/2 to P/2 - 1 if
        `signed`. By default, values are signed if the array's type cannot hold P - 1, as with int8 for a modulus of
        256.
        """

    def encrypt_digits(self, /, values: npt.ArrayLike, modulus: SupportsIndex) -> Ciphertext:
        """Encrypts values of another modulus: digits of the inputs of `EvaluationKey.lookup_digits`."""

    def encrypt_integers(self, /, values: npt.ArrayLike, *, signed: bool = True) -> Ciphertext:
        """Encrypts integers for comparisons, with one bit of headroom."""

    def encrypt_table(
        self, /, table: TableLike, *, per_value: bool = False, signed: Signs | None = None
    ) -> EncryptedTable:
        """Encrypts a table that the server evaluates without reading it: anything that `cryptable.table` converts to a
        table, or, with `per_value`, an array with one table per value, the outputs along the last axis.
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
        """Encrypts values of any shape like `encrypt`, and hides `canaries` canaries among them, whose results
        `decrypt_checked` checks. Returns the ciphertext, of one dimension, and the canaries, which stay with the
        client.

        Canaries have uniform inputs, or inputs drawn from `inputs`. Inputs distributed like your values detect a wrong
        table as often as your values meet it. But if they are your values and the server sees that a check failed, it
        learns something about them.
        """

    @property
    def engine(self, /) -> str:
        """The name of its engine."""

    def evaluation_key(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKey:
        """Makes the server's key, in memory."""

    @staticmethod
    def generate(
        plan: Plan | Candidate | Parameters | ComparisonPlan | IntegerPlan | WidePlan | ProgramPlan,
    ) -> SecretKey:
        """Draws fresh secrets for the best way of a plan, for a candidate, for parameters, or for a plan of comparisons,
        integers or wide values.
        """

    @staticmethod
    def generate_insecure_toy(
        engine: Engine, input_modulus: SupportsIndex, output_modulus: SupportsIndex, *, entries: Entries = "shared"
    ) -> SecretKey:
        """Draws a key of toy parameters for tests, without any security. `entries` selects separate tables for every value
        or encrypted tables; `Parameters.insecure_toy` has more options.
        """

    @property
    def id(self, /) -> str:
        """The identifier shared by this key, its evaluation keys and its ciphertexts. It reveals nothing about the key."""

    @property
    def input_modulus(self, /) -> int:
        """Values to be encrypted are below this modulus."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKey:
        """Reads a key file."""

    @property
    def output_modulus(self, /) -> int:
        """Results are below this modulus."""

    @property
    def parameters(self, /) -> Parameters:
        """Its parameters."""

    def public_key(self, /) -> PublicKey:
        """Generates a public key, with which anyone can encrypt values for this key; only for keys of lookups."""

    def rekey_to(self, /, new_owner: PublicKey) -> RekeyingKey:
        """Generates a key with which a server turns this key's ciphertexts into those of another client, given that
        client's public key of the same parameters.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that only its owner may read. An existing file is replaced only with
        `replace=True`: everything encrypted under its key is then lost.
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
        """Encrypts a table like `encrypt_table`, into a file, without ever holding all of it in memory."""

    def save_evaluation_key(
        self, /, path: str | PathLike[str], *, threads: int = 0, progress: Progress | None = True, replace: bool = False
    ) -> None:
        """Makes the server's key and writes it to a file, to be sent to the server, without ever holding all of it in
        memory.
        """

@final
class Selectors:
    """Encrypted bits in the form in which they select, made by `EvaluationKey.selectors`. They use 150 to 400 kB of memory
    per bit.
    """

    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...

def inspect(path: str | PathLike[str]) -> dict[str, Any]:
    """Describes a file: type, engine, key, sizes, and the security and failure probability of its parameters."""

def write_file(path: str | PathLike[str], content: bytes) -> None:
    """Writes a file completely or not at all, replacing an existing one."""
