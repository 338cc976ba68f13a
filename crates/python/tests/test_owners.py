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


def test_two_of_three_decrypt(folder: pathlib.Path) -> None:
    session = owners.Session.draw_insecure_toy(2, 16)
    first, keys, second = (files(folder, kind) for kind in ("first", "keys", "second"))
    secrets = [owners.Secret.generate(session, number) for number in NUMBERS]
    with pytest.raises(CryptableError, match="not agreed"):
        secrets[0].deal(3)
    commitments = [secret.write_shares(f, k, progress=False) for secret, f, k in zip(secrets, first, keys, strict=True)]
    for secret, path in zip(secrets, second, strict=True):
        secret.agree(commitments)
        secret.write_second_share(commitments, first, path, progress=False)
    outputs = {"public": folder / "public", "evaluation": folder / "server", "bits_evaluation": folder / "bits"}
    owners.combine(session, commitments, first, keys, second, progress=False, **outputs)
    public = cryptable.PublicKey.load(outputs["public"], allow_insecure=True)
    server = cryptable.EvaluationKey.open(outputs["evaluation"], allow_insecure=True)
    bits = owners.BitsEvaluationKey.open(outputs["bits_evaluation"], allow_insecure=True)
    result = owners.lookup(server, bits, public.encrypt([3, 9]), lambda x: x // 5, output_modulus=4, progress=False)

    dealt = [secret.deal(3) for secret in secrets]
    assert dealt[0] == secrets[0].deal(3)
    receive = owners.ThresholdSecret.receive
    holders = [receive([shares[i] for shares in dealt[::-1]], allow_insecure=True) for i in range(3)]
    assert [(it.holder, it.holders, it.threshold) for it in holders] == [(1, 3, 2), (2, 3, 2), (3, 3, 2)]
    holders[2].save(folder / "3.secret")
    holders[2] = owners.ThresholdSecret.load(folder / "3.secret", allow_insecure=True)
    for together in ([1, 2], [3, 1], [2, 3]):
        parts = [holders[number - 1].part_of(result, together) for number in together]
        assert result.combine(parts).tolist() == [0, 1]
    with pytest.raises(CryptableError, match="partial decryption of owner 3 is missing"):
        result.combine(parts[:1])
    for together, message in (([1], "1 holder was"), ([1, 4], "owner 4"), ([2, 3], "holder 1 is not one")):
        with pytest.raises(CryptableError, match=message):
            holders[0].part_of(result, together)
    with pytest.raises(CryptableError, match="dealt share of owner 2 is missing"):
        receive([dealt[0][0]], allow_insecure=True)
    with pytest.raises(CryptableError, match="holder of a dealt share"):
        receive([dealt[0][0], dealt[1][1]], allow_insecure=True)
    with pytest.raises(CryptableError, match=r"insecure|INSECURE"):
        receive([shares[0] for shares in dealt])


def test_wrong_owners_are_refused() -> None:
    session = owners.Session.draw_insecure_toy(2, 16)
    with pytest.raises(CryptableError, match="owner 3"):
        owners.Secret.generate(session, 3)
    with pytest.raises(ValueError, match="17 owners"):
        owners.Session.draw(17, 16)
    with pytest.raises(TypeError, match="not pickled"):
        owners.Secret.generate(session, 1).__reduce__()
