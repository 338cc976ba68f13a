"""Counts turns of phrase that readers stumble over, in comments, messages and documents, and holds them to limits.

`plain_english.py` checks the limits; `plain_english.py PATH...` lists the places below these paths.
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

# Where a comment begins: the line that a list of items shows beside its name.
FIRST_WORDS = r"(?:What|Of|Those|As|It|That of|The same as before)\b"
PATTERNS: dict[str, tuple[str, int]] = {
    "a doc comment begins with What, Of, Those, As or It": ("begins", 0),
    "so many": (r"\bso many\b", 0),
    "a for per": (PER, 0),
    "demands": (r"\b[Dd]emands\b", 0),
    "left out": (r"\b[Ll]eft out\b", 0),
}
# Sources of others, and lines that a program wrote.
SKIPPED = ("docs/book/html/", "crates/bench/results/", "comparisons/results/")
KINDS = (".rs", ".py", ".pyi", ".md")


def files(below: list[str]) -> list[pathlib.Path]:
    """Lists the files that are under version control."""
    listed = subprocess.run(["git", "ls-files", "--", *below], cwd=ROOT, check=True, capture_output=True, text=True)
    names = [name for name in listed.stdout.splitlines() if name.endswith(KINDS) and not name.startswith(SKIPPED)]
    return [ROOT / name for name in names if name != "scripts/plain_english.py" and not (ROOT / name).is_symlink()]


def beginnings(path: pathlib.Path, text: str) -> list[int]:
    """Finds the lines where a doc comment begins with one of the words that cannot stand alone."""
    if path.suffix == ".rs":
        lines = text.splitlines()
        return [
            number
            for number, line in enumerate(lines, 1)
            if re.match(rf"\s*//[/!] {FIRST_WORDS}", line) and not re.match(r"\s*//[/!] \S", lines[number - 2])
        ]
    if path.suffix in (".py", ".pyi"):
        return [text.count("\n", 0, found.start()) + 1 for found in re.finditer(rf'"""{FIRST_WORDS}', text)]
    return []


def places(path: pathlib.Path, pattern: str) -> list[int]:
    """Finds the lines of a file that a pattern names."""
    text = path.read_text()
    if pattern == "begins":
        return beginnings(path, text)
    return [number for number, line in enumerate(text.splitlines(), 1) if re.search(pattern, line)]


def main() -> None:
    """Lists the places below the given paths, or checks the limits for the whole tree."""
    below = sys.argv[1:]
    over = []
    for name, (pattern, limit) in PATTERNS.items():
        found = [(path, number) for path in files(below) for number in places(path, pattern)]
        if below:
            print(
                f"{name}: {len(found)}", *(f"{path.relative_to(ROOT)}:{number}" for path, number in found), sep="\n  "
            )
        elif len(found) > limit:
            over.append(f"{name}: {len(found)} times, at most {limit}")
        else:
            print(f"{name}: {len(found)} times, at most {limit}")
    if over:
        sys.exit("\n".join([*over, f"python3 {sys.argv[0]} crates docs lists the places"]))


if __name__ == "__main__":
    main()
