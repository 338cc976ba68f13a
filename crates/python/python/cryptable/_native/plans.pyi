"""Plans and parameters."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, Literal, SupportsFloat, SupportsIndex, final

from _typeshed import SupportsGetItem

from ..tables import Engine, Entries

__all__ = [
    "Candidate",
    "CostModel",
    "ListedParameters",
    "Parameters",
    "Plan",
    "Prediction",
    "Secret",
    "SumLimits",
    "list_parameters",
    "plan",
]

@final
class Candidate:
    """One way to look a table up."""

    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    @property
    def ciphertext_bytes(self, /) -> int:
        """Bytes of one fresh ciphertext."""

    @property
    def engine(self, /) -> str:
        """How values are encrypted: `packed`, `single` or `leveled`."""

    @property
    def first_seconds(self, /) -> float:
        """Predicted time to read the evaluation key and then look up all values, in seconds."""

    @property
    def input_modulus(self, /) -> int:
        """Inputs are below this modulus."""

    @property
    def key_file_bytes(self, /) -> int:
        """Bytes of the file of the evaluation key."""

    @property
    def key_seconds(self, /) -> float:
        """Predicted time to generate the evaluation key, in seconds; reading it from its file takes about as long."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that any value of a ciphertext comes out wrong."""

    @property
    def memory_bytes(self, /) -> int:
        """Predicted memory of a lookup at its peak, keys included."""

    @property
    def method(self, /) -> str:
        """How tables are evaluated."""

    @property
    def output_modulus(self, /) -> int:
        """Outputs are below this modulus."""

    @property
    def parameters(self, /) -> Parameters:
        """The parameters."""

    @property
    def prediction(self, /) -> Prediction:
        """Predicted costs of a lookup: memory, bytes of keys and ciphertexts, seconds for any number of values."""

    @property
    def seconds(self, /) -> float:
        """Predicted time of a lookup of all values with a key that is in memory, in seconds."""

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical."""

    @property
    def transfer_seconds(self, /) -> float | None:
        """Time to send the evaluation key, in seconds, if the plan states a bandwidth."""

    @property
    def values_per_ciphertext(self, /) -> int:
        """Values that one ciphertext holds."""

@final
class CostModel:
    """Seconds of each kind of work on one thread of a machine: what plans turn counts of operations into times by."""

    def __repr__(self, /) -> str: ...
    @staticmethod
    def calibrated() -> CostModel:
        """Returns the model of this machine, which is measured once and kept: the default of plans."""

    @property
    def fields(self, /) -> dict[str, float]:
        """Seconds of each kind of work, by name."""

    @staticmethod
    def measure() -> CostModel:
        """Measures this machine anew: a second or two."""

    @staticmethod
    def of_unit(seconds: SupportsFloat | SupportsIndex) -> CostModel:
        """Returns the built-in proportions for a machine whose unit, a forward transform of degree 65,536, takes this many
        seconds.
        """

    @property
    def unit(self, /) -> float:
        """The unit u in seconds."""

@final
class ListedParameters:
    """A parameter set of the list."""

    def __repr__(self, /) -> str: ...
    @property
    def log2_fail(self, /) -> float | None:
        """log2 of the probability that a value, a gate, a bit, or a block of AES goes wrong; `None` where it depends on the
        circuit.
        """

    @property
    def name(self, /) -> str:
        """Purpose of the set."""

    @property
    def secrets(self, /) -> list[Secret]:
        """LWE problems on which the security of each secret rests."""

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical, of the weakest secret."""

