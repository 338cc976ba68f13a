"""A preprocessor of mdBook: formulas between dollars become MathML, which browsers show without a network.

`$...$` stands in a line and `$$...$$` by itself, as hosts of repositories show them; code is left alone. Without the
package latex2mathml formulas stay TeX.
"""

import html
import json
import re
import sys
from typing import Any

try:
    from latex2mathml.converter import convert
except ImportError:
    convert = None

# Code comes first, so that dollars in it are no formulas.
PARTS = re.compile(
    r"(?P<fence>^```.*?^```)|(?P<code>`[^`\n]+`)|\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$\s][^$\n]*?)\$",
    re.DOTALL | re.MULTILINE,
)


def formula(match: re.Match[str]) -> str:
    """A part of a page, with MathML in place of a formula."""
    if match["fence"] or match["code"]:
        return match[0]
    display = "block" if match["block"] else "inline"
    tex = " ".join((match["block"] or match["inline"]).split())
    if convert is None:
        return f'<code class="formula">{html.escape(tex)}</code>'
    return convert(tex, display=display)


def rewrite(items: list[Any]) -> None:
    """Rewrites the pages of a book, and those below them."""
    for item in items:
        if "Chapter" in item:
            chapter = item["Chapter"]
            chapter["content"] = PARTS.sub(formula, chapter["content"])
            rewrite(chapter["sub_items"])


def main() -> None:
    """Answers mdBook: whether an output is served, or the book with formulas rewritten."""
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0 if sys.argv[2] == "html" else 1)
    _, book = json.load(sys.stdin)
    rewrite(book["items"] if "items" in book else book["sections"])
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    main()
