"""Values go in as arrays and come out as arrays, through every engine."""

import concurrent.futures
import pickle

import cryptable
import numpy as np
import pytest
from cryptable.errors import MismatchError, RangeError, TableError, UnsupportedError


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.uint64, bool])
def test_every_value_of_a_random_table(secret, server, dtype):
    table = np.random.default_rng(1).integers(0, 16, 16)
    values = np.arange(16 if dtype is not bool else 2).astype(dtype).reshape(2, -1)
    result = secret.decrypt(server.lookup(secret.encrypt(values), table))
    assert result.shape == values.shape and result.dtype == np.uint8
    np.testing.assert_array_equal(result, table[values.astype(int)])


@pytest.mark.parametrize("table", [np.zeros(16, int), np.full(16, 15), np.arange(16), np.arange(16)[::-1]])
def test_constant_identity_and_reversed_tables(secret, server, table):
    values = np.arange(16)
    prepared = server.prepare(table)
    assert (prepared.input_modulus, prepared.output_modulus) == (16, 16)
    np.testing.assert_array_equal(secret.decrypt(server.lookup(secret.encrypt(values), prepared)), table)


def test_several_tables_on_one_input(secret, server):
    values = np.array([[3, 9], [15, 0]])
    tables = [lambda x: x * x % 16, {x: 15 - x for x in range(16)}]
    squares, rest = server.lookup_many(secret.encrypt(values), tables)
    np.testing.assert_array_equal(secret.decrypt(squares), values**2 % 16)
    np.testing.assert_array_equal(secret.decrypt(rest), 15 - values)


def test_operators_of_ciphertexts(packed):
    secret, server = packed
    x, y = np.array([[1, 2], [3, 15]]), np.array([[5, 0], [13, 15]])
    a, b = secret.encrypt(x), secret.encrypt(y)
    with cryptable.computing(server):
        found = {
            "sum": (a + b, x + y),
            "difference": (a - b, x - y),
            "multiple": (3 * a * -1, -3 * x),
            "constants": (7 - a + x - 2, 5 - x + x),
            "row": (a + np.array([1, 2]), x + np.array([1, 2])),
            "negated": (-a, -x),
        }
        with pytest.raises(TypeError):
            a * b
        with pytest.raises(TypeError):
            a + 0.5
    for name, (result, expected) in found.items():
        np.testing.assert_array_equal(secret.decrypt(result), expected % 16, name)
        assert result.shape == (2, 2)
    with pytest.raises(UnsupportedError, match="computing"):
        a + b


def test_what_a_newcomer_does_wrong(packed):
    secret, server = packed
    x = secret.encrypt([1, 2, 3, 4])
    for source in (None, "table", 3):
        with pytest.raises(TypeError, match="a table is an array of outputs"):
            server.lookup(x, source)
    with pytest.raises(TypeError, match="not for 8; moduli="):
        cryptable.plan(8)
    with pytest.raises(TypeError, match="not for list"):
        cryptable.SecretKey.generate([0, 1])
    with pytest.raises(RangeError, match=f"value {2**70} at position 1 has more than 64 bits"):
        secret.encrypt([1, 2**70])
    with pytest.raises(TypeError, match="progress is True"):
        server.lookup(x, range(16), progress=3)
    with pytest.raises(TypeError, match="a shape is one or more integers"):
        x.reshape("a")
    assert x.reshape(-1, 2).shape == (2, 2) and x.reshape((-1,)).shape == (4,)
    for shape in ((3, -1), (-1, -1), (-2, -2), (0, -1), (2**62, 4, 1), (2**62 + 1, 4), (2**33, 2**33, -1)):
        with pytest.raises(ValueError, match="cannot have the shape"):
            x.reshape(shape)


def test_signed_values(secret, server):
    values = np.array([-8, -1, 0, 7], dtype=np.int8)
    negated = server.lookup(secret.encrypt(values, signed=True), lambda x: max(-8, min(7, -x)), signed=True)
    result = secret.decrypt(negated, signed=True)
    assert result.dtype == np.int8 and result.tolist() == [7, 1, 0, -7]


