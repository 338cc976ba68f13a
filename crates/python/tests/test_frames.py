"""Frames from DataFrames, and back."""

import datetime

import cryptable
import pytest
from cryptable import errors, frames

SCHEMA = frames.Schema.from_json("""{"columns": [
    {"column": "age", "type": "integer", "maximum": 15, "nulls": "validity"},
    {"column": "change", "type": "integer", "minimum": -8, "maximum": 7},
    {"column": "region", "type": "words", "words": ["north", "south"]},
    {"column": "since", "type": "date", "offset": "2024-01-01"}
]}""")

RESULTS = frames.Schema.from_json("""{"columns": [
    {"column": "ticket", "type": "words", "words": ["child", "adult"]},
    {"column": "rate", "type": "number", "scale": 0.25, "maximum": 2}
]}""")

PEOPLE = {
    "age": [3, None, 12],
    "change": [-8, 7, -1],
    "region": ["north", "south", "south"],
    "since": [datetime.date(2024, 1, day) for day in (1, 9, 16)],
}


def of_pandas():
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(PEOPLE).assign(region=lambda it: it.region.astype("category"))


def of_polars():
    polars = pytest.importorskip("polars")
    return polars.DataFrame(PEOPLE).with_columns(polars.col("region").cast(polars.Categorical))


def of_pyarrow():
    return pytest.importorskip("pyarrow").table(PEOPLE)


def of_duckdb():
    return pytest.importorskip("duckdb").from_arrow(of_pyarrow())


def values(columns):
    """Returns columns as lists."""
    return columns.to_polars().to_dict(as_series=False)


@pytest.mark.parametrize("make", [of_pandas, of_polars, of_pyarrow, of_duckdb])
def test_frames_of_every_library(make, secret, server, tmp_path):
    data = make()
    frame = frames.encrypt(secret, data, SCHEMA)
    assert (len(frame), frame.names) == (3, list(PEOPLE))
    frame.save(tmp_path / "people.frame")
    frame = frames.Frame.load(tmp_path / "people.frame")
    assert values(frames.decrypt(secret, frame, SCHEMA)) == PEOPLE
    tickets = "from,to,ticket\n,5,child\n6,,adult\n"
    squares = [x * x % 16 for x in range(16)]
    lookups = {
        "ticket": ("age", tickets),
        "square": ("age", squares),
        "rate": ("region", "region,rate\nnorth,0.5\nsouth,2\n"),
    }
    found = frames.select(server, frame, lookups, schema=SCHEMA, results=RESULTS, progress=False)
    expected = {"ticket": ["child", None, "adult"], "square": [9, None, 0], "rate": [0.5, 2.0, 2.0]}
    assert values(frames.decrypt(secret, found)) == expected


def test_columns_become_what_people_use(secret):
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    columns = frames.decrypt(secret, frames.encrypt(secret, of_polars(), SCHEMA), SCHEMA)
    assert pyarrow.table(columns).to_pydict() == PEOPLE
    assert columns.to_pandas().change.tolist() == PEOPLE["change"]
    assert pandas.DataFrame.from_arrow(columns).region.tolist() == PEOPLE["region"]


def test_every_input_has_its_output(packed):
    polars = pytest.importorskip("polars")
    secret, server = packed
    data = polars.DataFrame({"change": range(-8, 8)})
    schema = frames.suggest(data, bits=4)
    frame = frames.encrypt(secret, data, schema)
    found = frames.select(server, frame, {"double": ("change", lambda x: 2 * x % 16)}, progress=False)
    assert values(frames.decrypt(secret, found)) == {"double": [2 * x % 16 for x in range(-8, 8)]}


def test_tables_are_joined_and_columns_taken(secret, server):
    polars = pytest.importorskip("polars")
    frame = frames.encrypt(secret, polars.DataFrame(PEOPLE), SCHEMA)
    table = {"region": ["south"], "note": ["x, y"], "rate": [0.75], "ticket": ["adult"]}
    given = {"columns": ["ticket", "rate"], "schema": SCHEMA, "results": RESULTS, "progress": False}
    joined = frames.join(server, frame, "region", table, **given)
    assert joined.names == [*PEOPLE, "ticket", "rate"]
    chosen = frames.select(server, joined, {"years": "age", "rate": "rate", "ticket": "ticket"}, progress=False)
    expected = {"years": [3, None, 12], "rate": [None, 0.75, 0.75], "ticket": [None, "adult", "adult"]}
    assert values(frames.decrypt(secret, chosen)) == expected
    numbers = frames.join(server, frame, "change", "from,to,a,b\n,-1,1,2\n7,7,3,4\n", default="9", progress=False)
    found = values(frames.decrypt(secret, numbers, SCHEMA))
    assert (found["a"], found["b"]) == ([1, 3, 1], [2, 4, 2])
    with pytest.raises(errors.MismatchError, match='no column "seat"'):
        frames.join(server, frame, "region", table, **{**given, "columns": ["seat"]})


