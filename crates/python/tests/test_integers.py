"""Columns of integers and booleans, against numpy, on both engines."""

import pickle

import cryptable
import numpy as np
import pytest
from cryptable import integers
from cryptable.errors import FormatError, MismatchError, PlanError, RangeError, UnsupportedError

QUIET = {"progress": False}


@pytest.fixture(scope="module", params=["packed", "single"])
def keys(request):
    plan = integers.plan(8, engine=request.param, insecure_toy=True, **({"digit_bits": 2}))
    assert plan.engine == request.param and plan.digit_bits == 2 and "lookups" in str(plan)
    assert {"add", "max", "select", "piecewise"} <= {name for name, *_ in plan.operations}
    secret = cryptable.SecretKey.generate(plan)
    return secret, secret.evaluation_key(progress=False)


def pair(dtype):
    info = np.iinfo(dtype)
    x = np.array([[info.min, info.max, 3], [7, 0, 100]], dtype=dtype)
    y = np.array([[info.max, info.max, 5], [7, 1, 77]], dtype=dtype)
    return x, y


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_operators(keys, dtype):
    secret, server = keys
    x, y = pair(dtype)
    a, b = integers.encrypt(secret, x), integers.encrypt(secret, y)
    assert a.shape == (2, 3) and a.dtype == dtype and a.size == 6
    with integers.computing(server, **QUIET):
        expected = [
            (a + b, x + y),
            (a - 3, x - dtype(3)),
            (3 - a, dtype(3) - x),
            (a < b, x < y),
            (a >= b, x >= y),
            (a == b, x == y),
            (a != b, x != y),
            (-a, -x),
            (a << 2, x << 2),
            (a >> 1, x >> 1),
            ((a < b) & ~(a == 3), (x < y) & (x != 3)),
        ]
    for found, wanted in expected:
        found = integers.decrypt(secret, found)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)


def test_functions(keys):
    secret, server = keys
    x, y = pair(np.uint8)
    a, b = integers.encrypt(secret, x), integers.encrypt(secret, y)
    less = integers.less_than(server, a, b, **QUIET)
    smaller, larger = integers.min_max(server, a, b, **QUIET)
    wanted = [
        (integers.mul(server, a, 3, **QUIET), x * np.uint8(3)),
        (smaller, np.minimum(x, y)),
        (larger, np.maximum(x, y)),
        (integers.select(server, less, a, 9, **QUIET), np.where(x < y, x, 9)),
        (integers.lookup(server, a, lambda v: 255 - v, **QUIET), 255 - x),
        (integers.lookup(server, a, np.arange(16)[::-1], dtype=np.int8, **QUIET), 15 - x % 16),
        (integers.piecewise(server, a, [(0, 1), (10, 3), (50, 0)], dtype=np.uint16, **QUIET), tax(x)),
        (integers.map_digits(server, a, lambda index, digit: digit * 4**index, dtype=np.uint16, **QUIET), x),
        (integers.cast(server, a, np.uint16, **QUIET), x),
        (integers.cast(server, less, np.uint8, **QUIET), x < y),
        (integers.shift_left(server, a, integers.encrypt(secret, np.full((2, 3), 3, np.uint8)), **QUIET), x << 3),
        (integers.rotate_right(server, a, 4, **QUIET), (x >> 4) | (x << 4)),
        (integers.reduce(server, a, **QUIET), x),
    ]
    for found, expected in wanted:
        np.testing.assert_array_equal(integers.decrypt(secret, found), expected)
    flags = integers.less_than_each(server, a, [5, 200], **QUIET)
    for flag, threshold in zip(flags, [5, 200], strict=True):
        np.testing.assert_array_equal(integers.decrypt(secret, flag), x < threshold)


def tax(x):
    x = x.astype(int)
    return np.minimum(x, 10) + 3 * (np.clip(x, 10, 50) - 10)


def test_files_and_pickles(keys, tmp_path):
    secret, _ = keys
    values = np.array([-1, 0, 2**31 - 1], dtype=np.int32)
    column = integers.encrypt(secret, values)
    column.save(tmp_path / "x.ct")
    loaded = integers.Column.load(tmp_path / "x.ct")
    assert (loaded.dtype, loaded.engine) == (np.int32, secret.engine)
    again = pickle.loads(pickle.dumps(column.reshape(3, 1)))
    assert again.shape == (3, 1)
    for found in (loaded, again.reshape(3)):
        np.testing.assert_array_equal(integers.decrypt(secret, found), values)