@final
class Parameters:
    """A validated parameter set of any engine: what keys are generated for."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    def compressed_bytes(self, /, values: SupportsIndex) -> int | None:
        """Bytes of the compressed results of lookups of this number of values; `None` of single values, which stay as they are."""

    @property
    def digest(self, /) -> str:
        """The digest that names them in ciphertexts."""

    @property
    def digit_sizes(self, /) -> list[int]:
        """Sizes of the digits that values are decomposed into, the least significant first: of packed values."""

    @property
    def engine(self, /) -> str:
        """Which engine they are of."""

    @staticmethod
    def from_bytes(engine: str, bytes: bytes, *, allow_insecure: bool = False) -> Parameters:
        """Reads what `to_bytes` wrote, of parameters of this engine, and validates it."""

    @staticmethod
    def from_literal(engine: str, literal: Mapping[str, Any], *, allow_insecure: bool = False) -> Parameters:
        """The set of a literal of this engine, validated: every number against its bounds, the security that it claims, and its
        failures.
        """

    @property
    def hidden_bits(self, /) -> int | None:
        """Bits by which results hide tables from who has the secret key; none where they do not."""

    @property
    def input_modulus(self, /) -> int:
        """Inputs are below this modulus."""

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
        """Toys, for tests: no security at all. With `entries`, for tables of their own for every value or encrypted ones; with
        `complex_outputs`, for complex tables; with `digits`, of a multiplexer tree of such digits; with `bridged`, of single
        values that the server may pack.
        """

    @property
    def is_insecure(self, /) -> bool:
        """Whether they are toys, for tests."""

    @property
    def literal(self, /) -> dict[str, Any]:
        """All numbers that make the set, as a dictionary: what `json.dumps` writes, and `from_literal` reads."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> Parameters:
        """Reads a file of parameters of lookups, as `save` and `cryptable plan --output` write it, and validates them."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that any value of a ciphertext comes out wrong of a lookup."""

    @property
    def log2_fail_per_value(self, /) -> float:
        """log2 of the probability that one value does."""

    @property
    def method(self, /) -> str:
        """How tables are evaluated."""

    @property
    def output_modulus(self, /) -> int:
        """Outputs are below this modulus."""

    def prediction(
        self, /, *, values: SupportsIndex = 1, tables: SupportsIndex = 1, entries: Entries = "shared"
    ) -> Prediction:
        """Predicts a lookup of `values` values in `tables` tables."""

    @property
    def ring_degree(self, /) -> int:
        """The ring degree."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file of the parameters, which `cryptable keygen --plan` takes, too."""

    @property
    def secrets(self, /) -> list[Secret]:
        """LWE problems on which the security of each secret rests."""

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical, of the weakest secret; 0 of toys."""

    @property
    def sum_limits(self, /) -> SumLimits | None:
        """How many terms sums may have; `None` where there are no sums."""

    def to_bytes(self, /) -> bytes:
        """Canonical bytes."""

    @property
    def values_per_ciphertext(self, /) -> int:
        """Values that one ciphertext holds."""

@final
class Plan:
    """All ways to look a table up, the best first. Prints as a table."""

    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    def _repr_html_(self, /) -> str:
        """The comparison, for notebooks."""

    @property
    def best(self, /) -> Candidate:
        """The best way, for `SecretKey.generate`."""

    @property
    def best_for_more_lookups(self, /) -> tuple[int, Candidate] | None:
        """The way that would be the best for more lookups with one key than `lookups`, after the number of lookups from which
        it is; None if the best one has the fastest lookups, too.
        """

    def best_of(self, /, engine: Engine) -> Candidate | None:
        """The best way of an engine, if it has one."""

    @property
    def candidates(self, /) -> list[Candidate]:
        """All ways, the best first."""

    @property
    def cost_model(self, /) -> CostModel:
        """Cost model of the predicted times."""

    @property
    def crossing(self, /) -> int | None:
        """From how many values on the server had better pack single ones, of a plan of `inputs="single"`."""

    @property
    def fastest_per_method(self, /) -> list[Candidate]:
        """The fastest parameters of the three fastest methods of each engine: those that a plan prints."""

    @property
    def lookups(self, /) -> int:
        """Lookups with one key for which engines are compared."""

    @property
    def refusals(self, /) -> list[tuple[str, str]]:
        """Engines that have no parameters for the request, and why."""

    @property
    def threads(self, /) -> int:
        """Threads that times are predicted for."""

    @property
    def values(self, /) -> int:
        """Values that times are predicted for."""

    @property
    def values_assumed(self, /) -> bool:
        """Whether nobody stated that number."""

@final
class Prediction:
    """Predicted costs of a lookup."""

    def __repr__(self, /) -> str: ...
    @property
    def ciphertext_bytes(self, /) -> int:
        """Bytes of a fresh ciphertext."""

    @property
    def key_file_bytes(self, /) -> int:
        """Bytes of the evaluation key in its file."""

    @property
    def key_memory_bytes(self, /) -> int:
        """Bytes of the evaluation key in memory."""

    @property
    def parallelism(self, /) -> int:
        """Threads that one ciphertext keeps busy."""

    def peak_bytes(self, /, threads: int = 2) -> int:
        """Memory at its peak, keys included."""

    @property
    def result_bytes(self, /) -> int:
        """Bytes of a result."""

    def seconds(self, /, values: SupportsIndex, threads: int = 1, *, cost_model: CostModel | None = None) -> float:
        """Returns the seconds of a lookup of `values` values by a cost model (default: that of this machine)."""

    @property
    def values_per_ciphertext(self, /) -> int:
        """Values that one ciphertext holds."""

    @property
    def working_bytes(self, /) -> int:
        """Bytes of memory beside the key, on one thread."""

@final
class Secret:
    """A learning-with-errors problem that a secret of a parameter set rests on."""

    def __repr__(self, /) -> str: ...
    @property
    def dimension(self, /) -> int:
        """LWE dimension, or ring degree."""

    @property
    def distribution(self, /) -> str:
        """How the secret is drawn: `binary`, `ternary`, or `ternary of weight` and its Hamming weight."""

    @property
    def is_ring(self, /) -> bool:
        """Whether it is RLWE."""

    @property
    def log2_modulus(self, /) -> float:
        """log2 of the largest modulus that anything is encrypted under."""

    @property
    def name(self, /) -> str:
        """Which secret of the set it is."""

    @property
    def security_bits(self, /) -> float | None:
        """Estimated cost of the cheapest attack, log2, by the tables of estimates; None if they have no such row."""

@final
class SumLimits:
    """How many terms sums may have, and how many lookups follow each other, before noise is too large."""

    def __repr__(self, /) -> str: ...
    @property
    def fresh_lookup(self, /) -> int:
        """Most fresh values of a sum that can be looked up."""

    @property
    def lookups_in_a_row(self, /) -> int | None:
        """Most lookups in a row of a fresh value; `None` if there is no end."""

    @property
    def result_decryption(self, /) -> int:
        """Most results of lookups of a sum that can be decrypted."""

    @property
    def result_lookup(self, /) -> int:
        """Most results of lookups of a sum that can be looked up; 0 if results have another modulus than inputs."""

    @property
    def text(self, /) -> str:
        """All of them in a sentence."""

def list_parameters() -> list[ListedParameters]:
    """All parameter sets that have names, and those that plans take by default for tables of every width: half a minute."""

def plan(
    moduli: tuple[SupportsIndex, SupportsIndex],
    *,
    values: SupportsIndex | None = None,
    lookups: SupportsIndex = 1,
    bandwidth: SupportsIndex | None = None,
    tables: SupportsIndex = 1,
    lookups_in_a_row: SupportsIndex = 1,
    word_length: SupportsIndex = 0,
    chain: SupportsIndex = 0,
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
    hide_table: SupportsIndex | None = None,
    cost_model: CostModel | None = None,
) -> Plan:
    """Compares all ways to look a table of these input and output moduli up."""
