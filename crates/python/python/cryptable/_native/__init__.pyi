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
        """The weights that are added where a word ends, one per state."""

    def largest_weight(self, /, length: SupportsIndex) -> int:
        """The largest weight of any word of a length: tables of weights have an entry more."""

    @property
    def next(self, /) -> npt.NDArray[np.integer[Any]]:
        """The states that follow, a row per state with a column per symbol."""

    @staticmethod
    def occurrences(pattern: npt.ArrayLike, symbols: SupportsIndex) -> Automaton:
        """The automaton that counts where a pattern of symbols occurs, occurrences that overlap included."""

    @property
    def symbols(self, /) -> int:
        """The number of symbols: values of words are below it."""

    def weight(self, /, word: npt.ArrayLike) -> int:
        """The weight of a word in the clear."""

    @property
    def weights(self, /) -> npt.NDArray[np.integer[Any]]:
        """The weights that are added, a row per state with a column per symbol."""

@final
class Canaries:
    """The secret places and inputs of canaries in a ciphertext, of `SecretKey.encrypt_with_canaries`.

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
    def check_results(self, /, results: npt.ArrayLike, expected: npt.ArrayLike) -> npt.NDArray[Any]:
        """Checks decrypted results by those that canaries must have, `expected`, in the order of `inputs`, and returns the results
        of the values among them.

        Raises `errors.WrongResultError` if a canary has another one: use none of the results then.
        """

    @property
    def count(self, /) -> int:
        """The number of canaries."""

    def hide(self, /, values: npt.ArrayLike, *, signed: bool = False) -> npt.NDArray[Any]:
        """The array to encrypt: the values in their order, among canaries. Signed integers are in two's complement."""

    @property
    def id(self, /) -> str:
        """An identifier drawn for these canaries. Reveals nothing of them."""

    def inputs(self, /, *, signed: bool = False) -> npt.NDArray[Any]:
        """The inputs of the canaries, as secret as their places."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that encrypted them."""

    @staticmethod
    def load(path: str | PathLike[str], secret: SecretKey) -> Canaries:
        """Reads canaries of this secret key from a file, as `save` and `cryptable encrypt --canaries` write it."""

    def missed_probability(self, /, wrong: SupportsIndex) -> float:
        """The probability that a server is missed that answers wrong in `wrong` places."""

    @staticmethod
    def needed(places: SupportsIndex, wrong: SupportsIndex, limit: SupportsFloat | SupportsIndex) -> int | None:
        """The least number of canaries among `places` places by which a server that is wrong in `wrong` of them is missed with a
        probability of at most `limit`; `None` if no number does that.
        """

    @property
    def places(self, /) -> int:
        """The number of values of the ciphertext, canaries included."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the canaries to a file that its owner alone may read. Their values decrypt to one dimension then."""

    def with_inputs_of(self, /, inputs: npt.ArrayLike, *, signed: bool = False) -> Canaries:
        """Canaries at the same places, with inputs drawn from `inputs`: for another list of an operation of several."""

