"""Checks comments, messages and documents for turns of phrase that readers stumble over.

`plain_english.py` checks the whole tree; `plain_english.py PATH...` checks only the files below these paths.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent
UNITS = (
    r"(?:bit|bits|byte|bytes|ciphertext|column|digit|digits|gate|gates|job|key|level|limb|lookup|lookups|row|rotation|second|slot"
    r"|table|thread|value|values|word|words)"
)
PER = (
    rf"\b(?:bits|bytes|ciphertexts|coefficients|digits|entries|failures?|gates|keys|limbs|lookups|products|rotations|rows|samples"
    rf"|seconds|tables|values|variance|words|once|one|two) an? {UNITS}\b"
)
PHRASES = {
    "so many": r"\bso many\b",
    '"a" for "per"': PER,
    "demands": r"\b[Dd]emands\b",
    "left out": r"\b[Ll]eft out\b",
}
# First words of a doc comment that does not stand alone, as lists of items show it.
BEGINNING = "a doc comment begins with What, Of, Those, As or It"
FIRST_WORDS = r"(?:What|Of|Those|As|It|That of|The same as before)\b"
# Sources of others, and lines that a program wrote.
SKIPPED = ("docs/book/html/", "crates/bench/results/", "comparisons/results/")
KINDS = (".rs", ".py", ".pyi", ".md")


def files(below: list[str]) -> list[pathlib.Path]:
    """Lists the files that are under version control."""
    listed = subprocess.run(["git", "ls-files", "--", *below], cwd=ROOT, check=True, capture_output=True, text=True)
    names = [name for name in listed.stdout.splitlines() if name.endswith(KINDS) and not name.startswith(SKIPPED)]
    return [ROOT / name for name in names if name != "scripts/plain_english.py" and not (ROOT / name).is_symlink()]


def begins_badly(lines: list[str], number: int, suffix: str) -> bool:
    """Returns whether a doc comment begins in a line with words that cannot stand alone."""
    line = lines[number]
    if suffix == ".rs":
        before = lines[number - 1] if number else ""
        return bool(re.match(rf"\s*//[/!] {FIRST_WORDS}", line)) and not re.match(r"\s*//[/!] \S", before)
    return suffix in (".py", ".pyi") and bool(re.search(rf'"""{FIRST_WORDS}', line))


def findings(path: pathlib.Path) -> list[str]:
    """Lists the places of a file with such a phrase."""
    lines = path.read_text().splitlines()
    found = []
    for number, line in enumerate(lines):
        names = [name for name, pattern in PHRASES.items() if re.search(pattern, line)]
        names += [BEGINNING] if begins_badly(lines, number, path.suffix) else []
        found += [f"{path.relative_to(ROOT)}:{number + 1}: {name}" for name in names]
    return found


if __name__ == "__main__":
    if found := [place for path in files(sys.argv[1:]) for place in findings(path)]:
        sys.exit("\n".join([*found, f"{len(found)} places; CONTRIBUTING.md has the rules"]))
