"""For `cryptable.circuits`."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, SupportsFloat, SupportsIndex, final

import numpy.typing as npt
from _typeshed import SupportsGetItem

from ..progress import Progress
from .bits import Parameters

__all__ = [
    "Circuit",
    "CircuitBuilder",
    "EncryptedWords",
    "EvaluationKey",
    "Plan",
    "PublicKey",
    "SecretKey",
    "Signal",
    "plan_circuit",
]

@final
class Circuit:
    """A binary circuit, in all forms that a plan may choose from."""

    def __repr__(self, /) -> str: ...
    def evaluate(self, /, *inputs: int) -> list[int]:
        """The outputs of one word each, in the clear, in the order of the ports."""

    @staticmethod
    def from_blif(text: str, top: str | None = None) -> Circuit:
        """A netlist in BLIF, of the model `top` if there are several."""

    @staticmethod
    def from_yosys_json(text: str, top: str | None = None) -> Circuit:
        """A netlist in the JSON of Yosys, of the module `top` if there are several."""

    @property
    def inputs(self, /) -> list[tuple[str, int]]:
        """Names and bits of its input words."""

    @property
    def name(self, /) -> str:
        """Its name."""

    @staticmethod
    def named(name: str) -> Circuit:
        """A circuit of the library: one of `cryptable.circuits.NAMES`."""

    @staticmethod
    def names() -> list[str]:
        """The names of the circuits of the library."""

    @property
    def outputs(self, /) -> list[tuple[str, int]]:
        """Names and bits of its output words."""

    @staticmethod
    def read(path: str | PathLike[str], top: str | None = None) -> Circuit:
        """A netlist of a file whose name ends in `.blif` or `.json`."""

    @property
    def statistics(self, /) -> dict[str, int]:
        """Numbers of gates of each kind, and levels: gates in a row on the longest way from an input to an output."""

    def to_blif(self, /) -> str:
        """The netlist in BLIF, for other programs."""

@final
class CircuitBuilder:
    """Makes a circuit: inputs are lists of signals, the lowest bit first, and so are words that are computed.

    Signals have the operators `& | ^ ~`. After `finish`, a builder makes nothing more.
    """

    def __new__(cls, /, name: str) -> CircuitBuilder:
        """An empty circuit of this name."""

    def __repr__(self, /) -> str: ...
    def add(self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal]) -> list[Signal]:
        """x + y, modulo 2 to the number of bits."""

    def add_with_carry(
        self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal], carry: Signal
    ) -> tuple[list[Signal], Signal]:
        """x + y + carry, and the carry out of it."""

    def constant(self, /, bit: bool) -> Signal:
        """A constant bit."""

    def equal(self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal]) -> Signal:
        """1 if x == y."""

    def finish(self, /) -> Circuit:
        """The circuit, without what no output needs; the builder makes nothing more."""

    def input(self, /, name: str, width: SupportsIndex) -> list[Signal]:
        """Adds an input of `width` bits."""

    def less_than(
        self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal], *, signed: bool = False
    ) -> Signal:
        """1 if x < y, as unsigned words or signed ones."""

    def majority(self, /, a: Signal, b: Signal, c: Signal) -> Signal:
        """1 where at least two of three bits are."""

    def multiplexer(self, /, select: Signal, a: Signal, b: Signal) -> Signal:
        """`a` where `select` is 1, else `b`."""

    def multiply(
        self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal], width: SupportsIndex | None = None
    ) -> list[Signal]:
        """x * y, its lowest `width` bits (default: the number of bits of x and y together)."""

    def output(self, /, name: str, word: SupportsGetItem[int, Signal]) -> None:
        """An output of these bits."""

    def parity(self, /, word: SupportsGetItem[int, Signal]) -> Signal:
        """The exclusive or of all bits of a word."""

    def subtract(self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal]) -> list[Signal]:
        """x - y, modulo 2 to the number of bits."""

    def table(self, /, outputs: SupportsGetItem[int, bool], word: SupportsGetItem[int, Signal]) -> Signal:
        """`outputs[x]` of a word of up to eight bits."""

@final
class EncryptedWords:
    """Encrypted words of the ports of a circuit, bit by bit, in the shape of the arrays that they were. Public: it may be sent,
    stored and pickled.
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
    @staticmethod
    def from_bytes(bytes: bytes) -> EncryptedWords:
        """Reads the bytes of a file. An array has one dimension then: files have no shape."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @staticmethod
    def load(path: str | PathLike[str]) -> EncryptedWords:
        """Reads a file. An array has one dimension then: files have no shape."""

    @property
    def ndim(self, /) -> int:
        """The number of its axes."""

    @property
    def ports(self, /) -> list[tuple[str, int]]:
        """Names and bits of the ports."""

    def reshape(self, /, *shape: int | Sequence[int]) -> EncryptedWords:
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
    """The server's key of circuits: runs them on encrypted words, without the secret. Threads may share it."""

    def __repr__(self, /) -> str: ...
    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that it was made from."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it takes."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it. Processes that open the same file share its pages."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameter set."""

    def run(
        self, /, circuit: Circuit | Plan, words: EncryptedWords, *, threads: int = 0, progress: Progress | None = True
    ) -> EncryptedWords:
        """Runs a circuit, or the circuit of a plan, on words of its inputs."""

