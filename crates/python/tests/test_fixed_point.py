"""Tables of real and complex outputs, outputs in halves, and inputs in several ciphertexts."""

import pickle

import cryptable
import numpy as np
import pytest
from cryptable import Parameters
from cryptable.errors import MismatchError, RangeError, TableError


@pytest.fixture(scope="module")
def reals():
    secret = cryptable.SecretKey.generate(Parameters.insecure_toy("packed", 16, 256))
    return secret, secret.evaluation_key(progress=False)


@pytest.mark.parametrize(
    "function", [lambda x: x / 32, lambda x: -0.25, lambda x: np.sin(x) / 2.01, lambda x: (-0.5, 0.49)[x % 2]]
)
def test_every_value_of_a_real_table(reals, function):
    secret, server = reals
    table = cryptable.real_table(function, inputs=16, output_modulus=256)
    values = np.arange(16).reshape(2, 8)
    found = server.lookup(secret.encrypt(values), table, progress=False)
    assert np.max(np.abs(table.reals - [function(x) for x in range(16)])) <= 1 / 256
    np.testing.assert_array_equal(secret.decrypt_reals(found), table.reals.reshape(2, 8))
    coarse = secret.decrypt_reals(found, precision=4)
    # Modulo 1: what is near 1/2 may round to -1/2.
    distance = (coarse - table.reals.reshape(2, 8) + 0.5) % 1 - 0.5
    assert np.max(np.abs(distance)) <= 1 / 32 and np.all(coarse * 16 % 1 == 0)
    with pytest.raises(RangeError, match="precision"):
        secret.decrypt_reals(found, precision=9)


def test_what_is_no_real_table(reals):
    with pytest.raises(TableError):
        cryptable.real_table([0.0, 0.5], output_modulus=16)
    with pytest.raises(TypeError, match="either"):
        cryptable.real_table([0.0, 0.1])
    with pytest.raises(TableError, match="inputs"):
        cryptable.real_table(lambda x: 0.0, error=0.1)
    with pytest.raises(TableError, match="one dimension"):
        cryptable.real_table([[0.0, 0.1]], error=0.1)
    with pytest.raises(RangeError, match=r"2\^-25"):
        cryptable.real_table([0.0, 0.1], error=0.4)
    with pytest.raises(TypeError, match="real numbers"):
        cryptable.real_table([0.1j, 0.2], error=0.1)


def test_every_value_of_a_complex_table():
    secret = cryptable.SecretKey.generate(Parameters.insecure_toy("packed", 8, 256, complex_outputs=True))
    server = secret.evaluation_key(progress=False)
    table = cryptable.complex_table(lambda k: 0.4 * np.exp(2j * np.pi * k / 8), inputs=8, output_modulus=256)
    assert len(table) == table.input_modulus == 8 and table.output_modulus == 256
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(table)).outputs, table.outputs)
    values = np.arange(8).reshape(4, 2)
    prepared = server.prepare_complex(table)
    assert prepared.memory_bytes > 0
    for kind in (table, prepared):
        found = server.lookup_complex(secret.encrypt(values), kind, progress=False)
        assert found.shape == (4, 2, 2)
        np.testing.assert_array_equal(secret.decrypt_complex(found), table.outputs.reshape(4, 2))
    kept = cryptable.Ciphertext.from_bytes(found.to_bytes())
    np.testing.assert_array_equal(secret.decrypt_complex(kept), table.outputs)
    # Of more values than a ciphertext has.
    values = np.random.default_rng(1).integers(0, 8, 1000)
    found = server.lookup_complex(secret.encrypt(values), prepared, progress=False)
    np.testing.assert_array_equal(secret.decrypt_complex(found), table.outputs[values])


def test_complex_tables_are_planned_and_are_not_for_other_keys(reals):
    secret, server = reals
    table = cryptable.complex_table([0.1, 0.2j] * 8, error=0.01)
    best = cryptable.plan(table, values=32_768).best
    assert (best.method, best.values_per_ciphertext) == ("AKP", 32_768)
    with pytest.raises(cryptable.CryptableError, match="complex"):
        server.lookup_complex(secret.encrypt([1]), cryptable.complex_table([0.1] * 16, output_modulus=256))


def test_halves_of_outputs(packed):
    secret, server = packed
    table = cryptable.table(np.random.default_rng(2).integers(0, 256, 16))
    low, high = table.halves()
    assert (low.output_modulus, high.output_modulus) == (16, 16)
    found = [secret.decrypt(it) for it in server.lookup_many(secret.encrypt(range(16)), [low, high], progress=False)]
    np.testing.assert_array_equal(found[0] + 16 * found[1].astype(int), table.outputs)


def test_inputs_in_several_ciphertexts():
    secret = cryptable.SecretKey.generate(Parameters.insecure_toy("packed", 64, 8, digits=[4, 4, 4]))
    server = secret.evaluation_key(progress=False)
    values = np.random.default_rng(3).integers(0, 64, 1500).reshape(3, 500)  # of more than one part
    low, high = secret.encrypt_digits(values % 4, 4), secret.encrypt_digits(values // 4, 16)
    ones = np.array([x.bit_count() for x in range(64)])
    table = cryptable.table(ones, output_modulus=8)
    [found] = server.lookup_digits([low, high], [table], progress=False)
    np.testing.assert_array_equal(secret.decrypt(found), ones[values])
    with pytest.raises(MismatchError):
        server.lookup_digits([low], [table], progress=False)
    with pytest.raises(RangeError):
        secret.encrypt_digits([4], 4)


def test_a_digit_is_looked_up():
    from cryptable import comparisons

    secret = cryptable.SecretKey.generate(comparisons.plan(8, insecure_toy=True))
    server = secret.evaluation_key(progress=False)
    values = [77, 200]
    digits = comparisons.digits(server, secret.encrypt_integers(values, signed=False), progress=False)
    sizes = digits.sizes
    modulus = server.output_modulus
    squares = [d * d % modulus for d in range(digits.digits[0].modulus)]
    [found] = server.lookup_digit(digits.digits[0], [squares], progress=False)
    assert secret.decrypt(found).tolist() == [(v % sizes[0]) ** 2 % modulus for v in values]
    # Digits in files and one by one.
    kept = comparisons.Digits.from_bytes(digits.to_bytes(), server.parameters)
    joined = comparisons.Digits.of(server.parameters, digits.digits)
    for same in (kept, joined.reshape(2)):
        assert secret.decrypt_integers(same, signed=False).tolist() == values and same.size == 2
