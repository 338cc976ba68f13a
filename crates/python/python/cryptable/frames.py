"""Encrypted data frames: columns of integers, decimals, dates and words, with gaps (missing values).

    >>> import cryptable
    >>> from cryptable import frames
    >>> schema = frames.Schema.from_json('''{"columns": [
    ...     {"column": "age", "type": "integer", "maximum": 15, "nulls": "validity"}]}''')
    >>> results = frames.Schema.from_json('''{"columns": [
    ...     {"column": "ticket", "type": "words", "words": ["child", "adult"]}]}''')
    >>> secret = cryptable.SecretKey.generate_insecure_toy("single", 16, 16)    # for use: of a plan
    >>> server = secret.evaluation_key(progress=False)                          # what the server gets
    >>> schema.names, results.names
    (['age'], ['ticket'])

A program computes counts, sums and means by group, and keys are made for that program:

    >>> program = frames.group_by("region", 4, {"people": 1, "total": "visits"}, bits=4)
    >>> secret = cryptable.SecretKey.generate(frames.plan(program, insecure_toy=True))
    >>> schema = frames.Schema.from_json('''{"columns": [
    ...     {"column": "region", "type": "words", "words": ["north", "south", "west"]},
    ...     {"column": "visits", "type": "integer", "maximum": 15}]}''')

Data may be polars DataFrames and, if pyarrow is installed, anything that exports its columns to Arrow: pandas
DataFrames, pyarrow tables, DuckDB relations. Decrypted columns can become any of them again. The tutorial on frames
describes schemas.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ._native import EvaluationKey, SecretKey, programs
from ._native import frames as _compiled
from .errors import RangeError
from .progress import Progress
from .tables import TableLike

Frame = _compiled.Frame
Schema = _compiled.Schema
Program = programs.ServerProgram
ProgramPlan = programs.ProgramPlan

__all__ = [
    "ArrowStream",
    "Columns",
    "Frame",
    "Program",
    "ProgramPlan",
    "Schema",
    "argmax",
    "at_least",
    "decrypt",
    "digit_counts",
    "encrypt",
    "group_by",
    "join",
    "kth_largest",
    "largest",
    "plan",
    "run",
    "select",
    "sort",
    "suggest",
]


class ArrowStream(Protocol):
    """Data that exports its columns through Arrow's C stream interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns a capsule that holds a stream of columns."""