def test_columns_in_pieces(keys, tmp_path):
    secret, server = keys
    parts = [np.array([1, 2, 250], dtype=np.uint8), np.array([7], dtype=np.uint8)]
    with integers.ColumnWriter(tmp_path / "column.ct") as file:
        for part in parts:
            file.write(integers.encrypt(secret, part))
        assert not (tmp_path / "column.ct").exists()
    with integers.ColumnReader(tmp_path / "column.ct") as reader, integers.ColumnWriter(tmp_path / "sum.ct") as file:
        for part in reader:
            file.write(integers.add(server, part, 10, **QUIET))
    found = integers.decrypt(secret, integers.Column.load(tmp_path / "sum.ct"))
    np.testing.assert_array_equal(found, np.concatenate(parts) + np.uint8(10))
    with pytest.raises(MismatchError), integers.ColumnWriter(tmp_path / "other.ct") as file:
        for dtype in (np.uint8, np.int16):
            file.write(integers.encrypt(secret, np.array([1], dtype=dtype)))
    assert not (tmp_path / "other.ct").exists()
    (tmp_path / "damaged.ct").write_bytes(b"no column")
    with pytest.raises(FormatError):
        integers.ColumnReader(tmp_path / "damaged.ct")


def test_what_is_refused(keys):
    secret, server = keys
    x = integers.encrypt(secret, [1, 2], np.uint8)
    with pytest.raises(UnsupportedError, match="computing"):
        _ = x + x
    with pytest.raises(RangeError, match="value 256 at position 1"):
        integers.encrypt(secret, [0, 256], np.uint8)
    with pytest.raises(RangeError, match="value -129 at position 0 is not from -128 to 127"):
        integers.encrypt(secret, [-129], np.int8)
    with pytest.raises(MismatchError, match="u16"):
        integers.add(server, x, integers.encrypt(secret, [1, 2], np.uint16), **QUIET)
    with pytest.raises(TypeError, match="'thread'"):
        integers.add(server, x, 1, thread=1)
    with pytest.raises(RangeError, match="threads is -1, but must be from 0"):
        integers.add(server, x, 1, threads=-1, progress=False)
    with pytest.raises(RangeError, match=f"the public integer {2**200} has more than 128 bits"):
        integers.add(server, x, 2**200, **QUIET)
    with pytest.raises(TypeError, match="a column or one public integer"):
        integers.add(server, x, np.array([1, 2]), **QUIET)
    with pytest.raises(MismatchError, match="shapes"):
        integers.add(server, x, integers.encrypt(secret, [1, 2, 3], np.uint8), **QUIET)
    with pytest.raises(RangeError, match="u8"):
        integers.add(server, x, 256, **QUIET)
    with pytest.raises(TypeError, match="have no truth value"):
        bool(x)
    with pytest.raises(PlanError):
        integers.plan(8, engine="leveled")


def test_merging(keys):
    secret, server = keys
    if secret.engine == "single":
        x = integers.encrypt(secret, [1, 2], np.uint8)
        with pytest.raises(UnsupportedError, match="places"):
            integers.merge(server, x, x, **QUIET)
        return
    # As many as a ciphertext holds.
    half = np.sort(np.random.default_rng(8).integers(0, 256, 512)).astype(np.uint8)
    rising, falling = (integers.encrypt(secret, part) for part in (half, half[::-1]))
    both = integers.concatenate(server, rising, falling, **QUIET)
    np.testing.assert_array_equal(integers.decrypt(secret, both), np.concatenate([half, half[::-1]]))


def test_largest_values_and_sorting(keys):
    secret, server = keys
    if secret.engine == "single":
        x = integers.encrypt(secret, [1, 2], np.uint8)
        with pytest.raises(UnsupportedError, match="places"):
            integers.argmax(server, x, **QUIET)
        return
    x = np.random.default_rng(9).integers(-128, 128, 700).astype(np.int8)
    column = integers.encrypt(secret, x)
    told = []
    selected, least = integers.largest(server, column, 5, progress=lambda done, total: told.append((done, total)))
    fifth = np.sort(x)[-5]
    np.testing.assert_array_equal(integers.decrypt(secret, selected), x >= fifth)
    np.testing.assert_array_equal(integers.decrypt(secret, least), np.full(700, fifth))
    assert told[-1][0] == told[-1][1] and len({total for _, total in told}) == 1
    row, value, is_there = (integers.decrypt(secret, it) for it in integers.argmax(server, column, **QUIET))
    assert (row == x.argmax()).all() and (value == x.max()).all()
    np.testing.assert_array_equal(is_there, np.arange(700) == x.argmax())
    np.testing.assert_array_equal(integers.decrypt(secret, integers.sort(server, column, **QUIET)), np.sort(x))
    with pytest.raises(RangeError, match="701"):
        integers.largest(server, column, 701, **QUIET)


def test_progress_counts_all_lookups(keys):
    secret, server = keys
    told = []
    x = integers.encrypt(secret, [1, 2], np.uint8)
    integers.maximum(server, x, 5, progress=lambda done, total: told.append((done, total)))
    done, total = told[-1]
    assert done == total and [step[0] for step in told] == sorted(step[0] for step in told)
