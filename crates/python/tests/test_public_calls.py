"""Every public call of the library is reached from here, or it is said why not."""

import re
from pathlib import Path

CRATES = Path(__file__).parents[2]

#: What Python has by another name, or not at all.
OTHERWISE = {
    "check_undamaged": "EncryptedWords.load reads files whole, and checks them",
    "decrypt_digits": "decrypt_integers(signed=False)",
    "decrypt_signed": "decrypt, of a ciphertext that is signed",
    "encrypt_bits": "public keys of gates are in Rust alone",
    "encrypt_integers": "public keys of large values are in Rust alone",
    "encrypt_signed": "encrypt(signed=True)",
    "for_table": "plan(table)",
    "is_standalone": "decrypt of the command line asks it; digits of the library are marked",
    "is_value_by_value": "engine != 'packed'",
    "with_standalone": "digits of the library are marked",
    "reduced": "integers.plan says what calls take, of which integers.reduce is one",
    # For servers, which go on where they were killed.
    "flush": "lookup --resume",
    "into_pieces": "parts",
    "resume": "lookup --resume",
    "step_back": "a reader is opened again",
    "with_options": "memory limits are the server's",
    # By their name, through `compare`.
    "absolute_value": "comparisons.absolute_value",
    "greater_or_equal": "comparisons.greater_or_equal",
    "index_of_larger": "comparisons.index_of_larger",
    "integer_digits": "comparisons.digits",
    "is_negative": "comparisons.is_negative",
    "minimum": "comparisons.minimum",
}


def sources(crate):
    for path in sorted((CRATES / crate / "src").rglob("*.rs")):
        code, *_tests = path.read_text(encoding="utf-8").split("#[cfg(test)]\nmod ")
        yield re.sub(r"//[^\n]*", "", code)


def test_every_public_call():
    public = {name for code in sources("cryptable") for name in re.findall(r"\bpub (?:const )?fn (\w+)", code)}
    named = {name for code in sources("python") for name in re.findall(r"\w+", code)}
    assert len(public) > 100
    assert public - named - OTHERWISE.keys() == set()
    assert OTHERWISE.keys() <= public