@final
class EvaluationKey:
    """The server's key: maps encrypted values through tables, without the secret. Threads may share it.

        >>> import cryptable
        >>> secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)    # for use: of a plan
        >>> server = secret.evaluation_key()
        >>> squares = server.lookup(secret.encrypt([1, 2, 3]), lambda x: x * x % 16)
        >>> secret.decrypt(squares).tolist()
        [1, 4, 9]

    Sums need no lookup: `add`, `sub`, `mul_scalar`, or operators within `with cryptable.computing(server):`. Operands have one
    shape: nothing is broadcast.

    Calls that take long have `threads`, all of the machine's if 0, and `progress`: `True` for a bar (by tqdm, from a second
    on), `False` for none, or a callback of steps done and steps in all. `signed` says whether inputs and outputs of a table
    are from -P/2 to P/2 - 1, P the modulus of each, or one of both: `"inputs"`, `"outputs"`. By default lookups take what is no
    `Table` yet for signed if the values are; a table for others is a `MismatchError`.
    """

    def __repr__(self, /) -> str: ...
    def add(self, /, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """`x + y` modulo the modulus of the values, value by value, without a lookup."""

    def add_plain(self, /, x: Ciphertext, constants: npt.ArrayLike, *, signed: bool | None = None) -> Ciphertext:
        """`x + constants`, in the clear: an integer for each value, or one for all; signed if `x` is, or as `signed` says."""

    def chain_pieces(self, /, states: SupportsIndex) -> list[int]:
        """Sizes of the pieces of values that an automaton of `states` states reads in `lookup_chain`, the lowest first."""

    def compress(self, /, results: Ciphertext) -> Ciphertext:
        """Compresses packed or leveled results for their way to the client; they can be decrypted and nothing else."""

    def decompose(
        self,
        /,
        input: Ciphertext,
        tables: Sequence[Sequence[TableLike]] | None = None,
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> list[list[Ciphertext]]:
        """Decomposes every value into digits and maps each through tables, by functional digit decomposition: for each digit,
        the least significant first, the results of its tables, which are what `cryptable.table` makes one of. Without tables,
        the digits themselves.
        """

    @property
    def digit_sizes(self, /) -> list[int]:
        """Sizes of the digits that `decompose` gives, the least significant first."""

    @property
    def engine(self, /) -> str:
        """Which engine it is of."""

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
        """Maps every value through a table: a prepared one, a `Table`, or what `cryptable.table` makes one of (an array, a
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
        """Runs an automaton over the pieces of every value, the least significant first, from state 0 on: table i maps
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
        """Maps every value through a complex table, prepared or not: with keys of a plan of `complex_outputs=True`. The result has
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
        """Maps a digit, which `decompose` gave or which is one of `comparisons.Digits`, through tables."""

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
        """Maps values that come in several ciphertexts (`SecretKey.encrypt_digits`), the least significant digits first, through
        tables of all of them together.
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
        """Maps every value through a table that the client encrypted: with keys of a plan of `entries="encrypted"`. What the table
        was encrypted with as `signed` is to be said here, too, unless it is as the values are. Values that come in several
        ciphertexts (`SecretKey.encrypt_digits`), the least significant digits first, are those of a table of several variables.
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
        """Maps every value through each of several tables, for less than as many lookups."""

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
        """Maps every value through a table of its own: an array of the shape of the values and, along a last axis, the outputs
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
        """Maps values that come in several ciphertexts (`SecretKey.encrypt_digits`), the least significant digits first, each
        through a table of its own: tables of several variables, in the shape that `lookup_per_value` takes.
        """

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it takes."""

    def mul_scalar(self, /, x: Ciphertext, factor: SupportsIndex) -> Ciphertext:
        """`factor * x` modulo the modulus of the values."""

    def negate(self, /, x: Ciphertext) -> Ciphertext:
        """`-x` modulo the modulus of the values."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it. Processes that open the same file share its pages."""

    def open_encrypted_table(self, /, path: str | PathLike[str]) -> EncryptedTable:
        """Maps a file of `SecretKey.save_encrypted_table` into memory and checks all of it."""

    @property
    def output_modulus(self, /) -> int:
        """Outputs are below this modulus."""

    def pack(self, /, values: Ciphertext) -> Ciphertext:
        """Packs single values, so that many are looked up at once."""

    @property
    def parameters(self, /) -> Parameters:
        """Its parameters."""

    def prepare(self, /, table: TableLike, *, signed: Signs | None = None) -> PreparedTable:
        """Encodes a table once for any number of lookups: a `Table`, or what `cryptable.table` makes one of."""

    def prepare_complex(self, /, table: ComplexTable) -> PreparedComplexTable:
        """Encodes a complex table once for any number of lookups."""

    def register(
        self, /, outputs: TableLike, entries: SupportsIndex | None = None, *, cyclic: bool = False
    ) -> Register:
        """A register that holds 0 and is read through a table of `entries` entries, one for every number that it may hold. With
        `cyclic`, numbers are modulo the number of entries, a power of two; a step then takes as much time per bit of outputs.
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
        """Runs an automaton on words, each along the last axis of the values, and gives a value for each: the entry of `outputs`
        at the word's weight, or the weight itself. With keys of a plan of `word_length`.
        """

    def selectors(self, /, values: Ciphertext, *, threads: int = 0, progress: Progress | None = True) -> Selectors:
        """Encrypted bits in the form in which they choose, for registers: those of each value, the lowest first. With keys
        of a plan of `chain`, 8 to 12 milliseconds per bit.
        """

    def sub(self, /, x: Ciphertext, y: Ciphertext) -> Ciphertext:
        """`x - y` modulo the modulus of the values, value by value, without a lookup."""

    def unpack(self, /, values: Ciphertext) -> Ciphertext:
        """Takes packed values out as single ones."""

@final
class PublicKey:
    """A public key: anyone who has it encrypts values that only the secret key decrypts.

    `SecretKey.public_key` makes it, for keys of lookups. May be sent to anyone.

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
        """Draws canaries as `SecretKey.draw_canaries` does: whoever encrypts by this key hides them among its values, and gives
        their file to the holder of the secret key.
        """

    def encrypt(self, /, values: npt.ArrayLike, *, signed: bool | None = None) -> Ciphertext:
        """Encrypts integers of any shape, from 0 to P - 1, P the `input_modulus`; if `signed`, from -P/2 to P/2 - 1. By default the
        type of an array says so if it cannot hold P - 1, as int8 for a modulus of 256.
        """

    @staticmethod
    def from_bytes(bytes: bytes, *, allow_insecure: bool = False) -> PublicKey:
        """Reads what `to_bytes` or a file holds."""

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
        """Gives packed values a fresh mask, so that nobody but the client can tell of which ciphertext they were made."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file."""

    def to_bytes(self, /) -> bytes:
        """The key as bytes, as a file holds it."""

@final
class Register:
    """An encrypted number that encrypted bits increment and choose, read through a table: `EvaluationKey.register`.

    Each step takes some 40 microseconds. Keys of `plan(chain=10_000)` allow ten thousand in a row before the register is read.

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
        """Adds a number where a bit is 1. Of arrays, adds each number where the bit of its place is 1, or one number for all of
        them; bits may be chosen again. Nothing is added if an error or Ctrl-C ends the call.
        """

    def choose_if(self, /, bits: Selectors, bit: SupportsIndex, other: Register) -> None:
        """Becomes another register of a table with as many entries where a bit is 1."""

    def copy(self, /) -> Register:
        """A register of its own that holds the same."""

    @property
    def depth(self, /) -> int:
        """How many steps in a row led here."""

    @property
    def largest(self, /) -> int:
        """The number that it holds if all bits were 1."""

    def read(self, /) -> Ciphertext:
        """The table's entry at the number, encrypted. The register can be used further."""

@final
class RekeyingKey:
    """Turns ciphertexts and results of one client into those of another, without decrypting them.

    `SecretKey.rekey_to` makes it. For the server alone: whoever has it and the new owner's secret key can decrypt all
    ciphertexts of the owner.

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
        """The identifier of the secret key that decrypts what it makes."""

    @property
    def noise(self, /) -> float:
        """Standard deviation of the noise that it adds to every value, as a fraction of the modulus."""

    @property
    def owner(self, /) -> str:
        """The identifier of the secret key whose ciphertexts it takes."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters of both."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that only its owner can read."""

@final
class SecretKey:
    """The client's secret key: encrypts and decrypts, and makes the evaluation key that a server gets.

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
        """Decrypts: exact integers in the shape that was encrypted, of numpy's smallest type for them, signed if the ciphertext is.
        What `signed` says, if anything, must be so.
        """

    def decrypt_checked(
        self, /, ciphertext: Ciphertext, canaries: Canaries, table: TableLike, *, signed: bool | None = None
    ) -> npt.NDArray[Any]:
        """Decrypts results of a lookup in `table` like `decrypt`, checks those of the canaries, and leaves them out. After several
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
        """Decrypts results of `EvaluationKey.lookup_complex`, as `decrypt_reals`: in the shape that was encrypted."""

    def decrypt_integers(self, /, digits: Digits, *, signed: bool | None = None) -> npt.NDArray[np.int64]:
        """Decrypts integers in digits, in the shape that was encrypted. What `signed` says, if anything, must be so."""

    def decrypt_reals(
        self,
        /,
        ciphertext: Ciphertext,
        *,
        precision: SupportsIndex | None = None,
        flooding: tuple[SupportsIndex, SupportsIndex] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Decrypts results of a `real_table`: the multiples of one over the output modulus that the table has, or rounded to
        multiples of 2^-`precision`. `flooding` is for results that others see: bits of security, and decryptions under this key.
        """

    def draw_canaries(
        self, /, values: SupportsIndex, canaries: SupportsIndex, *, bits: SupportsIndex | None = None
    ) -> Canaries:
        """Draws canaries of uniform inputs and their places among `values` values, for whatever the key encrypts: inputs of
        lookups or, with `bits`, integers of that many bits, as columns and values in words have. `Canaries.hide` gives the array
        to encrypt.

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
        """Encrypts integers of any shape, from 0 to P - 1, P the `input_modulus`; if `signed`, from -P/2 to P/2 - 1. By default the
        type of an array says so if it cannot hold P - 1, as int8 for a modulus of 256.
        """

    def encrypt_digits(self, /, values: npt.ArrayLike, modulus: SupportsIndex) -> Ciphertext:
        """Encrypts values of another modulus: some of the digits of inputs of `EvaluationKey.lookup_digits`."""

    def encrypt_integers(self, /, values: npt.ArrayLike, *, signed: bool = True) -> Ciphertext:
        """Encrypts integers for comparisons, with a bit of headroom."""

    def encrypt_table(
        self, /, table: TableLike, *, per_value: bool = False, signed: Signs | None = None
    ) -> EncryptedTable:
        """Encrypts a table that the server applies unread: what `cryptable.table` makes one of, or, with `per_value`, an array
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
        """Encrypts values of any shape like `encrypt`, with `canaries` values among them whose results `decrypt_checked` checks.
        Returns the ciphertext, of one dimension, and the canaries, which stay with the client.

        Canaries have uniform inputs, or are drawn from those in `inputs`. Inputs such as your values find a wrong table as
        often as values meet it; if they are your values, and the server sees that a check failed, it learns something of them.
        """

    @property
    def engine(self, /) -> str:
        """Which engine it is of."""

    def evaluation_key(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKey:
        """The server's key, in memory."""

    @staticmethod
    def generate(
        plan: Plan | Candidate | Parameters | ComparisonPlan | IntegerPlan | WidePlan | ProgramPlan,
    ) -> SecretKey:
        """Draws fresh secrets for a plan's best way, for a candidate, for parameters, or for a plan of comparisons, integers or
        wide values.
        """

    @staticmethod
    def generate_insecure_toy(
        engine: Engine, input_modulus: SupportsIndex, output_modulus: SupportsIndex, *, entries: Entries = "shared"
    ) -> SecretKey:
        """A key of toy parameters, for tests: no security at all. With `entries`, for tables of their own for every value or
        encrypted ones; `Parameters.insecure_toy` has more kinds.
        """

    @property
    def id(self, /) -> str:
        """The identifier that this key, its evaluation keys and its ciphertexts share. Reveals nothing of the key."""

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
        """Generates a public key, with which anyone encrypts values for this key; for keys of lookups."""

    def rekey_to(self, /, new_owner: PublicKey) -> RekeyingKey:
        """Generates a key with which a server turns this key's ciphertexts into those of another client, by that client's public
        key, which is of the same parameters.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that its owner alone may read. An existing one is replaced only if told so: what it
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
        """Encrypts a table like `encrypt_table`, into a file: never all of it in memory."""

    def save_evaluation_key(
        self, /, path: str | PathLike[str], *, threads: int = 0, progress: Progress | None = True, replace: bool = False
    ) -> None:
        """Makes the server's key and writes it to a file, never all of it in memory: what a server gets."""

@final
class Selectors:
    """Encrypted bits in the form in which they choose: `EvaluationKey.selectors`. Takes 150 to 400 kB of memory per bit."""

    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...

def inspect(path: str | PathLike[str]) -> dict[str, Any]:
    """Says what a file is: type, engine, key, sizes, security and failure probability of its parameters."""

def write_file(path: str | PathLike[str], content: bytes) -> None:
    """Writes a file whole or not at all, in place of one that is there."""
