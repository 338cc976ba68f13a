"""Files of ciphertexts, written and read one after another."""

import cryptable
import numpy as np
import pytest
from cryptable import CiphertextReader, CiphertextWriter
from cryptable.errors import FormatError, MismatchError


def test_a_file_in_pieces(secret, server, tmp_path):
    chunks = [np.arange(16), np.array([3]), np.random.default_rng(1).integers(0, 16, 40)]
    with CiphertextWriter(tmp_path / "values.ct") as writer:
        for chunk in chunks:
            writer.write(secret.encrypt(chunk))
        assert not (tmp_path / "values.ct").exists()
    clear = np.concatenate(chunks)
    reader = CiphertextReader(tmp_path / "values.ct")
    whole = cryptable.Ciphertext.load(tmp_path / "values.ct")
    assert (reader.size, reader.modulus, reader.engine) == (len(clear), 16, secret.engine)
    assert reader.key_id == secret.id and reader.parameter_digest == secret.parameters.digest
    assert len(reader.digest) == 64
    count = len(reader)
    table = server.prepare(lambda x: 15 - x)
    with CiphertextWriter(tmp_path / "result.ct") as writer:
        parts = list(reader)
        for part in parts:
            writer.write(server.lookup(part, table, progress=False))
    assert len(parts) == count
    np.testing.assert_array_equal(secret.decrypt(whole), clear)
    found = secret.decrypt(cryptable.Ciphertext.load(tmp_path / "result.ct"))
    np.testing.assert_array_equal(found, 15 - clear)


def test_no_file_is_left_half_written(packed, tmp_path):
    secret, _ = packed
    path = tmp_path / "values.ct"

    def interrupted():
        with CiphertextWriter(path) as writer:
            writer.write(secret.encrypt([1]))
            raise KeyError("interrupted")

    with pytest.raises(KeyError):
        interrupted()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="at least one"), CiphertextWriter(path):
        pass
    writer = CiphertextWriter(path)
    writer.write(secret.encrypt([1]))
    with pytest.raises(MismatchError, match="client key"):
        writer.write(cryptable.SecretKey.generate_insecure_toy("packed", 16, 16).encrypt([1]))
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.write(secret.encrypt([1]))
    with pytest.raises(FileExistsError, match="replace=True"):
        CiphertextWriter(path).write(secret.encrypt([2]))
    with CiphertextWriter(path, replace=True) as writer:
        writer.write(secret.encrypt([2]))
    assert [secret.decrypt(part).tolist() for part in CiphertextReader(path)] == [[2]]


def test_what_is_no_file_of_ciphertexts(packed, tmp_path):
    secret, _ = packed
    secret.encrypt(range(16)).save(tmp_path / "values.ct")
    data = bytearray((tmp_path / "values.ct").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "damaged.ct").write_bytes(data)
    with pytest.raises(FormatError):
        CiphertextReader(tmp_path / "damaged.ct")
    with pytest.raises(OSError, match="absent"):
        CiphertextReader(tmp_path / "absent.ct")
