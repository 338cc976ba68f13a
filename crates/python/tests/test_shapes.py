"""Encrypted arrays have numpy's shape, ndim, size, len, reshape and indices, and refuse the rest."""

import operator
import pickle

import numpy as np
import pytest
from cryptable import SecretKey, bits, booleans, circuits, ckks, comparisons, integers, wide
from cryptable.errors import MismatchError, RangeError, UnsupportedError

VALUES = np.arange(6).reshape(2, 3)


def packed_bits():
    secret = bits.SecretKey.generate(bits.Parameters.named("insecure-toy"))
    return lambda values: bits.encrypt(secret, values % 2)


def single_bits():
    secret = booleans.SecretKey.generate(insecure_toy=True)
    return lambda values: secret.encrypt(values % 2)


def words():
    builder = circuits.CircuitBuilder("different")
    x, y = builder.input("x", 3), builder.input("y", 3)
    builder.output("z", [a ^ b for a, b in zip(x, y, strict=True)])
    plan = circuits.plan(builder.finish(), insecure_toy=True, log2_fail=-30)
    secret = circuits.SecretKey.generate(plan)
    return lambda values: secret.encrypt(plan, {"x": values, "y": values})


def column():
    secret = SecretKey.generate(integers.plan(8, engine="single", insecure_toy=True))
    return lambda values: integers.encrypt(secret, values, dtype="uint8")


def vector():
    secret = ckks.SecretKey.generate(ckks.Parameters.named("insecure_toy"))
    return lambda values: secret.encrypt(values / 8)


def wide_values():
    secret = SecretKey.generate(wide.plan(8, value_bits=3, insecure_toy=True))
    return lambda values: wide.encrypt(secret, values, bits=8)


def digits():
    secret = SecretKey.generate(comparisons.plan(8, insecure_toy=True))
    size = len(secret.parameters.digit_sizes)
    return lambda values: comparisons.Digits.of(secret.parameters, [secret.encrypt(values)] * size)


ENCRYPT = {
    "Ciphertext": lambda: SecretKey.generate_insecure_toy("single", 16, 16).encrypt,
    "Column": column,
    "Digits": digits,
    "Vector": vector,
    "WideValues": wide_values,
    "bits": packed_bits,
    "booleans": single_bits,
    "words": words,
}


@pytest.mark.parametrize("kind", ENCRYPT)
def test_shapes(kind):
    encrypt = ENCRYPT[kind]()
    x = encrypt(VALUES)
    assert (x.shape, x.ndim, x.size, len(x)) == (VALUES.shape, VALUES.ndim, VALUES.size, len(VALUES))
    for same in (x.reshape(3, 2), x.reshape((3, -1)), x.reshape([np.int64(3), 2])):
        assert (same.shape, len(same)) == ((3, 2), 3)
    # A single value has no length, as in numpy, and no truth, whatever its shape.
    single = encrypt(VALUES[1, 1])
    assert (single.shape, single.ndim, single.size) == ((), 0, 1)
    with pytest.raises(TypeError, match="a single value has no len"):
        len(single)
    for it in (x, single):
        with pytest.raises(TypeError, match="have no truth value"):
            bool(it)
    assert x.reshape(6).reshape(1, 6).ndim == 2


@pytest.mark.parametrize("kind", [kind for kind in ENCRYPT if kind != "Column"])
def test_comparisons_are_no_identity(kind):
    encrypt = ENCRYPT[kind]()
    x, y = encrypt(VALUES), encrypt(VALUES)
    for other in (3, True, 0.5, np.int64(3), VALUES, [3], (3,), b"3", y):
        for compare in (operator.eq, operator.ne, operator.lt):
            with pytest.raises(TypeError, match=r"encrypted values are not compared by .*; `is` tells objects apart"):
                compare(x, other)
    with pytest.raises(TypeError, match="not compared by =="):
        operator.eq(3, x)
    # Objects stay what they are: in containers, as keys, beside what has no values.
    for other in (None, "3", object(), int):
        assert operator.ne(x, other) and not operator.eq(other, x)
    assert operator.eq(x, x) and not operator.ne(x, x)
    assert {x: 1, y: 2}[x] == 1 and len({x, y, x}) == 2 and [None, x, y].index(x) == 1
    if kind != "Digits":  # which are read with parameters
        one, same = pickle.loads(pickle.dumps((x, x)))
        assert one is same and one is not x


