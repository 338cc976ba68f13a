"""Keys of several owners in Python, with files that the command line reads, too."""

import pathlib

import cryptable
import numpy as np
import pytest
from cryptable import owners
from cryptable.errors import CryptableError

NUMBERS = (1, 2)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path


def files(folder: pathlib.Path, kind: str) -> list[pathlib.Path]:
    return [folder / f"{number}.{kind}" for number in NUMBERS]


def test_two_owners_decrypt_together(folder: pathlib.Path) -> None:
    owners.Session.draw_insecure_toy(2, 16).save(folder / "session")
    session = owners.Session.load(folder / "session", allow_insecure=True)
    assert session.owners == 2
    first, keys, second = (files(folder, kind) for kind in ("first", "keys", "second"))
    secrets = [owners.Secret.generate(session, number) for number in NUMBERS]
    assert [secret.owner for secret in secrets] == [1, 2]
    commitments = [secret.write_shares(f, k, progress=False) for secret, f, k in zip(secrets, first, keys, strict=True)]
    with pytest.raises(CryptableError, match="commitment of owner 2 is missing"):
        secrets[0].agree(commitments[:1])
    with pytest.raises(CryptableError, match="not agreed"):
        secrets[0].write_second_share(commitments, first, second[0], progress=False)
    assert not second[0].exists()
    ids = {secret.agree(commitments[::-1]) for secret in secrets}
    secrets[0].save(folder / "1.secret")
    secrets[0] = owners.Secret.load(folder / "1.secret", allow_insecure=True)
    for secret, path in zip(secrets, second, strict=True):
        secret.write_second_share(commitments, first, path, progress=False)
    outputs = {"public": folder / "public", "evaluation": folder / "server", "bits_evaluation": folder / "bits"}
    with pytest.raises(CryptableError, match="key share of owner 2 is missing"):
        owners.combine(session, commitments, first, keys[:1], second, progress=False, **outputs)
    assert not outputs["public"].exists()
    assert {owners.combine(session, commitments, first, keys, second, progress=False, **outputs)} == ids

    public = cryptable.PublicKey.load(outputs["public"], allow_insecure=True)
    server = cryptable.EvaluationKey.open(outputs["evaluation"], allow_insecure=True)
    bits = owners.BitsEvaluationKey.open(outputs["bits_evaluation"], allow_insecure=True)
    assert {public.id, server.key_id} == ids
    values = np.arange(1500).reshape(3, -1) % 16
    result = owners.lookup(server, bits, public.encrypt(values), lambda x: x * x % 5, output_modulus=5, progress=False)
    assert result.shape == [3, 500]
    parts = [secret.part_of(result) for secret in secrets]
    assert (result.combine(parts[::-1]) == values * values % 5).all()
    result.save(folder / "result")
    read = owners.JointResult.load(folder / "result", allow_insecure=True)
    assert (read.combine(parts) == values.ravel() * values.ravel() % 5).all()
    with pytest.raises(CryptableError, match="partial decryption of owner 2 is missing"):
        result.combine(parts[:1])
    with pytest.raises(CryptableError, match="partial decryption"):
        result.combine([parts[0], parts[0]])
    with pytest.raises(CryptableError):
        result.combine([parts[0], parts[1] + parts[1]])
    with pytest.raises(CryptableError, match=r"insecure|INSECURE"):
        owners.JointResult.load(folder / "result")


def test_wrong_owners_are_refused() -> None:
    session = owners.Session.draw_insecure_toy(2, 16)
    with pytest.raises(CryptableError, match="owner 3"):
        owners.Secret.generate(session, 3)
    with pytest.raises(ValueError, match="17 owners"):
        owners.Session.draw(17, 16)
    with pytest.raises(TypeError, match="not pickled"):
        owners.Secret.generate(session, 1).__reduce__()
