"""Gates on encrypted bits, and transciphering."""

import os
import pickle
import stat
import struct

import numpy as np
import pytest
from cryptable import bfloat16, booleans, transciphering
from cryptable.errors import AuthenticityError, FormatError, MismatchError, RangeError, TrustError, UnsupportedError

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
    few = secret.packed_gates(gates=100, progress=False)
    assert few.bits_at_once == 256 < packed.bits_at_once
    for name, gate in GATES.items():
        for key in (server, packed, few):
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
    assert secret.decrypt(b.bit(-1)) and joined.reshape(-1, 1).shape == (5, 1)
    with pytest.raises(RangeError, match="index 4 is not one of 4"):
        a.bit(4)
    with pytest.raises(UnsupportedError, match="computing"):
        _ = a & b
    with pytest.raises(ValueError, match='"maybe"'):
        server.gate("maybe", a, b)
    with pytest.raises(MismatchError):
        server.gate("and", a, booleans.SecretKey.generate(insecure_toy=True).encrypt(y), progress=False)


def test_packed_gates_of_files(bits, tmp_path):
    secret, _ = bits
    x = np.random.default_rng(3).integers(0, 2, (2, 700)).astype(bool)
    a, b = secret.encrypt(x[0]), secret.encrypt(x[1])
    secret.save_packed_gates(tmp_path / "gates", progress=False)
    with pytest.raises(FileExistsError):
        secret.save_packed_gates(tmp_path / "gates", progress=False)
    server = booleans.PackedGates.open(tmp_path / "gates", allow_insecure=True)
    assert server.key_id == secret.id and server.bits_at_once > 1 and 0 < server.noise < 1 / 8
    for key in (server, pickle.loads(pickle.dumps(server))):
        found = key.gate("nand", key.gate("xor", a, b, progress=False), b, progress=False)
        np.testing.assert_array_equal(secret.decrypt(found), ~((x[0] ^ x[1]) & x[1]))
    assert "bits at once" in repr(server)
    with pytest.raises(TrustError, match="INSECURE"):
        booleans.PackedGates.open(tmp_path / "gates")
    # Keys of another secret of the ring do not fit.
    secret.save_packed_gates(tmp_path / "others", progress=False)
    (tmp_path / "others/packing.key").replace(tmp_path / "gates/packing.key")
    with pytest.raises(FormatError, match="ring key"):
        booleans.PackedGates.open(tmp_path / "gates", allow_insecure=True)
    (tmp_path / "gates/extraction.key").unlink()
    with pytest.raises(FileNotFoundError, match=r"extraction\.key"):
        booleans.PackedGates.open(tmp_path / "gates", allow_insecure=True)
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(secret.packed_gates(progress=False))


def foreign_list(bits, salt):
    """A list under the secret of zeros: bodies are phases, a quarter of 2^11 for true."""
    words = (np.arange(33 * len(bits), dtype="<u4") * 31 + salt).reshape(-1, 33) % 2048
    words[:, 32] = 512 * np.asarray(bits)
    return b"LWELIST1" + struct.pack("<IIQ", 32, 11, len(bits)) + words.astype("<u4").tobytes()


def foreign_bits(data):
    bodies = np.frombuffer(data, "<u4", offset=24).reshape(-1, 33)[:, 32]
    return (bodies + 256) // 512 % 4


