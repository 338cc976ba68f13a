"""Canaries find wrong results; right ones come without them."""

import pathlib
import pickle

import cryptable
import numpy as np
import pytest
from cryptable import Canaries, integers
from cryptable.errors import MismatchError, RangeError, WrongResultError


@pytest.mark.parametrize("engine", ["packed", "single"])
def test_results_are_checked(tmp_path: pathlib.Path, engine: str) -> None:
    secret = cryptable.SecretKey.generate_insecure_toy(engine, 16, 16)
    server = secret.evaluation_key()
    values = np.arange(60).reshape(6, 10) % 16
    squares = np.arange(16) ** 2 % 16
    for inputs in [None, [1, 2, 3], values]:
        encrypted, canaries = secret.encrypt_with_canaries(values, 40, inputs=inputs)
        assert (canaries.count, canaries.places, encrypted.shape) == (40, 100, (100,))
        result = server.lookup(encrypted, squares)
        found = secret.decrypt_checked(result, canaries, squares)
        assert found.shape == values.shape and (found == squares[values]).all()
        canaries.save(tmp_path / "canaries", replace=True)
        again = Canaries.load(tmp_path / "canaries", secret)
        assert (again.id, again.key_id) == (canaries.id, secret.id)
        assert (secret.decrypt_checked(result, again, squares) == found.ravel()).all()
        with pytest.raises(WrongResultError, match="of 40 canaries have wrong results"):
            secret.decrypt_checked(result, canaries, (squares + 1) % 16)
    assert (tmp_path / "canaries").stat().st_mode & 0o777 == 0o600


def test_signed_values_are_checked() -> None:
    secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
    values = np.array([-8, 7, -1], np.int8)
    table = cryptable.table(lambda x: min(abs(x), 7), inputs=16, output_modulus=16, signed=True)
    encrypted, canaries = secret.encrypt_with_canaries(values, 5, signed=True)
    result = secret.evaluation_key().lookup(encrypted, table)
    assert secret.decrypt_checked(result, canaries, table).tolist() == [7, 7, 1]


def test_probabilities() -> None:
    assert Canaries.needed(65_536, 656, 2**-40) == 2_699
    assert Canaries.needed(65_536, 1, 2**-40) is None
    _, canaries = cryptable.SecretKey.generate_insecure_toy("single", 4, 4).encrypt_with_canaries([1, 2, 3], 2)
    assert canaries.missed_probability(2) == pytest.approx(0.3)


def test_what_does_not_belong_together_is_refused(tmp_path: pathlib.Path) -> None:
    secret = cryptable.SecretKey.generate_insecure_toy("packed", 4, 4)
    _, canaries = secret.encrypt_with_canaries([1, 2], 3)
    canaries.save(tmp_path / "canaries")
    with pytest.raises(FileExistsError):
        canaries.save(tmp_path / "canaries")
    other = cryptable.SecretKey.generate_insecure_toy("packed", 4, 4)
    with pytest.raises(MismatchError, match="client key"):
        Canaries.load(tmp_path / "canaries", other)
    with pytest.raises(MismatchError, match="number of results"):
        secret.decrypt_checked(secret.encrypt([1, 2]), canaries, [0, 1, 2, 3])
    with pytest.raises(RangeError):
        secret.encrypt_with_canaries([4], 3)
    with pytest.raises(RangeError):
        secret.encrypt_with_canaries([1], 0)
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(canaries)


def test_canaries_of_public_keys_are_checked_by_the_client(tmp_path: pathlib.Path) -> None:
    secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
    public, squares = secret.public_key(), np.arange(16) ** 2 % 16
    canaries = public.draw_canaries(3, 20)
    encrypted = public.encrypt(canaries.hide([3, 1, 4]))
    canaries.save(tmp_path / "canaries")
    canaries = Canaries.load(tmp_path / "canaries", secret)
    result = secret.evaluation_key().lookup(encrypted, squares)
    assert secret.decrypt_checked(result, canaries, squares).tolist() == [9, 1, 0]


def test_columns_have_canaries_at_the_same_places() -> None:
    secret = cryptable.SecretKey.generate(integers.plan(16, engine="single", insecure_toy=True))
    server = secret.evaluation_key(progress=False)
    canaries = secret.draw_canaries(2, 4, bits=16)
    others = canaries.with_inputs_of([-1, 300], signed=True)
    assert set(others.inputs(signed=True).tolist()) <= {-1, 300} and others.inputs().dtype == np.uint16
    x, y = canaries.hide([-5, 7], signed=True), others.hide([2, -9], signed=True)
    assert (x.dtype, len(x)) == (np.int16, 6)
    total = integers.add(server, integers.encrypt(secret, x), integers.encrypt(secret, y), progress=False)
    found = integers.decrypt(secret, total)
    expected = canaries.inputs(signed=True) + others.inputs(signed=True)
    right = canaries.check_results(found, expected)
    assert (right.dtype, right.tolist()) == (np.int16, [-3, -2])
    with pytest.raises(WrongResultError, match="4 of 4 canaries"):
        canaries.check_results(found, expected + 1)
    with pytest.raises(RangeError, match="70000"):
        canaries.hide([1, 70_000])
    with pytest.raises(MismatchError, match="number of values"):
        canaries.hide([1])
    wide = secret.draw_canaries(1, 30, bits=64)
    assert wide.hide([2**64 - 1]).dtype == np.uint64 and wide.inputs().max() > 2**60