def test_signs_are_carried(secret, server):
    x = secret.encrypt([-5, 3], signed=True)
    assert x.signed and "values from -8 to 7" in repr(x)
    assert secret.decrypt(x).tolist() == [-5, 3]
    # Of a signed type, and the other way: tables follow the values, unless they say otherwise.
    assert secret.decrypt(server.lookup(x, lambda v: v // 2, progress=False)).tolist() == [-3, 1]
    magnitudes = server.lookup(x, abs, signed="inputs", progress=False)
    assert not magnitudes.signed and secret.decrypt(magnitudes).tolist() == [5, 3]
    shifted = server.lookup(magnitudes, lambda v: v - 8, signed="outputs", progress=False)
    assert secret.decrypt(shifted).tolist() == [-3, -5]
    for copy in (pickle.loads(pickle.dumps(x)), x.reshape(2, 1), cryptable.Ciphertext.join(x.parts())):
        assert copy.signed
    # What is not alike is an error.
    table = cryptable.table(lambda v: v - 8, inputs=16, signed="outputs")
    assert (table.signed_inputs, table.signed_outputs) == (False, True)
    copy = pickle.loads(pickle.dumps(table))
    assert copy == table and copy.signed_outputs and copy.outputs.tolist() == table.outputs.tolist()
    for call in (
        lambda: server.lookup(x, table, progress=False),
        lambda: server.lookup(x, server.prepare(range(16)), progress=False),
        lambda: server.add(x, secret.encrypt([1, 2])),
        lambda: secret.decrypt(x, signed=False),
        lambda: secret.decrypt(magnitudes, signed=True),
        lambda: cryptable.Ciphertext.join([x, magnitudes]),
    ):
        with pytest.raises(MismatchError, match="signed"):
            call()
    assert secret.decrypt(x.as_signed(False)).tolist() == [11, 3]
    with pytest.raises(TypeError, match="'inputs' or 'outputs'"):
        server.lookup(x, abs, signed="both")


def test_types_of_arrays_say_whether_they_are_signed():
    secret = cryptable.SecretKey.generate_insecure_toy("packed", 256, 256)
    values = np.array([-128, -1, 127], dtype=np.int8)
    x = secret.encrypt(values)
    assert x.signed and secret.decrypt(x).dtype == np.int8
    np.testing.assert_array_equal(secret.decrypt(x), values)
    # Types that hold all unsigned values, too, say nothing.
    for wide in (np.array([200], dtype=np.int16), np.array([200]), [200]):
        assert not secret.encrypt(wide).signed
    assert not secret.encrypt(values[2:], signed=False).signed
    with pytest.raises(RangeError, match="signed=True takes values below 0"):
        secret.encrypt([-1])


def test_a_scalar_and_an_array_that_is_not_contiguous(secret, server):
    assert secret.decrypt(secret.encrypt(7)).shape == ()
    values = np.arange(12).reshape(3, 4).T
    np.testing.assert_array_equal(secret.decrypt(secret.encrypt(values)), values)


def test_columns_of_pandas(packed):
    pandas = pytest.importorskip("pandas")
    secret, server = packed
    frame = pandas.DataFrame({"x": [1, 2, 3], "y": [4, 5, 6], "job": ["a", "b", "a"]})
    frame["own"] = frame.x.astype("Int64")
    for column in (frame.x, frame.own, frame.x.astype(object)):
        frame["squares"] = secret.decrypt(server.lookup(secret.encrypt(column), lambda x: x * x % 16, progress=False))
        assert frame.squares.tolist() == [1, 4, 9]
    assert secret.decrypt(secret.encrypt(frame[["x", "y"]])).tolist() == [[1, 4], [2, 5], [3, 6]]
    with pytest.raises(TypeError, match="must be integers"):
        secret.encrypt(frame.own.shift())
    with pytest.raises(TypeError, match="CodeBook"):
        secret.encrypt(frame.job.astype("category"))


def test_sums_without_lookups(packed):
    secret, server = packed
    x, y = secret.encrypt([1, 2, 3]), secret.encrypt([5, 6, 15])
    assert secret.decrypt(server.add(x, y)).tolist() == [6, 8, 2]
    assert secret.decrypt(server.sub(x, y)).tolist() == [12, 12, 4]
    assert secret.decrypt(server.negate(x)).tolist() == [15, 14, 13]
    assert secret.decrypt(server.add_plain(x, [-1, 0, 1], signed=True)).tolist() == [0, 2, 4]
    assert secret.decrypt(server.add_plain(x, 3)).tolist() == [4, 5, 6]
    with pytest.raises(MismatchError, match="shapes"):
        server.add_plain(x, [3])
    assert secret.decrypt(server.mul_scalar(x, -2)).tolist() == [14, 12, 10]


def test_what_is_refused_names_the_value(packed):
    secret, server = packed
    with pytest.raises(RangeError, match="value 16 at position 2"):
        secret.encrypt([0, 15, 16])
    with pytest.raises(RangeError, match="value -1 at position 1"):
        secret.encrypt([0, -1])
    with pytest.raises(RangeError, match="value 8 at position 0 is not from -8 to 7"):
        secret.encrypt([8], signed=True)
    for values, message in (
        ([0, 0.5], r"0.5 at position 1 is not one; round\(\).astype"),
        ([np.nan], "NaN at position 0 is a missing value"),
        ([3, None], "None at position 1 is a missing value"),
        ([2.0**53], "9007199254740992 at position 0 may have been rounded"),
    ):
        with pytest.raises(TypeError, match=message):
            secret.encrypt(values)
    with pytest.raises(RangeError, match="value 16 at position 1"):
        secret.encrypt([1.0, 16.0])
    assert secret.decrypt(secret.encrypt(np.array([3.0, 0.0]))).tolist() == [3, 0]
    with pytest.raises(TypeError, match="CodeBook"):
        secret.encrypt(["a", "b"])
    with pytest.raises(RangeError):
        secret.encrypt([])
    with pytest.raises(TableError, match="8 outputs, but 16 inputs"):
        server.lookup(secret.encrypt([1]), np.arange(8))
    with pytest.raises(ValueError):  # the same classes are Python's own
        server.lookup(secret.encrypt([1]), np.full(16, 16))


def test_objects_of_others_are_refused(packed):
    secret, server = packed
    other = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
    with pytest.raises(MismatchError, match="client key"):
        secret.decrypt(other.encrypt([1]))
    with pytest.raises(MismatchError, match="client key"):
        server.lookup(other.encrypt([1]), np.arange(16))
    leveled = cryptable.SecretKey.generate_insecure_toy("leveled", 16, 16)
    with pytest.raises(UnsupportedError, match="cannot"):
        leveled.evaluation_key().add(leveled.encrypt([1]), leveled.encrypt([1]))


def test_threads_share_a_key(packed):
    secret, server = packed
    prepared = server.prepare(lambda x: x * 7 % 16)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(server.lookup, secret.encrypt([value]), prepared, threads=1) for value in range(6)]
        assert [secret.decrypt(job.result())[0] for job in jobs] == [value * 7 % 16 for value in range(6)]
