"""Compiled part of `cryptable.circuits`."""

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
    """A binary circuit, in all forms from which a plan may choose."""

    def __repr__(self, /) -> str: ...
    def evaluate(self, /, *inputs: int) -> list[int]:
        """Evaluates the circuit in the clear on one word per input, in the order of the ports."""

    @staticmethod
    def from_blif(text: str, top: str | None = None) -> Circuit:
        """Reads a netlist in BLIF; `top` names the model if there are several."""

    @staticmethod
    def from_yosys_json(text: str, top: str | None = None) -> Circuit:
        """Reads a netlist in the JSON of Yosys; `top` names the module if there are several."""

    @property
    def inputs(self, /) -> list[tuple[str, int]]:
        """Names and widths of its input words."""

    @property
    def name(self, /) -> str:
        """Its name."""

    @staticmethod
    def named(name: str) -> Circuit:
        """Returns a built-in circuit, one of `cryptable.circuits.NAMES`."""

    @staticmethod
    def names() -> list[str]:
        """Returns the names of the built-in circuits."""

    @property
    def outputs(self, /) -> list[tuple[str, int]]:
        """Names and widths of its output words."""

    @staticmethod
    def read(path: str | PathLike[str], top: str | None = None) -> Circuit:
        """Reads a netlist from a file whose name ends in `.blif` or `.json`."""

    @property
    def statistics(self, /) -> dict[str, int]:
        """Returns the number of gates of each kind, and the number of levels: the gates on the longest path from an input
        to an output.
        """

    def to_blif(self, /) -> str:
        """Returns the netlist in BLIF, for other programs."""

@final
class CircuitBuilder:
    """A builder of circuits. Words, both inputs and computed ones, are lists of signals, the lowest bit first.

    Signals support the operators `& | ^ ~`. After `finish`, a builder accepts no more calls.
    """

    def __new__(cls, /, name: str) -> CircuitBuilder:
        """Makes an empty circuit with this name."""

    def __repr__(self, /) -> str: ...
    def add(self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal]) -> list[Signal]:
        """Returns x + y, modulo 2 to the power of the number of bits."""

    def add_with_carry(
        self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal], carry: Signal
    ) -> tuple[list[Signal], Signal]:
        """Returns x + y + carry, and the carry out of the sum."""

    def constant(self, /, bit: bool) -> Signal:
        """Returns a constant bit."""

    def equal(self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal]) -> Signal:
        """Returns 1 if x == y."""

    def finish(self, /) -> Circuit:
        """Returns the circuit, without gates that no output needs; the builder accepts no more calls."""

    def input(self, /, name: str, width: SupportsIndex) -> list[Signal]:
        """Adds an input of `width` bits."""

    def less_than(
        self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal], *, signed: bool = False
    ) -> Signal:
        """Returns 1 if x < y, as unsigned or signed words."""

    def majority(self, /, a: Signal, b: Signal, c: Signal) -> Signal:
        """Returns 1 where at least two of three bits are 1."""

    def multiplexer(self, /, select: Signal, a: Signal, b: Signal) -> Signal:
        """Returns `a` where `select` is 1, else `b`."""

    def multiply(
        self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal], width: SupportsIndex | None = None
    ) -> list[Signal]:
        """Returns the lowest `width` bits of x * y (default: the number of bits of x and y together)."""

    def output(self, /, name: str, word: SupportsGetItem[int, Signal]) -> None:
        """Adds an output with these bits."""

    def parity(self, /, word: SupportsGetItem[int, Signal]) -> Signal:
        """Returns the exclusive or of all bits of a word."""

    def subtract(self, /, x: SupportsGetItem[int, Signal], y: SupportsGetItem[int, Signal]) -> list[Signal]:
        """Returns x - y, modulo 2 to the power of the number of bits."""

    def table(self, /, outputs: SupportsGetItem[int, bool], word: SupportsGetItem[int, Signal]) -> Signal:
        """Returns `outputs[x]` for a word x of up to eight bits."""

