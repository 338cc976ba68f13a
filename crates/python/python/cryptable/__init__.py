"""Lookup tables on encrypted data.

A client encrypts integers. A server that holds no secret maps each of them through a table of 2 to 2^24 entries; the
client decrypts exact integers.

    >>> import numpy as np, cryptable
    >>> curve = 255 - np.arange(256)                           # any table
    >>> plan = cryptable.plan(curve, values=4)                 # all ways to look it up, the best first: print(plan)
    >>> secret = cryptable.SecretKey.generate(plan)            # the client
    >>> server = secret.evaluation_key()                       # what the server gets
    >>> pixels = secret.encrypt([[0, 17], [128, 255]])         # integers of any shape
    >>> secret.decrypt(server.lookup(pixels, curve)).tolist()  # the same shape
    [[255, 238], [127, 0]]

Keys and ciphertexts have at least 128 bits of security. Results are exact, except with a failure probability that every
plan states.

Other modules offer more than tables: `integers` (columns of 8 to 64 bits), `large_values`, `comparisons`, `wide`
(dictionaries), `ckks` (real and complex vectors), `circuits`, `bits`, `booleans`, `transciphering` (AES), `bridges` and
`owners` (a key shared by several parties). Each has its own kind of keys and an example (`help(cryptable.integers)`).
`cryptable.ray` runs lookups on many machines, and `Client` on a server that `cryptable serve` started.

Long calls show a progress bar (if tqdm is installed; `progress=False` hides it, and a callback gets the steps done and
the total). They stop at Ctrl-C, let other Python threads run, and use all cores (`threads=1` for one). Errors are in
`cryptable.errors`.
"""

from __future__ import annotations

from typing import Literal

from . import (
    bfloat16,
    bits,
    booleans,
    bridges,
    circuits,
    ckks,
    comparisons,
    errors,
    frames,
    integers,
    large_values,
    ml,
    owners,
    transciphering,
    wide,
)
from . import tables as _tables
from ._native import (
    Automaton,
    Canaries,
    EvaluationKey,
    PublicKey,
    Register,
    RekeyingKey,
    SecretKey,
    Selectors,
    __version__,
    inspect,
)
from ._native.ciphertexts import Ciphertext, CiphertextReader, CiphertextWriter
from ._native.plans import (
    Candidate,
    CostModel,
    ListedParameters,
    Parameters,
    Plan,
    Prediction,
    Secret,
    SumLimits,
    list_parameters,
)
from ._native.plans import plan as _plan
from ._native.tables import ComplexTable, EncryptedTable, PreparedComplexTable, PreparedTable, Table
from .client import Client
from .code_book import CodeBook
from .demo import demo
from .errors import CryptableError
from .linear import computing
from .tables import Engine, Entries, TableLike, complex_table, real_table, table

__all__ = [
    "Automaton",
    "Canaries",
    "Candidate",
    "Ciphertext",
    "CiphertextReader",
    "CiphertextWriter",
    "Client",
    "CodeBook",
    "ComplexTable",
    "CostModel",
    "CryptableError",
    "EncryptedTable",
    "EvaluationKey",
    "ListedParameters",
    "Parameters",
    "Plan",
    "Prediction",
    "PreparedComplexTable",
    "PreparedTable",
    "PublicKey",
    "Register",
    "RekeyingKey",
    "Secret",
    "SecretKey",
    "Selectors",
    "SumLimits",
    "Table",
    "TableLike",
    "__version__",
    "bfloat16",
    "bits",
    "booleans",
    "bridges",
    "circuits",
    "ckks",
    "comparisons",
    "complex_table",
    "computing",
    "demo",
    "errors",
    "frames",
    "inspect",
    "integers",
    "large_values",
    "list_parameters",
    "ml",
    "owners",
    "plan",
    "real_table",
    "table",
    "transciphering",
    "wide",
]


def plan(
    table: TableLike | ComplexTable | None = None,
    *,
    moduli: tuple[int, int] | None = None,
    values: int | None = None,
    lookups: int = 1,
    bandwidth: int | None = None,
    tables: int = 1,
    lookups_in_a_row: int = 1,
    word_length: int = 0,
    chain: int = 0,
    log2_fail: float | None = None,
    memory: int | None = None,
    threads: int | None = None,
    goal: Literal["throughput", "latency"] = "throughput",
    engine: Engine | None = None,
    inputs: Engine | None = None,
    method: str | None = None,
    ring_degree: int | None = None,
    digit_bits: int | None = None,
    entries: Entries = "shared",
    complex_outputs: bool = False,
    hide_table: int | None = None,
    cost_model: CostModel | None = None,
) -> Plan:
    """Compares all ways to evaluate a table, the best first; `SecretKey.generate` uses the best one.

    `table` is anything that `cryptable.table` accepts, or a `complex_table`. Without a table, `moduli` are the
    exclusive upper bounds of its inputs and outputs. Keyword arguments describe the use and restrict the search:

    - `values`: number of values per lookup (by default the plan assumes a number, and says so); `tables`: number of
      tables evaluated on one input; `lookups`: number of lookups for which one key is made and read, which decides
      between engines when there are few values; `bandwidth`: bytes per second at which the key is sent to the server,
      so that the plan counts that time, too;
    - `threads`, `memory` (bytes), `log2_fail` (log2 of the largest probability that a ciphertext fails: -64);
    - `goal`: `"throughput"` or `"latency"`; `engine`: `"packed"`, `"single"` or `"leveled"`;
    - `inputs="single"`: single values, which the server may pack; `lookups_in_a_row`: number of lookups, each on the
      results of the one before;
    - `word_length`: number of values in the longest words that automata read (`EvaluationKey.run_automaton`), although
      the predicted times remain those of lookups; `chain`: number of encrypted bits in a row that registers support
      (`EvaluationKey.register`);
    - `entries`: `"shared"` (the default) for one table for all values, `"per-value"` for a separate table for every
      value, `"encrypted"` for tables that the server cannot read;
    - `complex_outputs=True`: for complex tables, if only `moduli` are given;
    - `hide_table`: number of bits, usually 40 or 64, by which results of packed or single values hide the table from
      the holder of the secret key;
    - `method`, `ring_degree`, `digit_bits`: fix the method itself; `cost_model`: the machine for which times are
      predicted.

    >>> plan([1, 0, 3, 2], engine="single", values=10).best.engine
    'single'
    """
    if (table is None) == (moduli is None):
        raise TypeError("a plan is for a table, or for moduli=(inputs, outputs)")
    if isinstance(table, int):
        raise TypeError(f"a plan is for a table, not for {table}; moduli=(256, 16) names inputs and outputs of tables")
    if isinstance(table, ComplexTable):
        complex_outputs = True
    elif table is not None:
        table = _tables.table(table)
    if table is not None:
        moduli = (table.input_modulus, table.output_modulus)
    assert moduli is not None
    return _plan(
        moduli,
        values=values,
        lookups=lookups,
        bandwidth=bandwidth,
        tables=tables,
        lookups_in_a_row=lookups_in_a_row,
        word_length=word_length,
        chain=chain,
        log2_fail=log2_fail,
        memory=memory,
        threads=threads,
        goal=goal,
        engine=engine,
        inputs=inputs,
        method=method,
        ring_degree=ring_degree,
        digit_bits=digit_bits,
        entries=entries,
        complex_outputs=complex_outputs,
        hide_table=hide_table,
        cost_model=cost_model,
    )
