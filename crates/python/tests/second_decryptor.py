"""A second decryptor: numpy alone, written from `docs/wire-format.md`.

    python second_decryptor.py client.key result.ct

prints the values of a file of ciphertexts, of any engine, one a line, without this library. It is no replacement:
nothing is cleared from memory or runs in constant time, checksums (BLAKE3) and bounds on noise are not checked.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator

import numpy as np

PACKED_SECRET, PACKED_VALUES, SINGLE_SECRET, SINGLE_VALUES, LEVELED_SECRET, LEVELED_VALUES = 2, 4, 6, 8, 15, 17
SECRET_OF = {PACKED_VALUES: PACKED_SECRET, SINGLE_VALUES: SINGLE_SECRET, LEVELED_VALUES: LEVELED_SECRET}
MASK_STREAM = 3 << 56


class Reader:
    """The fields of a body, one after another."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def raw(self, count: int) -> bytes:
        assert self.position + count <= len(self.data), "truncated"
        self.position += count
        return self.data[self.position - count : self.position]

    def number(self, code: str) -> int:
        return struct.unpack("<" + code, self.raw(struct.calcsize("<" + code)))[0]

    def bytes(self) -> bytes:
        return self.raw(self.number("Q"))

    def packed_words(self, count: int, modulus: int) -> np.ndarray:
        return unpack(self.bytes(), (modulus - 1).bit_length(), count)


def read_object(data: bytes) -> tuple[int, Reader]:
    """The type of an object, and its body."""
    assert data[:8] == b"CRYPTABL", "no object of cryptable"
    version, kind = struct.unpack("<HH", data[8:12])
    assert version == 5, f"format version {version}"
    (length,) = struct.unpack("<Q", data[48:56])
    assert len(data) == 64 + length + 32, "not exactly one object"
    return kind, Reader(data[64 : 64 + length])


def ciphertexts(data: bytes) -> Iterator[tuple[int, Reader]]:
    """The objects in a file of ciphertexts."""
    assert data[:8] == b"CRYPTCTS", "no file of ciphertexts"
    reader = Reader(data)
    reader.raw(72)
    while length := reader.number("Q"):
        yield read_object(reader.raw(length))


def unpack(data: bytes, bits: int, count: int) -> np.ndarray:
    """Words of `bits` bits, the least significant bit first, without gaps."""
    flags = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")[: bits * count]
    return flags.reshape(count, bits).astype(np.uint64) @ (np.uint64(1) << np.arange(bits, dtype=np.uint64))


def unpack_ternary(data: bytes) -> np.ndarray:
    """Coefficients -1, 0 and 1, two bits each. What fills up the last byte is -1."""
    return unpack(data, 2, 4 * len(data)).astype(np.int64) - 1


