"""Tables of data, encrypted: columns of integers, decimals, dates and words, with gaps.

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

Counts, sums and means by group are a program, for which keys are made:

    >>> program = frames.group_by("region", 4, {"people": 1, "total": "visits"}, bits=4)
    >>> secret = cryptable.SecretKey.generate(frames.plan(program, insecure_toy=True))
    >>> schema = frames.Schema.from_json('''{"columns": [
    ...     {"column": "region", "type": "words", "words": ["north", "south", "west"]},
    ...     {"column": "visits", "type": "integer", "maximum": 15}]}''')

Data are DataFrames of polars and, where pyarrow is installed, whatever gives its columns to Arrow: DataFrames of
pandas, tables of pyarrow, relations of DuckDB. Decrypted columns become any of them again. The tutorial on frames says
what a schema has.
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
    """Data that give their columns to Arrow, by its C interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns a capsule with a stream of columns."""


@dataclass(frozen=True)
class Columns:
    """Decrypted columns. With pyarrow, `pandas.DataFrame.from_arrow`, `pyarrow.table` and DuckDB take them directly."""

    arrow: bytes = field(repr=False)
    """The columns as a file of Arrow's."""

    def to_polars(self) -> Any:
        """Returns a DataFrame of polars."""
        import polars

        return polars.read_ipc(io.BytesIO(self.arrow))

    def to_pyarrow(self) -> Any:
        """Returns a table of pyarrow."""
        import pyarrow.ipc

        return pyarrow.ipc.open_file(self.arrow).read_all()

    def to_pandas(self) -> Any:
        """Returns a DataFrame of pandas, by pyarrow."""
        return self.to_pyarrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Gives the columns to whoever reads Arrow, by pyarrow."""
        return self.to_pyarrow().__arrow_c_stream__(requested_schema)


def _as_arrow(data: ArrowStream) -> bytes:
    """Writes data as a stream of Arrow's."""
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
            f"a {name} is read by pyarrow, which is not installed: `pip install pyarrow`, or polars"
        ) from None
    table = pyarrow.table(data)
    with pyarrow.ipc.new_stream(buffer, table.schema) as stream:
        stream.write_table(table)
    return buffer.getvalue()


def suggest(data: ArrowStream, *, bits: int = 8) -> Schema:
    """Suggests a schema of data, for keys of `bits` bits; columns that cannot be represented are not in it.

    It tells ranges and words of the data, and is as private as they are.
    """
    return _compiled.suggest_schema(_as_arrow(data), bits)[0]


def encrypt(secret: SecretKey, data: ArrowStream, schema: Schema) -> Frame:
    """Encrypts the columns that the schema has. A value that does not fit is a `RangeError` with its column and row."""
    return _compiled.encrypt_frame(secret, _as_arrow(data), schema)


def decrypt(secret: SecretKey, frame: Frame, schema: Schema | None = None) -> Columns:
    """Decrypts all columns, in the units of the frame or else of the schema; columns that neither has are integers."""
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
    """Looks columns up: `{"ticket": ("age", table)}` is the column `ticket` of results, of the column `age`.

    `{"years": "age"}` takes a column as it is, under the same or another name.
    A table is what `cryptable.table` takes, of the integers that represent values, or a text in CSV in the units of
    `schema` and `results`, with a header such as `age,ticket`, `from,to,ticket` or `from,below,ticket`. Gaps of a
    column are gaps of what is looked up of it. Lookups of one column are done together.
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
    """Adds the columns of a table by a column of keys: a left join, in which the server's table stays in the clear.

    The table is a text in CSV, or a dictionary of columns; its first column has the keys, each once, in the units of
    `schema`, as the columns have those of `results`. `columns` are those that are added, by default all. Rows whose key
    is not in the table get `default`, or else gaps.

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
    """Makes the program that adds up columns over the rows of each group, the values of `column` below `groups`.

    `{"people": 1, "total": "visits"}` are a count of rows and the sum of a column, by names that no
    column has; their quotient is a mean.
    `where={"age": [(18, 65)]}` takes the rows only whose integers of a column are from 18 on and below 65, or in other
    such ranges; of several columns, all have to be. All columns are encrypted with `bits` bits; wider ones in several
    columns of digits, whose sums are added up after decryption. Decrypted results have a row for each group. Partial
    sums, of as many rows as there are groups, have `output_bits` bits, by default as many as they need: whoever
    decrypts learns them.
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
    """Makes the program that counts the values of a digit, among the rows that have the digits `before` it.

    `digits` are the columns of a value's digits of `bits` bits, the most significant first. A key that is planned for
    the last digit, `before` any numbers, serves all of them, and `at_least`.
    """
    where = {name: [(digit, digit + 1)] for name, digit in zip(digits, before, strict=False)}
    return group_by(digits[len(before)], 1 << bits, {"rows": 1}, where=where, bits=bits)


def kth_largest(ask: Callable[[Program], Columns], digits: Sequence[str], k: int, *, bits: int = 8) -> tuple[int, ...]:
    """Finds the k-th largest value of a column in digits, by a histogram of each digit: a maximum, a median.

    `ask` has a program run by the server, and decrypts what comes back, once per digit. Programs have
    the digits that were found but the last: the server learns them, as answers of a decryption, which SECURITY.md says
    to give sparingly and to no server that may cheat.
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
    """Marks the rows of the k largest values by 1, also those that equal the k-th largest, and all others by 0.

    `digits` are columns of a value, 8 bits each, the most significant first; the key is that of
    `cryptable.integers.plan(digit_bits=4, search=True)`, which says the time. No round with the client is needed, and
    the server learns neither the threshold nor the rows.
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
    """Marks the row of the largest value by 1, the first one of several, and all others by 0: see `largest`."""
    return _compiled.largest_rows(server, frame, (list(digits), None, result), threads, progress)


def sort(
    digits: Sequence[str],
    others: Sequence[str] = (),
    *,
    bits: int = 4,
    descending: bool = False,
    results: Sequence[str] | None = None,
) -> Program:
    """Makes the program that sorts rows by a value, the smallest first, with other columns along.

    `digits` are columns of the value's digits of `bits` bits, the most significant first; columns are encrypted with
    two bits more, which `others` may use. Digits whose `maximum` in the schema is larger or missing are refused: by
    `plan`, if it is given the schema, else by `run`.
    Results are called `sorted_` and the name of the column, or `results`. All rows are in one ciphertext, 65,536 at
    most; rows with equal values come in any order. `plan` says what it takes, for `rows` rows.

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
    """Makes the program that marks the rows whose value is at least `least`, in digits as in `kth_largest`, by 1."""
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
    """A formula where a column is within a range, and 0 elsewhere."""
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

    With the `schema` of the frame, columns that `run` would refuse are refused now: digits of a sort that may be too
    large, gaps, values that are no group.
    """
    if schema is not None:
        schema.check(program)
    return programs.plan_program(
        program, values=rows, memory=memory, log2_fail=log2_fail, threads=threads, insecure_toy=insecure_toy
    )


def run(server: EvaluationKey, frame: Frame, program: Program, *, threads: int = 0, progress: Progress = True) -> Frame:
    """Runs a program on the columns of a frame that have its names."""
    return programs.run_program(server, frame, program, threads, progress)