@dataclass(frozen=True)
class Columns:
    """Decrypted columns. With pyarrow, `pandas.DataFrame.from_arrow`, `pyarrow.table` and DuckDB read them directly."""

    arrow: bytes = field(repr=False)
    """The columns as an Arrow file."""

    def to_polars(self) -> Any:
        """Returns a polars DataFrame."""
        import polars

        return polars.read_ipc(io.BytesIO(self.arrow))

    def to_pyarrow(self) -> Any:
        """Returns a pyarrow table."""
        import pyarrow.ipc

        return pyarrow.ipc.open_file(self.arrow).read_all()

    def to_pandas(self) -> Any:
        """Returns a pandas DataFrame, converted by pyarrow."""
        return self.to_pyarrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Exports the columns to any reader of Arrow data, through pyarrow."""
        return self.to_pyarrow().__arrow_c_stream__(requested_schema)


def _as_arrow(data: ArrowStream) -> bytes:
    """Converts data to an Arrow stream."""
    buffer = io.BytesIO()
    if hasattr(data, "write_ipc_stream"):
        data.write_ipc_stream(buffer)
        return buffer.getvalue()
    if not hasattr(data, "__arrow_c_stream__"):
        raise TypeError(
            "data are a DataFrame of polars or pandas, a table of pyarrow, a relation of DuckDB, or whatever else has "
            f"columns for Arrow, not {type(data).__name__}"
        )
    try:
        import pyarrow.ipc
    except ImportError:
        name = type(data).__name__
        raise TypeError(
            f"reading a {name} needs pyarrow, which is not installed: `pip install pyarrow`, or use polars"
        ) from None
    table = pyarrow.table(data)
    with pyarrow.ipc.new_stream(buffer, table.schema) as stream:
        stream.write_table(table)
    return buffer.getvalue()


def suggest(data: ArrowStream, *, bits: int = 8) -> Schema:
    """Suggests a schema for data and keys of `bits` bits, without the columns that cannot be represented.

    The schema reveals ranges and words of the data, so it is as private as they are.
    """
    return _compiled.suggest_schema(_as_arrow(data), bits)[0]


def encrypt(secret: SecretKey, data: ArrowStream, schema: Schema) -> Frame:
    """Encrypts the columns of the schema. A `RangeError` for a value that does not fit names its column and row."""
    return _compiled.encrypt_frame(secret, _as_arrow(data), schema)


def decrypt(secret: SecretKey, frame: Frame, schema: Schema | None = None) -> Columns:
    """Decrypts all columns, in the units of the frame or else of the schema; columns without units become integers."""
    return Columns(_compiled.decrypt_frame(secret, frame, schema))


def select(
    server: EvaluationKey,
    frame: Frame,
    lookups: Mapping[str, tuple[str, TableLike | str] | str],
    *,
    schema: Schema | None = None,
    results: Schema | None = None,
    threads: int = 0,
    progress: Progress = True,
) -> Frame:
    """Looks columns up in tables: `{"ticket": ("age", table)}` maps the column `age` to a result column `ticket`.

    `{"years": "age"}` copies a column unchanged, under the same or another name.
    A table is anything that `cryptable.table` accepts, on the integers that represent values, or CSV text in the units
    of `schema` and `results`, with a header such as `age,ticket`, `from,to,ticket` or `from,below,ticket`. Gaps in a
    column remain gaps in its results. Lookups of the same column run together.
    """
    steps = []
    for into, it in lookups.items():
        if not isinstance(it, str) and not (isinstance(it, tuple) and len(it) == 2):
            raise TypeError(f"{into!r} takes a pair (column, table), or the name of a column")
        steps.append((into, it, None) if isinstance(it, str) else (into, *it))
    return _compiled.select_frame(server, frame, steps, (schema, results), threads, progress)


def join(
    server: EvaluationKey,
    frame: Frame,
    key: str,
    table: str | Mapping[str, Sequence[Any]],
    *,
    columns: Sequence[str] | None = None,
    default: str | None = None,
    schema: Schema | None = None,
    results: Schema | None = None,
    threads: int = 0,
    progress: Progress = True,
) -> Frame:
    """Adds columns of the server's table, in the clear, to a frame by a column of keys (a left join).

    The table is CSV text or a dictionary of columns. Its first column holds the keys, each once, in the units of
    `schema`; the other columns are in the units of `results`. `columns` names the columns to add, by default all. Rows
    whose key is not in the table get `default` if it is given, else gaps.

    >>> table = {"region": ["north", "west"], "rate": [3, 5], "seat": ["Oslo", "Bergen"]}
    >>> joined = join(server, frame, "region", table, schema=schema)  # doctest: +SKIP
    """
    if not isinstance(table, str):
        buffer = io.StringIO()
        lines = csv.writer(buffer)
        lines.writerow(table)
        lines.writerows(zip(*table.values(), strict=True))
        table = buffer.getvalue()
    if columns is None:
        header = next(csv.reader(io.StringIO(table)), [])
        columns = header[2 if header[:2] in (["from", "to"], ["from", "below"]) else 1 :]
    given = {"key": key, "table": table, "columns": list(columns), "default": default}
    return _compiled.join_frame(server, frame, {**given, "schema": schema, "results": results}, threads, progress)


def group_by(
    column: str,
    groups: int,
    results: Mapping[str, int | str],
    *,
    where: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    bits: int = 8,
    output_bits: int | None = None,
) -> Program:
    """Makes the program that sums columns over the rows of each group: a value of `column` from 0 to `groups - 1`.

    `results` maps new names to the sums: `{"people": 1, "total": "visits"}` counts rows and sums a column, and the
    quotient of both is a mean. The new names must differ from those of all columns.

    `where={"age": [(18, 65)]}` selects the rows in which the integer of a column is at least 18 and below 65, or in
    another of the listed ranges. If several columns are listed, a row must satisfy the condition on each of them.

    All columns are encrypted with `bits` bits. Wider values need several columns of digits, whose sums are added up
    after decryption. Decrypted results have one row per group. Each partial sum, over as many rows as there are groups,
    has `output_bits` bits (by default, enough for the largest sum); whoever decrypts learns the partial sums.
    """
    conditions = dict(where or {})
    read = {of for of in results.values() if isinstance(of, str)} | set(conditions)
    names = [column, *sorted(read - {column})]
    rows = max(4, 1 << (groups - 1).bit_length())
    largest = max(of if isinstance(of, int) else (1 << bits) - 1 for of in results.values())
    formulas: list[dict[str, Any]] = []
    for of in results.values():
        formula: dict[str, Any] = {"constant": of} if isinstance(of, int) else {"column": names.index(of)}
        for name, ranges in conditions.items():
            choice = {"column": names.index(name), "within": [list(of_range) for of_range in ranges]}
            formula = {"choice": {**choice, "then": formula, "otherwise": {"constant": 0}}}
        formulas.append(formula)
    literal = {
        "columns": names,
        "modulus": 1 << bits,
        "group_by": {"column": column, "groups": groups},
        "results": list(results),
        "output_modulus": 1 << ((rows * largest).bit_length() if output_bits is None else output_bits),
        "formulas": formulas,
    }
    return Program.from_json(json.dumps(literal))


def digit_counts(digits: Sequence[str], before: Sequence[int], *, bits: int = 8) -> Program:
    """Makes the program that counts the values of the next digit among the rows whose first digits are `before`.

    `digits` names the columns of a value's digits of `bits` bits, the most significant first. A key that is planned for
    the last digit, with any numbers as `before`, serves the programs of all digits, and those of `at_least`.
    """
    where = {name: [(digit, digit + 1)] for name, digit in zip(digits, before, strict=False)}
    return group_by(digits[len(before)], 1 << bits, {"rows": 1}, where=where, bits=bits)


def kth_largest(ask: Callable[[Program], Columns], digits: Sequence[str], k: int, *, bits: int = 8) -> tuple[int, ...]:
    """Finds the k-th largest value of a column in digits (a maximum or median, say), by a histogram of each digit.

    `ask` has the server run a program and decrypts the results, once per digit. Each program contains the digits found
    so far, so the server learns all digits but the last. They are answers of a decryption, which SECURITY.md says to
    give sparingly, and never to a server that may cheat.
    """
    found: list[int] = []
    left = k
    for _ in digits:
        columns = ask(digit_counts(digits, found, bits=bits)).to_polars()
        counts = columns["rows"].to_list()
        digit = len(counts) - 1
        while digit >= 0 and counts[digit] < left:
            left -= counts[digit]
            digit -= 1
        if digit < 0 or k < 1:
            raise RangeError(f"k={k}; there are {k - left} rows")
        found.append(digit)
    return tuple(found)


def largest(
    server: EvaluationKey,
    frame: Frame,
    digits: Sequence[str],
    k: int,
    *,
    result: str = "selected",
    threads: int = 0,
    progress: Progress = True,
) -> Frame:
    """Marks the rows of the k largest values by 1, including all that equal the k-th largest, and all others by 0.

    `digits` names the columns of a value's digits of 8 bits, the most significant first. The key must be planned by
    `cryptable.integers.plan(digit_bits=4, search=True)`, which predicts the time. The client takes no part in the
    search, and the server learns neither the threshold nor the rows.
    """
    return _compiled.largest_rows(server, frame, (list(digits), k, result), threads, progress)


def argmax(
    server: EvaluationKey,
    frame: Frame,
    digits: Sequence[str],
    *,
    result: str = "selected",
    threads: int = 0,
    progress: Progress = True,
) -> Frame:
    """Marks the first row that has the largest value by 1, and all others by 0; arguments are those of `largest`."""
    return _compiled.largest_rows(server, frame, (list(digits), None, result), threads, progress)


def sort(
    digits: Sequence[str],
    others: Sequence[str] = (),
    *,
    bits: int = 4,
    descending: bool = False,
    results: Sequence[str] | None = None,
) -> Program:
    """Makes the program that sorts rows by a value, the smallest first, and moves other columns along.

    `digits` names the columns of the value's digits of `bits` bits, the most significant first. All columns are
    encrypted with two more bits, which `others` may use. Digits whose `maximum` in the schema is larger or missing are
    refused: by `plan`, if it gets the schema, else by `run`.

    Results are named `sorted_` followed by the name of the column, or as `results` says. All rows must fit in one
    ciphertext, 65,536 at most; rows with equal values come in any order. `plan` predicts the cost for `rows` rows.

    >>> sort(["high", "low"], ["name"]).results
    ['sorted_high', 'sorted_low', 'sorted_name']
    """
    columns = [*digits, *others]
    literal = {
        "columns": columns,
        "modulus": 4 << bits,
        "results": [f"sorted_{name}" for name in columns] if results is None else list(results),
        "output_modulus": 4 << bits,
        "sort": {"keys": len(digits), "descending": descending},
    }
    return Program.from_json(json.dumps(literal))


def at_least(digits: Sequence[str], least: Sequence[int], *, bits: int = 8, result: str = "selected") -> Program:
    """Makes the program that marks rows by 1 if their value is at least `least`, in digits as in `kth_largest`."""
    if not any(least):
        raise RangeError("every value is at least 0")
    end = 1 << bits
    last = len(digits) - 1
    formula: dict[str, Any] = _choice(last, least[last], end, {"constant": 1})
    for place in reversed(range(last)):
        equal = _choice(place, least[place], least[place] + 1, formula)
        formula = {"sum": [_choice(place, least[place] + 1, end, {"constant": 1}), equal]}
    literal = {
        "columns": list(digits),
        "modulus": end,
        "results": [result],
        "output_modulus": 1 << (end.bit_length()),
        "formulas": [formula],
    }
    return Program.from_json(json.dumps(literal))


def _choice(column: int, first: int, end: int, then: dict[str, Any]) -> dict[str, Any]:
    """Returns the formula that is `then` where a column is within a range, and 0 elsewhere."""
    return {"choice": {"column": column, "within": [[first, end]], "then": then, "otherwise": {"constant": 0}}}


def plan(
    program: Program,
    *,
    schema: Schema | None = None,
    rows: int | None = None,
    memory: int | None = None,
    log2_fail: float | None = None,
    threads: int | None = None,
    insecure_toy: bool = False,
) -> ProgramPlan:
    """Finds parameters for a program, for `SecretKey.generate`, and predicts its time and memory.

    Given the `schema` of the frame, `plan` already refuses columns that `run` would refuse: sort digits that may be too
    large, gaps, and values that belong to no group.
    """
    if schema is not None:
        schema.check(program)
    return programs.plan_program(
        program, values=rows, memory=memory, log2_fail=log2_fail, threads=threads, insecure_toy=insecure_toy
    )


def run(server: EvaluationKey, frame: Frame, program: Program, *, threads: int = 0, progress: Progress = True) -> Frame:
    """Runs a program on the columns of a frame, which it finds by name."""
    return programs.run_program(server, frame, program, threads, progress)