def test_gates_of_foreign_bits(tmp_path):
    (tmp_path / "key.lwe").write_bytes(b"LWEKEY01" + struct.pack("<I", 32) + bytes(32))
    secret = booleans.ForeignSecret.load(tmp_path / "key.lwe", insecure_toy=True)
    secret.save_gates(tmp_path / "gates.server", gates=64, progress=False)
    server = booleans.ForeignGates.open(tmp_path / "gates.server", allow_insecure=True)
    assert server.key_id == secret.id and server.set == secret.set and 0 < server.noise < 1 / 8
    assert server.bits_at_once == 64 and server.security_bits == 0 and server.memory_bytes > 0
    x, y = np.random.default_rng(4).integers(0, 2, (2, 70))
    a, b = foreign_list(x, 1), foreign_list(y, 7)
    for key in (server, secret.gates(progress=False), pickle.loads(pickle.dumps(server))):
        found = key.gate("nor", key.gate("nand", a, b, progress=False), key.invert(b), progress=False)
        np.testing.assert_array_equal(foreign_bits(found), x & y)
    with pytest.raises(MismatchError, match="number of bits is 3"):
        server.gate("and", a, foreign_list([1, 0, 1], 3), progress=False)
    with pytest.raises(MismatchError, match="bytes of the list is 9263"):
        server.gate("and", a, b[:-1], progress=False)
    with pytest.raises(TrustError, match="INSECURE"):
        booleans.ForeignGates.open(tmp_path / "gates.server")
    with pytest.raises(MismatchError, match="openfhe-std128 or tfhe-rs-boolean"):
        booleans.ForeignSecret.load(tmp_path / "key.lwe", set="openfhe-std192")
    with pytest.raises(MismatchError, match="LWE dimension is 32"):
        booleans.ForeignSecret.load(tmp_path / "key.lwe", set="tfhe-rs-boolean")
    with pytest.raises(TypeError, match="pickled"):
        pickle.dumps(secret)


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
    assert message.aes_key_id == aes.id and len(message.first_counter) == 16 and "14 bytes" in repr(message)
    checker = aes.authentication_key()
    checker.verify(message)
    checker.save(tmp_path / "check.key")
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(checker)
    untagged = transciphering.Message.from_counter_mode(aes, message.first_counter, b"attack at dawn")
    with pytest.raises(AuthenticityError):
        transciphering.AuthenticationKey.load(tmp_path / "check.key").verify(untagged)


def test_files_of_any_length(tmp_path):
    text = bytes(range(256)) * 5000 + b"the end"
    (tmp_path / "text").write_bytes(text)
    key = transciphering.AesKey.generate()
    key.save(tmp_path / "aes.key")
    aes = transciphering.AesKey.load(tmp_path / "aes.key")
    assert aes.id == key.id
    aes.encrypt_file(tmp_path / "text", tmp_path / "message")
    assert key.open(transciphering.Message.load(tmp_path / "message")) == text
    key.open_file(tmp_path / "message", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == text
    assert stat.S_IMODE(os.stat(tmp_path / "again").st_mode) == 0o600
    aes.encrypt_file(tmp_path / "text", tmp_path / "with_counter", first_counter=bytes(16))
    with pytest.raises(AuthenticityError, match="counter"):
        aes.encrypt_file(tmp_path / "text", tmp_path / "twice", first_counter=bytes(16))
    with pytest.raises(FileExistsError, match="replace=True"):
        aes.encrypt_file(tmp_path / "text", tmp_path / "message")
    # What anybody changed is not written.
    damaged = transciphering.Message.from_counter_mode(aes, bytes(16), b"no tag")
    damaged.save(tmp_path / "damaged")
    with pytest.raises(AuthenticityError):
        aes.open_file(tmp_path / "damaged", tmp_path / "no")
    with pytest.raises(FileNotFoundError, match="absent"):
        aes.encrypt_file(tmp_path / "absent", tmp_path / "no")
    assert not (tmp_path / "no").exists() and not (tmp_path / "twice").exists()
    (tmp_path / "short.key").write_bytes(b"short")
    with pytest.raises(FormatError, match="16 bytes, not 5"):
        transciphering.AesKey.load(tmp_path / "short.key")


def test_aes_of_fips_197_by_another_program(tmp_path):
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
    flipped = server.prepare(np.arange(256)[::-1])
    assert secret.decrypt(server.lookup_many(result, [flipped], progress=False)[0]) == b"\xff" * 16
    # As files: a message, and nothing but the bytes of another program.
    message.save(tmp_path / "message")
    (tmp_path / "bytes").write_bytes(bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a"))
    server.transcipher_file(key, tmp_path / "message", tmp_path / "a.ct", progress=False)
    assert secret.decrypt_file(tmp_path / "a.ct", tmp_path / "a", progress=False) == 16
    assert (tmp_path / "a").read_bytes() == bytes(16)
    how = {"first_counter": counter, "progress": False, "threads": 1}
    server.transcipher_file(key, tmp_path / "bytes", tmp_path / "b.ct", flipped, **how)
    assert secret.decrypt(transciphering.EncryptedBytes.load(tmp_path / "b.ct")) == b"\xff" * 16
    with pytest.raises(FormatError):
        server.transcipher_file(key, tmp_path / "bytes", tmp_path / "c.ct", progress=False)
    assert not (tmp_path / "c.ct").exists()


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
