"""Ciphertexts of one client become those of another by a key that the server holds."""

import pathlib

import cryptable
import numpy as np
import pytest
from cryptable.errors import CryptableError


def test_results_are_handed_over(tmp_path: pathlib.Path) -> None:
    clinic = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
    analyst = cryptable.SecretKey.generate(clinic.parameters)
    clinic.rekey_to(analyst.public_key()).save(tmp_path / "rekey.key")
    rekeying = cryptable.RekeyingKey.load(tmp_path / "rekey.key", allow_insecure=True)
    assert (rekeying.owner, rekeying.new_owner) == (clinic.id, analyst.id) and rekeying.parameters == clinic.parameters
    assert 0 < rekeying.noise < 1e-3 and clinic.id in repr(rekeying)
    found = cryptable.inspect(tmp_path / "rekey.key")
    assert (found["key_id"], found["new_owner"], found["engine"]) == (clinic.id, analyst.id, "packed")
    values = np.arange(3000).reshape(30, -1) % 16
    squares = cryptable.table(lambda x: x * x % 16, inputs=16)
    handed_over = rekeying.apply(clinic.evaluation_key().lookup(clinic.encrypt(values), squares))
    assert (analyst.decrypt(handed_over) == values * values % 16).all()
    signed = np.array([-8, 7, -1], dtype=np.int8)
    assert (analyst.decrypt(rekeying.apply(clinic.encrypt(signed, signed=True))) == signed).all()
    with pytest.raises(CryptableError, match=analyst.id):
        clinic.decrypt(handed_over)


@pytest.mark.parametrize("engine", ["single", "leveled"])
def test_values_one_by_one_are_handed_over(engine: str) -> None:
    clinic = cryptable.SecretKey.generate_insecure_toy(engine, 8, 8)
    analyst = cryptable.SecretKey.generate(clinic.parameters)
    rekeying = clinic.rekey_to(analyst.public_key())
    values = np.arange(8).reshape(2, 4)
    squares = cryptable.table(lambda x: x * x % 8, inputs=8)
    results = clinic.evaluation_key(progress=False).lookup(clinic.encrypt(values), squares, progress=False)
    assert (analyst.decrypt(rekeying.apply(results)) == values * values % 8).all()


def test_other_owners_kinds_and_files_are_refused(tmp_path: pathlib.Path) -> None:
    clinic = cryptable.SecretKey.generate_insecure_toy("packed", 4, 4)
    analyst = cryptable.SecretKey.generate(clinic.parameters)
    rekeying = clinic.rekey_to(analyst.public_key())
    with pytest.raises(CryptableError, match=clinic.id):
        rekeying.apply(analyst.encrypt([1]))
    with pytest.raises(CryptableError, match=clinic.id):
        clinic.rekey_to(clinic.public_key())
    with pytest.raises(CryptableError, match="parameters"):
        clinic.rekey_to(cryptable.SecretKey.generate_insecure_toy("packed", 8, 8).public_key())
    with pytest.raises(CryptableError, match="single lookups"):
        cryptable.SecretKey.generate_insecure_toy("single", 4, 4).rekey_to(clinic.public_key())
    rekeying.save(tmp_path / "rekey.key")
    with pytest.raises(CryptableError, match=r"insecure|INSECURE"):
        cryptable.RekeyingKey.load(tmp_path / "rekey.key")