def test_a_lookup_compares_with_a_number(packed):
    """The error of `==` names the call."""
    secret, server = packed
    found = server.lookup(secret.encrypt([2, 3, 4]), lambda v: v == 3, progress=False)
    assert secret.decrypt(found).tolist() == [0, 1, 0]


def test_columns_are_compared_by_value():
    """With a key; without one they are refused, too."""
    x = ENCRYPT["Column"]()(VALUES)
    with pytest.raises(UnsupportedError, match="computing"):
        operator.eq(x, 3)


def test_nothing_is_broadcast(packed):
    secret, server = packed
    x, y = secret.encrypt([[1, 2]]), secret.encrypt([[1], [2]])
    for operation in (server.add, server.sub):
        with pytest.raises(MismatchError, match=r"shapes \[1, 2\] and \[2, 1\]"):
            operation(x, y)
    assert secret.decrypt(server.add(x, y.reshape(1, 2))).tolist() == [[2, 4]]
    secret = booleans.SecretKey.generate(insecure_toy=True)
    server = secret.evaluation_key(progress=False)
    a, b = secret.encrypt([[True, False]]), secret.encrypt([[True], [False]])
    with pytest.raises(MismatchError, match="shapes"):
        server.gate("and", a, b, progress=False)
    with pytest.raises(MismatchError, match="shapes"):
        server.mux(a, a, b, progress=False)


def test_columns_of_one_shape():
    secret = SecretKey.generate(integers.plan(8, engine="single", insecure_toy=True))
    server = secret.evaluation_key(progress=False)
    x = integers.encrypt(secret, np.array([[1, 2]], dtype=np.uint8))
    with pytest.raises(MismatchError, match="shapes"):
        integers.add(server, x, x.reshape(2), progress=False)
    assert integers.decrypt(secret, integers.add(server, x, 1, progress=False)).tolist() == [[2, 3]]


INDICES = [1, -1, slice(0, 1), (slice(None), slice(1, None)), (..., 0), (1, 2), VALUES % 2 == 1, np.array([1, 0, 1])]


@pytest.mark.parametrize("engine", ["single", "leveled", "booleans"])
@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indices_are_those_of_numpy(engine, index):
    if engine == "booleans":
        secret, values = booleans.SecretKey.generate(insecure_toy=True), VALUES % 2 == 1
    else:
        secret, values = SecretKey.generate_insecure_toy(engine, 16, 16), VALUES
    found = secret.encrypt(values)[index]
    assert found.shape == values[index].shape
    assert secret.decrypt(found).tolist() == values[index].tolist()


@pytest.mark.parametrize("engine", ["single", "leveled"])
def test_values_are_taken_across_parts_in_any_order(engine):
    secret = SecretKey.generate_insecure_toy(engine, 16, 16)
    joined = type(secret.encrypt([0])).join([secret.encrypt([0, 1, 2]), secret.encrypt([3, 4])])
    assert secret.decrypt(joined[1:5]).tolist() == [1, 2, 3, 4]
    assert secret.decrypt(joined[::-1]).tolist() == [4, 3, 2, 1, 0]
    assert [int(secret.decrypt(value)) for value in joined] == [0, 1, 2, 3, 4]


def test_packed_values_are_taken_with_their_ciphertext():
    secret = SecretKey.generate_insecure_toy("packed", 16, 16)
    size = secret.parameters.values_per_ciphertext
    joined = secret.encrypt(np.arange(2 * size) % 16).reshape(2, size)
    assert secret.decrypt(joined[1]).tolist() == (np.arange(size, 2 * size) % 16).tolist()
    assert [part.shape for part in joined] == [(size,), (size,)]
    for index in (np.s_[0, 3], np.s_[:, :4], np.s_[0, 1:]):
        with pytest.raises(UnsupportedError, match="share a ciphertext"):
            joined[index]


def test_indices_that_take_nothing():
    x = SecretKey.generate_insecure_toy("single", 16, 16).encrypt(VALUES)
    for index in (2, (0, 0, 0), "name"):
        with pytest.raises(IndexError):
            x[index]
    with pytest.raises(RangeError, match="selects no values"):
        x[2:]
    with pytest.raises(TypeError, match="a single value has no len"):
        iter(x[0, 0])