@final
class Plan:
    """Where the gates, cleanings and bootstraps of a circuit go, on the fastest parameter set; and all others. Prints as a list."""

    def __repr__(self, /) -> str: ...
    @property
    def bootstraps(self, /) -> int:
        """Bootstraps of a batch."""

    @property
    def candidates(self, /) -> list[tuple[str, float, int, float]]:
        """All sets that run it, the fastest first: name, predicted seconds of a word of many, bytes of memory, log2 of failure."""

    @property
    def circuit(self, /) -> Circuit:
        """The circuit."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a bit of any output of any word of a ciphertext is wrong."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory, keys included, at most."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameter set itself."""

    @property
    def refusals(self, /) -> list[tuple[str, str]]:
        """Sets that do not run it, and why."""

    @property
    def seconds(self, /) -> float:
        """Predicted seconds on one thread, of all words asked for, or of a full ciphertext."""

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical."""

    @property
    def set(self, /) -> str:
        """The name of the parameter set."""

    @property
    def words_at_once(self, /) -> int:
        """Words on which the circuit runs at once."""

@final
class PublicKey:
    """A public key of circuits: anyone who has it encrypts words that only the secret key decrypts."""

    def __repr__(self, /) -> str: ...
    def encrypt(self, /, plan: Plan, values: Mapping[str, npt.ArrayLike]) -> EncryptedWords:
        """Encrypts words for a plan, like the secret key. The circuit is planned again, since public keys add noise."""

    @staticmethod
    def from_bytes(bytes: bytes, *, allow_insecure: bool = False) -> PublicKey:
        """Reads what `to_bytes` or a file holds."""

    @property
    def id(self, /) -> str:
        """The identifier of the secret key, which its evaluation keys and ciphertexts share."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> PublicKey:
        """Reads a key from a file, whoever wrote it."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file."""

    def to_bytes(self, /) -> bytes:
        """The key as bytes, as a file holds it."""

@final
class SecretKey:
    """The client's secret key of circuits: encrypts and decrypts words, and makes the evaluation key that a server gets.

    Cleared from memory when it goes; never pickled.
    """

    def __repr__(self, /) -> str: ...
    def decrypt(self, /, words: EncryptedWords) -> dict[str, npt.NDArray[Any]]:
        """Decrypts words: an array for every port, by name."""

    def encrypt(self, /, plan: Plan, values: Mapping[str, npt.ArrayLike]) -> EncryptedWords:
        """Encrypts words for a plan: an array for every input of its circuit, by name, all of one shape."""

    def evaluation_key(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKey:
        """Makes the server's key, in memory."""

    @staticmethod
    def generate(plan: Plan | Parameters) -> SecretKey:
        """Draws a fresh secret for the parameter set of a plan, or for parameters of `cryptable.bits`."""

    @property
    def id(self, /) -> str:
        """The identifier that this key, its evaluation keys and its ciphertexts share. Reveals nothing of the key."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKey:
        """Reads a key file."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameter set."""

    def public_key(self, /) -> PublicKey:
        """Makes a public key: anyone who has it encrypts words that this key decrypts."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that its owner alone may read. An existing one is replaced only if told so: what it
        encrypted is lost then.
        """

    def save_evaluation_key(
        self, /, path: str | PathLike[str], *, threads: int = 0, progress: Progress | None = True, replace: bool = False
    ) -> None:
        """Makes the server's key and writes it to a file, never all of it in memory: what a server gets."""

@final
class Signal:
    """A bit within a circuit that is being made: of an input, a constant or a gate."""

    def __and__(self, other: object, /) -> Signal: ...
    def __bool__(self, /) -> bool: ...
    def __invert__(self, /) -> Signal: ...
    def __or__(self, other: object, /) -> Signal: ...
    def __xor__(self, other: object, /) -> Signal: ...

def plan_circuit(
    circuit: Circuit,
    *,
    words: SupportsIndex | None = None,
    set: str | None = None,
    parallel: SupportsIndex = 1,
    memory: SupportsIndex | None = None,
    log2_fail: SupportsFloat | SupportsIndex | None = None,
    insecure_toy: bool = False,
) -> Plan:
    """Plans a circuit on all parameter sets, or on one."""