@final
class EncryptedWords:
    """Encrypted words of the ports of a circuit, bit by bit, in the shape of the arrays that were encrypted. Public: they
    may be sent, stored and pickled.
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
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @staticmethod
    def load(path: str | PathLike[str]) -> EncryptedWords:
        """Reads a file into an array of one dimension, since files have no shape."""

    @property
    def ndim(self, /) -> int:
        """The number of axes."""

    @property
    def ports(self, /) -> list[tuple[str, int]]:
        """Names and widths of the ports."""

    def reshape(self, /, *shape: int | Sequence[int]) -> EncryptedWords:
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
    """The server's key for circuits: runs them on encrypted words, without the secret. Threads may share it."""

    def __repr__(self, /) -> str: ...
    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that it was made from."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it uses."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it. Processes that open the same file share its memory
        pages.
        """

    @property
    def parameters(self, /) -> Parameters:
        """The parameter set."""

    def run(
        self, /, circuit: Circuit | Plan, words: EncryptedWords, *, threads: int = 0, progress: Progress | None = True
    ) -> EncryptedWords:
        """Runs a circuit, or the circuit of a plan, on its input words."""

@final
class Plan:
    """A placement of the gates, cleanings and bootstraps of a circuit on the fastest parameter set, and a comparison with
    all other sets. Prints as a list.
    """

    def __repr__(self, /) -> str: ...
    @property
    def bootstraps(self, /) -> int:
        """Number of bootstraps per batch."""

    @property
    def candidates(self, /) -> list[tuple[str, float, int, float]]:
        """Lists all sets that can run it, the fastest first: name, predicted seconds per word of a full ciphertext, bytes
        of memory, log2 of the failure probability.
        """

    @property
    def circuit(self, /) -> Circuit:
        """The circuit."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a bit of any output of any word of a ciphertext is wrong."""

    @property
    def memory_bytes(self, /) -> int:
        """Largest memory use in bytes, including keys."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameter set itself."""

    @property
    def refusals(self, /) -> list[tuple[str, str]]:
        """Sets that cannot run it, with the reasons."""

    @property
    def seconds(self, /) -> float:
        """Predicted seconds on one thread, for the requested number of words, or for a full ciphertext."""

    @property
    def security_bits(self, /) -> float:
        """Classical security in bits."""

    @property
    def set(self, /) -> str:
        """The name of the parameter set."""

    @property
    def words_at_once(self, /) -> int:
        """Number of words on which the circuit runs at once."""

@final
class PublicKey:
    """A public key for circuits, with which anyone can encrypt words that only the secret key decrypts."""

    def __repr__(self, /) -> str: ...
    def encrypt(self, /, plan: Plan, values: Mapping[str, npt.ArrayLike]) -> EncryptedWords:
        """Encrypts words for a plan, like the secret key. The circuit is planned again, since public keys add noise."""

    @staticmethod
    def from_bytes(bytes: bytes, *, allow_insecure: bool = False) -> PublicKey:
        """Reads the bytes that `to_bytes` returns or a file holds."""

    @property
    def id(self, /) -> str:
        """The identifier of the secret key, which its evaluation keys and ciphertexts share."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> PublicKey:
        """Reads a key from a file, whoever wrote it."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file."""

    def to_bytes(self, /) -> bytes:
        """Returns the key as bytes, as in its file."""

@final
class SecretKey:
    """The client's secret key for circuits: encrypts and decrypts words, and makes the server's evaluation key.

    Erased from memory when it is deleted; it cannot be pickled.
    """

    def __repr__(self, /) -> str: ...
    def decrypt(self, /, words: EncryptedWords) -> dict[str, npt.NDArray[Any]]:
        """Decrypts words to one array per port, by name."""

    def encrypt(self, /, plan: Plan, values: Mapping[str, npt.ArrayLike]) -> EncryptedWords:
        """Encrypts words for a plan, given one array per input of its circuit, by name; all arrays have one shape."""

    def evaluation_key(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKey:
        """Makes the server's key, in memory."""

    @staticmethod
    def generate(plan: Plan | Parameters) -> SecretKey:
        """Draws a fresh secret for the parameter set of a plan, or for parameters of `cryptable.bits`."""

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
        """The parameter set."""

    def public_key(self, /) -> PublicKey:
        """Makes a public key, with which anyone can encrypt words that this key decrypts."""

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

@final
class Signal:
    """A bit of a circuit under construction: of an input, a constant or a gate."""

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