def test_largest_values_are_marked_without_the_client():
    polars = pytest.importorskip("polars")
    plan = cryptable.integers.plan(8, digit_bits=2, search=True, insecure_toy=True)
    assert {"largest", "argmax", "sort"} <= {name for name, *_ in plan.operations}
    secret = cryptable.SecretKey.generate(plan)
    numbers = [row * row * 5 % 251 for row in range(100)]
    data = polars.DataFrame({"high": [it // 16 for it in numbers], "low": [it % 16 for it in numbers]})
    frame = frames.encrypt(secret, data, frames.suggest(data, bits=4))
    server = secret.evaluation_key(progress=False)
    top = frames.largest(server, frame, ["high", "low"], 7, result="top", progress=False)
    seventh = sorted(numbers, reverse=True)[6]
    assert values(frames.decrypt(secret, top)) == {"top": [int(it >= seventh) for it in numbers]}
    first = frames.argmax(server, frame, ["high", "low"], progress=False)
    row = numbers.index(max(numbers))
    assert values(frames.decrypt(secret, first)) == {"selected": [int(it == row) for it in range(100)]}


def test_rows_are_sorted_with_other_columns_along():
    polars = pytest.importorskip("polars")
    program = frames.sort(["high", "low"], ["name"], bits=2)
    assert program.results == ["sorted_high", "sorted_low", "sorted_name"]
    secret = cryptable.SecretKey.generate(frames.plan(program, insecure_toy=True))
    numbers = [row * 7 % 16 for row in range(9)]
    data = polars.DataFrame({"high": [it // 4 for it in numbers], "low": [it % 4 for it in numbers], "name": numbers})
    frame = frames.encrypt(secret, data, frames.suggest(data, bits=4))
    found = frames.run(secret.evaluation_key(progress=False), frame, program, progress=False)
    ordered = sorted(numbers)
    assert values(frames.decrypt(secret, found)) == {
        "sorted_high": [it // 4 for it in ordered],
        "sorted_low": [it % 4 for it in ordered],
        "sorted_name": ordered,
    }
    too_large = 'sorted by values below 4, but those of "name"'
    with pytest.raises(errors.RangeError, match=too_large):
        frames.run(secret.evaluation_key(progress=False), frame, frames.sort(["name"], bits=2), progress=False)
    schema = frames.suggest(data, bits=4)
    schema.check(program)
    with pytest.raises(errors.RangeError, match=too_large):
        frames.plan(frames.sort(["name"], bits=2), schema=schema, insecure_toy=True)
    gaps = frames.suggest(data.with_columns(name=polars.Series([*numbers[1:], None])), bits=4)
    with pytest.raises(errors.MismatchError, match='"name" has gaps'):
        gaps.check(program)
    with pytest.raises(errors.RangeError, match="only 3 groups"):
        schema.check(frames.group_by("name", 3, {"rows": 1}, bits=4))


def test_what_does_not_fit(secret, server):
    polars = pytest.importorskip("polars")
    data = polars.DataFrame(PEOPLE)
    with pytest.raises(TypeError, match="not dict"):
        frames.encrypt(secret, PEOPLE, SCHEMA)
    with pytest.raises(errors.RangeError, match='column "age", row 3: 16 is not within 0 to 15'):
        frames.encrypt(secret, data.with_columns(age=polars.Series([1, 2, 16])), SCHEMA)
    with pytest.raises(errors.MismatchError, match='no column "since"'):
        frames.encrypt(secret, data.drop("since"), SCHEMA)
    with pytest.raises(errors.FormatError, match="unknown field `kind`"):
        frames.Schema.from_json('{"columns": [{"column": "a", "kind": "integer"}]}')
    frame = frames.encrypt(secret, data, SCHEMA)
    with pytest.raises(errors.MismatchError, match='no column "Age"'):
        frames.select(server, frame, {"a": ("Age", [0] * 16)}, progress=False)
    with pytest.raises(TypeError, match="'a' takes a pair"):
        frames.select(server, frame, {"a": [0] * 16}, progress=False)
    with pytest.raises(errors.TableError, match="no line for 6"):
        frames.select(server, frame, {"a": ("age", "from,to,a\n,5,1\n")}, schema=SCHEMA, progress=False)
    other = cryptable.SecretKey.generate_insecure_toy("single", 16, 16)
    with pytest.raises(errors.MismatchError):
        frames.decrypt(other, frame)


def test_schemas_are_suggested():
    polars = pytest.importorskip("polars")
    schema = frames.suggest(polars.DataFrame(PEOPLE), bits=4)
    assert schema.names == list(PEOPLE)
    assert frames.Schema.from_json(schema.to_json()).to_json() == schema.to_json()
    assert '"nulls": "validity"' in schema.to_json()


def test_sums_by_groups_have_a_row_for_each_group():
    polars = pytest.importorskip("polars")
    program = frames.group_by("region", 3, {"people": 1, "total": "visits"}, bits=4)
    assert (program.groups, program.columns, program.results) == (
        ("region", 3),
        ["region", "visits"],
        ["people", "total"],
    )
    plan = frames.plan(program, insecure_toy=True)
    assert "4 groups" in str(plan) and plan.seconds > 0
    secret = cryptable.SecretKey.generate(plan)
    schema = frames.Schema.from_json("""{"columns": [
        {"column": "region", "type": "words", "words": ["north", "south", "west"]},
        {"column": "visits", "type": "integer", "maximum": 15}]}""")
    regions = [("north", "south", "west")[row * row % 7 % 3] for row in range(300)]
    data = polars.DataFrame({"region": regions, "visits": [row * 11 % 16 for row in range(300)]})
    server = secret.evaluation_key(progress=False)
    sums = frames.run(server, frames.encrypt(secret, data, schema), program, progress=False)
    found = frames.decrypt(secret, sums, schema).to_polars()
    expected = data.group_by("region").agg(people=polars.len(), total=polars.col("visits").sum()).sort("region")
    assert found["region"].to_list() == ["north", "south", "west"]
    assert found["people"].to_list() == expected["people"].to_list()
    assert found["total"].to_list() == expected["total"].to_list()


def test_sums_by_groups_take_rows_that_pass_a_filter():
    polars = pytest.importorskip("polars")
    where = {"age": [(2, 5), (9, 16)]}
    program = frames.group_by("region", 4, {"people": 1, "years": "age"}, where=where, bits=4)
    secret = cryptable.SecretKey.generate(frames.plan(program, insecure_toy=True))
    schema = frames.Schema.from_json("""{"columns": [
        {"column": "region", "type": "integer", "maximum": 3}, {"column": "age", "type": "integer", "maximum": 15}]}""")
    data = polars.DataFrame({"region": [0, 1, 1, 3, 3], "age": [4, 5, 9, 15, 2]})
    server = secret.evaluation_key(progress=False)
    sums = frames.run(server, frames.encrypt(secret, data, schema), program, progress=False)
    found = frames.decrypt(secret, sums).to_polars().to_dict(as_series=False)
    assert found == {"region": [0, 1, 2, 3], "people": [1, 1, 0, 2], "years": [4, 9, 0, 17]}


def test_largest_values_are_found_digit_by_digit():
    polars = pytest.importorskip("polars")
    digits = ["high", "low"]
    plan = frames.plan(frames.digit_counts(digits, [0], bits=3), insecure_toy=True)
    secret = cryptable.SecretKey.generate(plan)
    server = secret.evaluation_key(progress=False)
    schema = frames.Schema.from_json("""{"columns": [
        {"column": "high", "type": "integer", "maximum": 7}, {"column": "low", "type": "integer", "maximum": 7}]}""")
    numbers = [row * row * 5 % 61 for row in range(100)]
    data = polars.DataFrame({"high": [it // 8 for it in numbers], "low": [it % 8 for it in numbers]})
    frame = frames.encrypt(secret, data, schema)

    def ask(program):
        return frames.decrypt(secret, frames.run(server, frame, program, progress=False))

    ordered = sorted(numbers, reverse=True)
    for k in (1, 10, 50, 100):
        high, low = frames.kth_largest(ask, digits, k, bits=3)
        assert 8 * high + low == ordered[k - 1], k
        if high == low == 0:
            continue
        selected = values(ask(frames.at_least(digits, (high, low), bits=3)))["selected"]
        assert selected == [int(number >= ordered[k - 1]) for number in numbers]
    with pytest.raises(errors.RangeError, match="at least 0"):
        frames.at_least(digits, (0, 0), bits=3)
    for k in (0, 101):
        with pytest.raises(errors.RangeError, match=f"k={k}"):
            frames.kth_largest(ask, digits, k, bits=3)


def test_groups_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="a multiple of 32"):
        frames.group_by("region", 30, {"people": 1}, bits=4)
