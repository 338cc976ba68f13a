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
    """One way to evaluate a table."""

    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    @property
    def ciphertext_bytes(self, /) -> int:
        """Size of one fresh ciphertext in bytes."""

    @property
    def engine(self, /) -> str:
        """The engine, which determines how values are encrypted: `packed`, `single` or `leveled`."""

    @property
    def first_seconds(self, /) -> float:
        """Predicted time to read the evaluation key and then look up all values, in seconds."""

    @property
    def input_modulus(self, /) -> int:
        """Inputs are below this modulus."""

    @property
    def key_file_bytes(self, /) -> int:
        """Size of the evaluation key's file in bytes."""

    @property
    def key_seconds(self, /) -> float:
        """Predicted time to generate the evaluation key, in seconds; reading it from its file takes about as long."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that any value of a ciphertext comes out wrong."""

    @property
    def memory_bytes(self, /) -> int:
        """Predicted peak memory of a lookup in bytes, including keys."""

    @property
    def method(self, /) -> str:
        """The method that evaluates tables."""

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
        """Predicted time to look up all values with a key in memory, in seconds."""

    @property
    def security_bits(self, /) -> float:
        """Classical security in bits."""

    @property
    def transfer_seconds(self, /) -> float | None:
        """Time to send the evaluation key, in seconds, if the plan states a bandwidth."""

    @property
    def values_per_ciphertext(self, /) -> int:
        """Number of values that one ciphertext holds."""

@final
class CostModel:
    """Seconds per kind of work on one thread of a machine, which plans use to turn counts of operations into times."""

    def __repr__(self, /) -> str: ...
    @staticmethod
    def calibrated() -> CostModel:
        """Returns the model of this machine, which is measured once and then stored: the default of plans."""

    @property
    def fields(self, /) -> dict[str, float]:
        """Seconds per kind of work, by name."""

    @staticmethod
    def measure() -> CostModel:
        """Measures this machine again, in a second or two."""

    @staticmethod
    def of_unit(seconds: SupportsFloat | SupportsIndex) -> CostModel:
        """Returns a model with built-in proportions for a machine on which the unit, a forward transform of degree 65,536,
        takes this many seconds.
        """

    @property
    def unit(self, /) -> float:
        """The unit u in seconds."""

@final
class ListedParameters:
    """A parameter set in the list of all sets."""

    def __repr__(self, /) -> str: ...
    @property
    def log2_fail(self, /) -> float | None:
        """log2 of the probability that a value, a gate, a bit, or an AES block goes wrong; `None` if it depends on the
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
        """Classical security of the weakest secret in bits."""

@final
class Parameters:
    """A validated parameter set of any engine, from which keys are generated."""

    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    def compressed_bytes(self, /, values: SupportsIndex) -> int | None:
        """Returns the size in bytes of the compressed results for this number of values; `None` for single values, which
        stay as they are.
        """

    @property
    def digest(self, /) -> str:
        """The digest that identifies them in ciphertexts."""

    @property
    def digit_sizes(self, /) -> list[int]:
        """Sizes of the digits into which packed values are decomposed, the least significant first."""

    @property
    def engine(self, /) -> str:
        """The name of their engine."""

    @staticmethod
    def from_bytes(engine: str, bytes: bytes, *, allow_insecure: bool = False) -> Parameters:
        """Reads parameters of this engine as written by `to_bytes`, and validates them."""

    @staticmethod
    def from_literal(engine: str, literal: Mapping[str, Any], *, allow_insecure: bool = False) -> Parameters:
        """Makes the set with the numbers of a literal of this engine, after validation: every number against its bounds,
        the security that it claims, and its failure probabilities.
        """

    @property
    def hidden_bits(self, /) -> int | None:
        """Number of bits by which results hide tables from the holder of the secret key; `None` if they do not."""

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
        """Makes toy parameters for tests, without any security. `entries` selects separate tables for every value or
        encrypted tables, `complex_outputs` complex tables, `digits` a multiplexer tree with these digits, and `bridged`
        single values that the server may pack.
        """

    @property
    def is_insecure(self, /) -> bool:
        """Whether they are insecure toys, for tests."""

    @property
    def literal(self, /) -> dict[str, Any]:
        """All numbers that define the set, as a dictionary, which `json.dumps` can write and `from_literal` reads."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> Parameters:
        """Reads a file of parameters of lookups, as `save` and `cryptable plan --output` write it, and validates them."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a lookup returns any wrong value in a ciphertext."""

    @property
    def log2_fail_per_value(self, /) -> float:
        """log2 of the probability that a lookup returns a given value wrong."""

    @property
    def method(self, /) -> str:
        """The method that evaluates tables."""

    @property
    def output_modulus(self, /) -> int:
        """Outputs are below this modulus."""

    def prediction(
        self, /, *, values: SupportsIndex = 1, tables: SupportsIndex = 1, entries: Entries = "shared"
    ) -> Prediction:
        """Predicts the costs of a lookup of `values` values in `tables` tables."""

    @property
    def ring_degree(self, /) -> int:
        """The ring degree."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file of the parameters, which `cryptable keygen --plan` also reads."""

    @property
    def secrets(self, /) -> list[Secret]:
        """LWE problems on which the security of each secret rests."""

    @property
    def security_bits(self, /) -> float:
        """Classical security of the weakest secret in bits; 0 for toys."""

    @property
    def sum_limits(self, /) -> SumLimits | None:
        """Limits of sums; `None` where there are no sums."""

    def to_bytes(self, /) -> bytes:
        """Returns the canonical bytes."""

    @property
    def values_per_ciphertext(self, /) -> int:
        """Number of values that one ciphertext holds."""

