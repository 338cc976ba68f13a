"""Comparisons of integers, against numpy."""

import cryptable
import numpy as np
import pytest
from cryptable import comparisons
from cryptable.errors import MismatchError, RangeError


@pytest.fixture(scope="module")
def keys():
    plan = comparisons.plan(8, insecure_toy=True)
    assert plan.bits == 8 and dict((name, fail) for name, _, fail in plan.operations)["maximum"] < -40
    secret = cryptable.SecretKey.generate(plan)
    return secret, secret.evaluation_key(progress=False)


@pytest.fixture(scope="module")
def pair():
    random = np.random.default_rng(3)
    x, y = random.integers(-128, 128, (2, 8, 25))
    y[0] = x[0]
    x[1, :2], y[1, :2] = [-128, 127], [127, -128]
    return x, y


def test_digit_sizes_can_be_chosen():
    assert comparisons.plan(15, digit_bits=4).digit_sizes == [16, 16, 16, 16]
    with pytest.raises(RangeError, match="is 6, but must be at most 4"):
        comparisons.plan(4, digit_bits=6)


def test_single_digits_are_marked_in_files(keys):
    secret, server = keys
    values = secret.encrypt_integers([77, 30], signed=False)
    last = server.decompose(values, progress=False)[-1][0]
    joined = comparisons.digits(server, values, progress=False)
    # The field of marks stands at byte 14 of files of ciphertexts.
    assert [last.to_bytes()[14], joined.digits[-1].to_bytes()[14], joined.to_bytes()[14]] == [2, 2, 0]


def test_bits(keys, pair):
    (secret, server), (x, y) = keys, pair
    a, b = secret.encrypt_integers(x), secret.encrypt_integers(y)
    np.testing.assert_array_equal(secret.decrypt(comparisons.less_than(server, a, b)), x < y)
    np.testing.assert_array_equal(secret.decrypt(comparisons.greater_or_equal(server, a, b)), x >= y)
    np.testing.assert_array_equal(secret.decrypt(comparisons.equal(server, a, b)), x == y)
    np.testing.assert_array_equal(secret.decrypt(comparisons.index_of_larger(server, a, b)), x < y)
    np.testing.assert_array_equal(secret.decrypt(comparisons.is_negative(server, a)), x < 0)


def test_integers(keys, pair):
    (secret, server), (x, y) = keys, pair
    a, b = secret.encrypt_integers(x), secret.encrypt_integers(y)
    expected = {
        comparisons.maximum(server, a, b): np.maximum(x, y),
        comparisons.minimum(server, a, b): np.minimum(x, y),
        comparisons.relu(server, a): np.maximum(x, 0),
        comparisons.clamp(server, a, -10, 100): np.clip(x, -10, 100),
        comparisons.digits(server, a): x,
    }
    for result, integers in expected.items():
        np.testing.assert_array_equal(secret.decrypt_integers(result), integers)
    absolute = secret.decrypt_integers(comparisons.absolute_value(server, a), signed=False)
    np.testing.assert_array_equal(absolute, np.abs(x))
    assert comparisons.maximum(server, a, b).signed
    for signed, result in ((True, comparisons.absolute_value(server, a)), (False, comparisons.digits(server, a))):
        with pytest.raises(MismatchError, match="signed"):
            secret.decrypt_integers(result, signed=signed)
    with pytest.raises(MismatchError, match="signed"):
        comparisons.less_than(server, a, secret.encrypt_integers(np.abs(x) % 128, signed=False))


def test_unsigned_integers(keys):
    secret, server = keys
    x = np.array([0, 255, 7], dtype=np.uint8)
    larger = comparisons.maximum(server, *(secret.encrypt_integers(v, signed=False) for v in (x, 255 - x)))
    assert secret.decrypt_integers(larger, signed=False).tolist() == [255, 255, 248]


def test_what_is_refused(keys):
    secret, server = keys
    with pytest.raises(RangeError, match="128"):
        secret.encrypt_integers([128])
    with pytest.raises(MismatchError, match="shapes"):
        comparisons.equal(server, secret.encrypt_integers([1]), secret.encrypt_integers([1, 2]))
