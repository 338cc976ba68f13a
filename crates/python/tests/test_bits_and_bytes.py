"""Gates on encrypted bits, and transciphering."""

import pickle

import cryptable
import numpy as np
import pytest
from cryptable import bfloat16, booleans, transciphering
from cryptable.errors import AuthenticityError, MismatchError, UnsupportedError

GATES = {
    "and": np.logical_and,
    "or": np.logical_or,
    "xor": np.logical_xor,
    "nand": lambda x, y: ~(x & y),
    "nor": lambda x, y: ~(x | y),
    "xnor": lambda x, y: x == y,
}


@pytest.fixture(scope="module")
def bits():
    secret = booleans.SecretKey.generate(insecure_toy=True)
    return secret, secret.evaluation_key(progress=False)


def test_gates(bits, tmp_path):
    secret, server = bits
    x, y = np.array([[False, False], [True, True]]), np.array([[False, True], [False, True]])
    a, b = secret.encrypt(x), secret.encrypt(y)
    packed = secret.packed_gates(progress=False)
    assert packed.bits_at_once > 1 and packed.log2_fail < 0 and packed.security_bits >= 0
    for name, gate in GATES.items():
        for key in (server, packed):
            np.testing.assert_array_equal(secret.decrypt(key.gate(name, a, b, progress=False)), gate(x, y))
    with booleans.computing(server, progress=False):
        np.testing.assert_array_equal(secret.decrypt((a | b) ^ ~a), (x | y) ^ ~x)
    chosen = server.mux(a, b, ~b, progress=False)
    np.testing.assert_array_equal(secret.decrypt(chosen), np.where(x, y, ~y))
    a.save(tmp_path / "a.ct")
    again = pickle.loads(pickle.dumps(booleans.EncryptedBits.load(tmp_path / "a.ct").reshape(2, 2)))
    np.testing.assert_array_equal(secret.decrypt(again), x)
    joined = booleans.EncryptedBits.join([a.bit(3), b])
    assert secret.decrypt(joined).tolist() == [True, False, True, False, True]
    with pytest.raises(UnsupportedError, match="computing"):
        _ = a & b
    with pytest.raises(ValueError, match='"maybe"'):
        server.gate("maybe", a, b)
    with pytest.raises(MismatchError):
        server.gate("and", a, booleans.SecretKey.generate(insecure_toy=True).encrypt(y), progress=False)


def test_messages(tmp_path):
    aes = transciphering.AesKey.generate()
    message = aes.encrypt(b"attack at dawn")
    assert aes.open(message) == b"attack at dawn" and len(message) == 14 and message.has_tag
    message.save(tmp_path / "message.aes")
    assert aes.open(transciphering.Message.load(tmp_path / "message.aes")) == b"attack at dawn"
    data = bytearray(message.to_bytes())
    with pytest.raises(MismatchError):
        transciphering.AesKey.generate().open(message)
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(aes)
    first = bytes(16)
    aes.encrypt(b"x", first_counter=first)
    with pytest.raises(AuthenticityError, match="counter"):
        aes.encrypt(b"y", first_counter=first)
    assert len(data) > 14


def test_aes_of_fips_197_by_another_program():
    # Appendix C.1: the block under counter 0 is the key stream.
    aes = transciphering.AesKey.from_bytes(bytes(range(16)))
    counter = bytes.fromhex("00112233445566778899aabbccddeeff")
    message = transciphering.Message.from_counter_mode(aes, counter, bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a"))
    assert not message.has_tag
    secret = transciphering.SecretKey.generate(insecure_toy=True)
    server = secret.evaluation_key(progress=False)
    key = pickle.loads(pickle.dumps(secret.encrypt_key(aes)))
    result = server.transcipher(key, message, progress=False)
    assert secret.decrypt(transciphering.EncryptedBytes.from_bytes(result.to_bytes())) == bytes(16)
    flipped = server.prepare(cryptable.table(np.arange(256)[::-1]))
    assert secret.decrypt(server.lookup_many(result, [flipped], progress=False)[0]) == b"\xff" * 16


def test_arrays_of_bfloat16_numbers():
    patterns = np.arange(1 << 16, dtype=np.uint16)
    numbers = bfloat16.floats(patterns)
    is_number = ~np.isnan(numbers)
    np.testing.assert_array_equal(bfloat16.patterns(numbers)[is_number], patterns[is_number])
    assert set(bfloat16.patterns(numbers)[~is_number].tolist()) == {0x7FC0}
    # Between two: the nearer one, the even one in the middle, also where float32 would round into the middle first.
    assert bfloat16.patterns([1 + 2**-8, 1 + 2**-8 + 2**-40, 1 + 3 * 2**-8, 1 + 3 * 2**-8 - 2**-40]).tolist() == [
        0x3F80,
        0x3F81,
        0x3F82,
        0x3F81,
    ]
    assert bfloat16.patterns([[1e39, -1e39], [3.4e38, 0.0]]).tolist() == [[0x7F80, 0xFF80], [0x7F80, 0]]
    # As the library's own tables round.
    values = np.random.default_rng(1).integers(0, 1 << 16, 2000)
    exact = [bfloat16.gelu(float(v)) for v in bfloat16.floats(values)]
    np.testing.assert_array_equal(bfloat16.patterns(exact), bfloat16.table(bfloat16.gelu).outputs[values])
