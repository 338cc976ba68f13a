"""Results of the library are read by a decryptor that shares nothing with it but the format."""

import cryptable
import numpy as np
import pytest
from second_decryptor import chacha20_words, decrypt


def decrypted(secret, ciphertext, folder):
    secret.save(folder / "client.key", replace=True)
    return decrypt((folder / "client.key").read_bytes(), ciphertext.to_bytes())


def test_chacha20_of_rfc_8439():
    # Section 2.3.2, whose nonce of 96 bits begins with the upper half of our counter: that is 0 in block 0 here.
    words = chacha20_words(bytes(32), 0, 8)
    assert words.tobytes()[:16].hex() == "76b8e0ada0f13d90405d6ae55386bd28"


def test_fresh_values_and_results_of_every_engine(tmp_path, secret, server):
    values = np.arange(16)
    fresh = secret.encrypt(values)
    assert decrypted(secret, fresh, tmp_path) == values.tolist()
    assert decrypted(secret, secret.public_key().encrypt(values), tmp_path) == values.tolist()
    table = np.random.default_rng(4).integers(0, 16, 16)
    assert decrypted(secret, server.lookup(fresh, table), tmp_path) == table.tolist()
    signed = values - 8
    assert decrypted(secret, secret.encrypt(signed, signed=True), tmp_path) == signed.tolist()


@pytest.mark.parametrize("modulus", [3, 16])
def test_full_size_single_values(tmp_path, modulus):
    secret = cryptable.SecretKey.generate(cryptable.plan(np.arange(modulus), engine="single", values=modulus))
    assert decrypted(secret, secret.encrypt(np.arange(modulus)), tmp_path) == list(range(modulus))


def test_full_size_packed_values(tmp_path):
    secret = cryptable.SecretKey.generate(cryptable.plan(np.arange(256), engine="packed", values=65_536))
    values = np.random.default_rng(5).integers(0, 256, 65_536)
    assert decrypted(secret, secret.encrypt(values), tmp_path) == values.tolist()
