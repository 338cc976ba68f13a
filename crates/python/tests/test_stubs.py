"""Type stubs have what is compiled, and nothing else; all of it is documented."""

import ast
import inspect
from pathlib import Path

import pytest
from cryptable import _native

STUBS = sorted((Path(_native.__file__).parent / "_native").glob("*.pyi"))


def public(names):
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: path.stem)
def test_a_stub(stub):
    module = _native if stub.stem == "__init__" else getattr(_native, stub.stem)
    body = ast.parse(stub.read_text(encoding="utf-8")).body
    stated = {node.name: node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    compiled = {name for name in public(dir(module)) if not inspect.ismodule(getattr(module, name))}
    assert compiled == public(stated)
    for name, node in stated.items():
        found = getattr(module, name)
        assert found.__doc__, name
        if isinstance(node, ast.ClassDef):
            methods = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
            assert public(vars(found)) == public(methods), name
            assert [method for method in public(methods) if not getattr(found, method).__doc__] == [], name
