"""Type stubs have what is compiled, parameters and defaults included, and nothing else; all of it is documented."""

import ast
import inspect
from pathlib import Path

import cryptable
import pytest
from cryptable import _native

STUBS = sorted((Path(_native.__file__).parent / "_native").glob("*.pyi"))


def stated_parameters(node):
    """Names, kinds and defaults of a stub."""
    found = node.args
    at, by = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    missing = [inspect.Parameter.empty] * (len(found.args) - len(found.defaults))
    defaults = missing + [ast.literal_eval(it) for it in found.defaults]
    parameters = [(arg.arg, at, default) for arg, default in zip(found.args, defaults, strict=True)]
    if found.vararg:
        parameters.append((found.vararg.arg, inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.empty))
    for arg, default in zip(found.kwonlyargs, found.kw_defaults, strict=True):
        parameters.append((arg.arg, by, inspect.Parameter.empty if default is None else ast.literal_eval(default)))
    return [it for it in parameters if it[0] != "self"]


def compiled_parameters(found):
    """Returns the signatures that `help` shows."""
    parameters = inspect.signature(found).parameters.values()
    return [(it.name, it.kind, it.default) for it in parameters if it.name != "self"]


def is_property(node):
    return any(isinstance(it, ast.Name) and it.id == "property" for it in node.decorator_list)


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
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and public([member.name]) and not is_property(member):
                    shown = compiled_parameters(getattr(found, member.name))
                    assert shown == stated_parameters(member), (name, member.name)
        else:
            assert compiled_parameters(found) == stated_parameters(node), name


def test_plans_name_what_may_be_asked_for():
    """So that editors and `help` show it: no `**request`."""
    modules = [cryptable, *(getattr(cryptable, name) for name in ("bridges", "circuits", "ckks", "comparisons"))]
    modules += [cryptable.integers, cryptable.wide]
    plans = [getattr(module, name) for module in modules for name in module.__all__ if name.startswith("plan")]
    assert len(plans) == 8
    for plan in plans:
        kinds = {parameter.kind for parameter in inspect.signature(plan).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds, plan