@final
class Plan:
    """All ways to evaluate a table, the best first. Prints as a table."""

    def __repr__(self, /) -> str: ...
    def __str__(self, /) -> str: ...
    def _repr_html_(self, /) -> str:
        """Returns the comparison as HTML, for notebooks."""

    @property
    def best(self, /) -> Candidate:
        """The best way, which `SecretKey.generate` uses."""

    @property
    def best_for_more_lookups(self, /) -> tuple[int, Candidate] | None:
        """The number of lookups with one key from which another way becomes the best, and that way; `None` if the best way
        also has the fastest lookups.
        """

    def best_of(self, /, engine: Engine) -> Candidate | None:
        """Returns the best way of an engine, if it has one."""

    @property
    def candidates(self, /) -> list[Candidate]:
        """All ways, the best first."""

    @property
    def cost_model(self, /) -> CostModel:
        """Cost model of the predicted times."""

    @property
    def crossing(self, /) -> int | None:
        """The least number of values for which the server should pack single ones, in a plan with `inputs="single"`."""

    @property
    def fastest_per_method(self, /) -> list[Candidate]:
        """The fastest parameters of the three fastest methods of each engine, which a printed plan shows."""

    @property
    def lookups(self, /) -> int:
        """Number of lookups with one key for which engines are compared."""

    @property
    def refusals(self, /) -> list[tuple[str, str]]:
        """Engines that have no parameters for the request, with the reasons."""

    @property
    def threads(self, /) -> int:
        """Number of threads for which times are predicted."""

    @property
    def values(self, /) -> int:
        """Number of values for which times are predicted."""

    @property
    def values_assumed(self, /) -> bool:
        """Whether that number is assumed, since the caller did not set it."""

@final
class Prediction:
    """Predicted costs of a lookup."""

    def __repr__(self, /) -> str: ...
    @property
    def ciphertext_bytes(self, /) -> int:
        """Size of a fresh ciphertext in bytes."""

    @property
    def key_file_bytes(self, /) -> int:
        """Size of the evaluation key's file in bytes."""

    @property
    def key_memory_bytes(self, /) -> int:
        """Size of the evaluation key in memory, in bytes."""

    @property
    def parallelism(self, /) -> int:
        """Number of threads that the lookup of one ciphertext can use."""

    def peak_bytes(self, /, threads: int = 2) -> int:
        """Peak memory in bytes, including keys."""

    @property
    def result_bytes(self, /) -> int:
        """Size of a result in bytes."""

    def seconds(self, /, values: SupportsIndex, threads: int = 1, *, cost_model: CostModel | None = None) -> float:
        """Returns the seconds of a lookup of `values` values by a cost model (default: that of this machine)."""

    @property
    def values_per_ciphertext(self, /) -> int:
        """Number of values that one ciphertext holds."""

    @property
    def working_bytes(self, /) -> int:
        """Memory in bytes besides the key, on one thread."""

@final
class Secret:
    """A learning-with-errors problem on which the security of a secret rests."""

    def __repr__(self, /) -> str: ...
    @property
    def dimension(self, /) -> int:
        """LWE dimension, or ring degree."""

    @property
    def distribution(self, /) -> str:
        """How the secret is drawn: `binary`, `ternary`, or `ternary of weight` and its Hamming weight."""

    @property
    def is_ring(self, /) -> bool:
        """Whether it is ring LWE."""

    @property
    def log2_modulus(self, /) -> float:
        """log2 of the largest modulus under which anything is encrypted with this secret."""

    @property
    def name(self, /) -> str:
        """The secret of the set that it concerns."""

    @property
    def security_bits(self, /) -> float | None:
        """Estimated log2 cost of the cheapest attack, from the tables of estimates; `None` if they have no such row."""

@final
class SumLimits:
    """Limits before noise becomes too large: the number of terms of sums, and of lookups in a row."""

    def __repr__(self, /) -> str: ...
    @property
    def fresh_lookup(self, /) -> int:
        """Largest number of fresh values in a sum that can be looked up."""

    @property
    def lookups_in_a_row(self, /) -> int | None:
        """Largest number of lookups in a row on a fresh value; `None` if there is no limit."""

    @property
    def result_decryption(self, /) -> int:
        """Largest number of results of lookups in a sum that can be decrypted."""

    @property
    def result_lookup(self, /) -> int:
        """Largest number of results of lookups in a sum that can be looked up; 0 if results have another modulus than
        inputs.
        """

    @property
    def text(self, /) -> str:
        """All limits in one sentence."""

def list_parameters() -> list[ListedParameters]:
    """Lists all named parameter sets, and those that plans use by default for tables of every width. Takes half a minute."""

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
    """Compares all ways to evaluate a table of these input and output moduli."""
