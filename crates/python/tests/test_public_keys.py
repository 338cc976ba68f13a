"""Values are encrypted by a public key, looked up by the server and decrypted by the secret key."""

import pathlib

import cryptable
import numpy as np
import pytest
from cryptable import circuits, integers, transciphering
from cryptable.errors import CryptableError, RangeError


@pytest.mark.parametrize("engine", ["packed", "single", "leveled"])
def test_values_of_contributors_are_looked_up(tmp_path: pathlib.Path, engine: str) -> None:
    secret = cryptable.SecretKey.generate_insecure_toy(engine, 16, 16)
    secret.public_key().save(tmp_path / "public.key")
    public = cryptable.PublicKey.load(tmp_path / "public.key", allow_insecure=True)
    assert public.id == secret.id and public.parameters == secret.parameters and public.input_modulus == 16
    values = np.arange(3000 if engine == "packed" else 60).reshape(30, -1) % 16
    squares = cryptable.table(lambda x: x * x % 16, inputs=16)
    found = secret.decrypt(secret.evaluation_key().lookup(public.encrypt(values), squares))
    assert found.shape == values.shape and (found == values * values % 16).all()
    if engine == "packed":
        server = secret.evaluation_key()
        results = server.lookup(secret.encrypt(values), squares)
        again = public.rerandomize(results)
        assert (secret.decrypt(again) == found).all() and again.to_bytes() != results.to_bytes()
        compressed = server.compress(results)
        assert (secret.decrypt(compressed) == found).all()
        assert 2 * len(compressed.to_bytes()) < len(results.to_bytes()) * 1.1
    signed = np.array([-8, 7, -1], dtype=np.int8)
    assert (secret.decrypt(public.encrypt(signed, signed=True)) == signed).all()


@pytest.mark.parametrize("engine", ["packed", "single"])
def test_columns_of_contributors_are_added(engine: str) -> None:
    secret = cryptable.SecretKey.generate(integers.plan(16, signed=True, engine=engine, insecure_toy=True))
    amounts = np.array([120, -7, 32_767], np.int16)
    column = integers.encrypt(secret.public_key(), amounts)
    with integers.computing(secret.evaluation_key(), progress=False):
        total = column + integers.encrypt(secret, amounts)
    assert (integers.decrypt(secret, total) == amounts + amounts).all()


def test_words_and_messages_of_contributors(tmp_path: pathlib.Path) -> None:
    plan = circuits.plan(circuits.Circuit.named("compare32"), insecure_toy=True)
    secret = circuits.SecretKey.generate(plan)
    secret.public_key().save(tmp_path / "bits.public")
    public = circuits.PublicKey.load(tmp_path / "bits.public", allow_insecure=True)
    assert (
        public.id == secret.id and circuits.PublicKey.from_bytes(public.to_bytes(), allow_insecure=True).id == secret.id
    )
    inputs = {name: [3, 9, 2**31] for name, _width in plan.circuit.inputs}
    words = public.encrypt(plan, inputs)
    found = secret.decrypt(secret.evaluation_key().run(plan, words))
    own = secret.decrypt(secret.evaluation_key().run(plan, secret.encrypt(plan, inputs)))
    assert {name: word.tolist() for name, word in found.items()} == {name: word.tolist() for name, word in own.items()}

    analyst = transciphering.SecretKey.generate(insecure_toy=True)
    analyst.public_key().save(tmp_path / "aes.public")
    key = transciphering.PublicKey.load(tmp_path / "aes.public", allow_insecure=True)
    assert key.id == analyst.id
    contributor = transciphering.AesKey.generate()
    server = analyst.evaluation_key()
    message = server.transcipher(key.encrypt_key(contributor), contributor.encrypt(b"hi"))
    assert analyst.decrypt(message) == b"hi"
    assert analyst.decrypt(key.encrypt(b"bytes")) == b"bytes"


def test_wrong_values_kinds_and_files_are_refused(tmp_path: pathlib.Path) -> None:
    secret = cryptable.SecretKey.generate_insecure_toy("packed", 4, 4)
    public = secret.public_key()
    with pytest.raises(RangeError):
        public.encrypt([4])
    public.save(tmp_path / "public.key")
    with pytest.raises(CryptableError, match=r"insecure|INSECURE"):
        cryptable.PublicKey.load(tmp_path / "public.key")
    with pytest.raises(FileExistsError):
        public.save(tmp_path / "public.key")
    with pytest.raises(CryptableError, match="not a public key"):
        secret.save(tmp_path / "secret.key")
        cryptable.PublicKey.load(tmp_path / "secret.key", allow_insecure=True)
