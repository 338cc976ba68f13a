"""Functions of large single values, against Python's integers."""

import pickle

import cryptable
import numpy as np
import pytest
from cryptable import large_values
from cryptable.errors import CryptableError, RangeError

QUIET = {"progress": False}


@pytest.fixture(scope="module")
def keys():
    secret = large_values.SecretKey.generate(8, insecure_toy=True)
    return secret, secret.evaluation_key(**QUIET)


def test_functions_of_whole_integers(keys):
    secret, server = keys
    x, y = np.array([-64, -1, 0, 5, 63]), np.array([63, -1, -3, 60, -64])
    a, b = secret.encrypt(x), secret.encrypt(y)
    assert secret.bits == 8 and len(a) == 5
    np.testing.assert_array_equal(secret.decrypt_small(large_values.sign(server, a, **QUIET)), x < 0)
    np.testing.assert_array_equal(secret.decrypt_small(large_values.less_than(server, a, b, **QUIET)), x < y)
    np.testing.assert_array_equal(secret.decrypt(large_values.absolute(server, a, **QUIET)), np.abs(x))
    np.testing.assert_array_equal(secret.decrypt(large_values.relu(server, a, **QUIET)), np.maximum(x, 0))
    larger = secret.decrypt(large_values.maximum(server, a, b, **QUIET))
    np.testing.assert_array_equal(larger, np.maximum(x, y) % 128)
    with pytest.raises(ValueError, match="maximum of two"):
        server.function("maximum", a, **QUIET)
    with pytest.raises(ValueError, match="one dimension"):
        secret.encrypt([[1, 2]])
    # Of what is encrypted without a word, any two can be compared.
    with pytest.raises(RangeError, match="from -64 to 63, so that any two"):
        secret.encrypt([64])
    assert secret.decrypt(secret.encrypt([-128, 127], full_range=True)).tolist() == [-128, 127]
    with pytest.raises(RangeError, match="from -128 to 127"):
        secret.encrypt([128], full_range=True)


def test_digits(keys):
    secret, server = keys
    [digits] = large_values.to_radix(server, secret.encrypt([-2]), **QUIET)
    assert secret.decrypt_radix(digits) == 254
    x, y = secret.encrypt_radix(0o52, digits=2), secret.encrypt_radix(0o37, digits=2)
    assert x.digits == 2
    assert secret.decrypt_radix(server.radix_add(x, y)) == (0o52 + 0o37) % 64
    assert secret.decrypt_radix(server.radix_negate(x)) == 64 - 0o52
    less = server.radix_less_than(x, y)
    assert secret.decrypt_small(less).tolist() == [0]
    assert secret.decrypt_radix(server.radix_select(less, x, y)) == 0o37
    assert secret.decrypt_radix(server.radix_map(x, lambda digit: 7 - digit)) == 0o25
    root = server.radix_lookup(x, lambda value: int(value**0.5), 8)
    assert secret.decrypt_small(root).tolist() == [6]
    parity = large_values.fold(server, x, lambda digit, state: (digit.bit_count() + state) % 2)
    assert secret.decrypt_small(parity).tolist() == [0o52.bit_count() % 2]
    again = pickle.loads(pickle.dumps(x))
    assert secret.decrypt_radix(again) == 0o52


def test_files(keys, tmp_path):
    secret, _ = keys
    secret.save(tmp_path / "client.key")
    secret.save_evaluation_key(tmp_path / "server.key", **QUIET)
    server = large_values.EvaluationKey.open(tmp_path / "server.key", allow_insecure=True)
    again = large_values.SecretKey.load(tmp_path / "client.key", allow_insecure=True)
    server = pickle.loads(pickle.dumps(server))
    found = server.function("absolute", again.encrypt([-7]), **QUIET)
    assert server.key_id == secret.id and secret.decrypt(found).tolist() == [7]
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(secret)


def test_continuous_functions_of_fractions():
    secret = large_values.SecretKey.generate(16, insecure_toy=True)
    server = secret.evaluation_key(progress=False)
    limit = server.continuous_limit()
    values = np.linspace(-limit, limit, 9)
    x = secret.encrypt_reals(values)
    assert np.max(np.abs(secret.decrypt_reals(x) - values)) <= 2**-15
    for function, lipschitz in [(lambda v: v * v, 2.0), (np.tanh, 1.0), (lambda v: 0.25, 0.0)]:
        found = secret.decrypt_reals(server.continuous(x, function, lipschitz=lipschitz, progress=False))
        noise = server.continuous_noise(lipschitz)
        assert np.max(np.abs(found - [function(v) for v in values])) < 6 * noise + 2**-14
    with pytest.raises(ZeroDivisionError):
        server.continuous(x, lambda v: 1 / 0, lipschitz=1.0, progress=False)
    with pytest.raises(cryptable.CryptableError):
        server.continuous_noise(-1.0)
    with pytest.raises(cryptable.CryptableError, match="from -1 to below 1"):
        secret.encrypt_reals([1.0])
    with pytest.raises(ValueError, match="one dimension"):
        secret.encrypt_reals([[0.5]])


def test_every_decomposition_gives_the_same_digits() -> None:
    for name in ["HomDecomp-FDFB", "HomFloor", "HomFloorAlt"]:
        secret = large_values.SecretKey.generate(8, algorithm=name, insecure_toy=True)
        server = secret.evaluation_key(progress=False)
        x = secret.encrypt([-50, 30])
        assert secret.decrypt_small(large_values.sign(server, x, progress=False)).tolist() == [1, 0]
    with pytest.raises(CryptableError, match="HomFloorAlt"):
        large_values.SecretKey.generate(8, algorithm="HomCeiling", insecure_toy=True)