def chacha20_words(seed: bytes, stream: int, count: int) -> np.ndarray:
    """Words of 64 bits of ChaCha20: `seed` is its key, `stream` its nonce of 64 bits, blocks are counted from 0."""
    blocks = -(-count // 8)
    state = np.zeros((16, blocks), np.uint32)
    state[:4] = np.frombuffer(b"expand 32-byte k", np.uint32)[:, None]
    state[4:12] = np.frombuffer(seed, np.uint32)[:, None]
    state[12] = np.arange(blocks)
    state[14], state[15] = stream & 0xFFFFFFFF, stream >> 32
    x = state.copy()

    def quarter(a: int, b: int, c: int, d: int) -> None:
        for to, by, mix, rotation in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[to] += x[by]
            x[mix] ^= x[to]
            x[mix] = (x[mix] << np.uint32(rotation)) | (x[mix] >> np.uint32(32 - rotation))

    for _ in range(10):
        for i in range(4):
            quarter(i, i + 4, i + 8, i + 12)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return (x + state).T.copy().view(np.uint64).ravel()[:count]


def expand(seed: bytes, index: int, count: int, modulus: int) -> np.ndarray:
    """Uniform words below the modulus: the low bits of ChaCha20's, without those that are too large."""
    mask = np.uint64((1 << max(1, (modulus - 1).bit_length())) - 1)
    drawn = count
    while True:
        words = chacha20_words(seed, MASK_STREAM + index, drawn) & mask
        words = words[words < modulus]
        if len(words) >= count:
            return words[:count]
        drawn *= 2


def negacyclic_product(a: np.ndarray, s: np.ndarray) -> np.ndarray:
    """`a * s` modulo X^N + 1 and 2^64, for words a and ternary s: by FFTs of 15 bits of a each."""
    degree = len(a)
    transform = np.fft.rfft(s.astype(float), 2 * degree)
    result = np.zeros(degree, np.uint64)
    for shift in range(0, 64, 15):
        digit = (a >> np.uint64(shift)) & np.uint64(0x7FFF)
        product = np.rint(np.fft.irfft(np.fft.rfft(digit.astype(float), 2 * degree) * transform)).astype(np.int64)
        result += (product[:degree] - product[degree:]).astype(np.uint64) << np.uint64(shift)
    return result


def decode(phases: list[int], modulus: int, plaintext_modulus: int) -> list[int]:
    """The values whose phases are nearest."""
    return [(x * plaintext_modulus + modulus // 2) // modulus % plaintext_modulus for x in phases]


def packed_values(body: Reader, secret: np.ndarray) -> list[int]:
    """Values in the coefficients of an RLWE ciphertext modulo 2^k."""
    body.raw(16 + 48)  # identifier of the key, bound on the noise
    log2_modulus, modulus = body.number("I"), body.number("Q")
    degree, slots, count = (body.number("Q") for _ in range(3))
    is_seed = body.number("B") == 0
    size = -(-degree * log2_modulus // 8)
    b = unpack(body.raw(size), log2_modulus, degree)
    a = expand(body.raw(32), 0, degree, 1 << log2_modulus) if is_seed else unpack(body.raw(size), log2_modulus, degree)
    phases = (b + negacyclic_product(a, secret[:degree])) & np.uint64((1 << log2_modulus) - 1)
    return decode(phases[:: degree // slots][:count].tolist(), 1 << log2_modulus, modulus)


def extracted(element: np.ndarray, position: int, modulus: int) -> np.ndarray:
    """The mask of a coefficient of a ring element modulo X^N + 1."""
    negated = [(modulus - int(word)) % modulus for word in element[:position:-1]]
    return np.array([int(word) for word in element[position::-1]] + negated, dtype=object)


def lwe_phases(body: Reader, secrets: list[np.ndarray], shape: tuple[int, int, int, int]) -> tuple[list[int], int]:
    """Phases of LWE ciphertexts, and their modulus."""
    dimension, modulus, count, kind = shape
    if kind == 1:
        seed = body.raw(32)
        masks = np.stack([expand(seed, index, dimension, modulus) for index in range(count)])
    elif kind == 2:
        elements = body.packed_words(-(-count // dimension) * dimension, modulus).reshape(-1, dimension)
        masks = np.stack([extracted(elements[i // dimension], i % dimension, modulus) for i in range(count)])
    else:
        masks = body.packed_words(count * dimension, modulus).reshape(count, dimension)
    bodies = body.packed_words(count, modulus)
    # The secret whose packing has as many bytes as the dimension takes.
    secret = next(s for s in secrets if len(s) == 4 * -(-dimension // 4))[:dimension]
    # Integers of Python: products of 62 bits are exact.
    products = masks.astype(object) @ secret.astype(object)
    return [(int(p) + int(b)) % modulus for p, b in zip(products, bodies, strict=True)], modulus


def single_values(body: Reader, secrets: list[np.ndarray]) -> list[int]:
    """A value in each LWE ciphertext."""
    body.raw(16)
    plaintext_modulus = body.number("Q")
    body.raw(48)  # bound on the noise
    count, kind = body.number("Q"), body.number("I")
    shape = (body.number("I"), body.number("Q"), count, kind)
    phases, modulus = lwe_phases(body, secrets, shape)
    return decode(phases, modulus, plaintext_modulus)


def leveled_values(body: Reader, secrets: list[np.ndarray]) -> list[int]:
    """Digits of one or two bits in LWE ciphertexts, the lowest first."""
    plaintext_modulus, bits = body.number("Q"), body.number("I")
    body.raw(16)
    dimension, modulus = body.number("I"), body.number("Q")
    width = -(-(plaintext_modulus - 1).bit_length() // bits)
    count, kind = body.number("Q") * width, body.number("I")
    phases, modulus = lwe_phases(body, secrets, (dimension, modulus, count, kind))
    digits = decode(phases, modulus, 1 << bits)
    return [sum(digits[i + j] << bits * j for j in range(width)) for i in range(0, count, width)]


def decrypt(secret_file: bytes, ciphertext_file: bytes) -> list[int]:
    """The values of a file of ciphertexts."""
    kind, body = read_object(secret_file)
    body.bytes()  # parameters
    secrets = []
    while body.position < len(body.data):
        secrets.append(unpack_ternary(body.bytes()))
    values: list[int] = []
    for of, ciphertext in ciphertexts(ciphertext_file):
        assert SECRET_OF.get(of) == kind, f"a key of type {kind} for ciphertexts of type {of}"
        if of == PACKED_VALUES:
            values += packed_values(ciphertext, secrets[0])
        elif of == SINGLE_VALUES:
            values += single_values(ciphertext, secrets)
        else:
            values += leveled_values(ciphertext, secrets)
    (signed,), (modulus,) = struct.unpack("<H", ciphertext_file[14:16]), struct.unpack("<Q", ciphertext_file[64:72])
    return [value - modulus if signed and 2 * value >= modulus else value for value in values]


if __name__ == "__main__":
    key, file = (open(path, "rb").read() for path in sys.argv[1:3])  # noqa: SIM115
    print(*decrypt(key, file), sep="\n")
