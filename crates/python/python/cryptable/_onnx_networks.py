"""Quantised ONNX networks, read by tracing all operators elementwise until only integer sums and steps remain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._models import Kind
from ._networks import Affine, Floats, Function, Integers, Network, Quantise, relu, sigmoid
from ._onnx_graph import Graph, Ints, Pending, UnsupportedOperatorError, Values, per_axis

RANGES = {
    "uint8": (0, 255),
    "int8": (-128, 127),
    "uint4": (0, 15),
    "int4": (-8, 7),
    "uint16": (0, 65535),
    "int16": (-32768, 32767),
}


def _quantized(graph: Graph, name: str, names: Sequence[str], axis: int) -> Any:
    """Quantises values or constants, by the scale and zero point of these names."""
    scale = graph.constant(names[0]).astype(float)
    zero = graph.constant(names[1]) if len(names) > 1 and names[1] else np.uint8(0)
    kind = str(zero.dtype)
    if kind not in RANGES:
        raise UnsupportedOperatorError(f"QuantizeLinear to {kind}")
    is_input = name == graph.input
    values = None if name in graph.constants or is_input else graph.values_of(name)
    if name in graph.constants:
        shape = np.shape(graph.constant(name))
    else:
        shape = (1, *(graph.shape if values is None else values.constants.shape))
    scale, zero = (np.asarray(per_axis(part, shape, axis), dtype=float) for part in (scale, zero))
    if name in graph.constants:
        step = Quantise(scale, zero, *RANGES[kind])
        return np.asarray(step(np.asarray(graph.constant(name), dtype=float)), dtype=np.int64)
    if values is not None:
        return values.then(Quantise(scale[0], zero[0], *RANGES[kind]))
    step = Quantise(scale.reshape(-1), zero.reshape(-1), *RANGES[kind])
    if graph.inputs is not None and not np.array_equal(graph.inputs.scale, step.scale):
        raise UnsupportedOperatorError("an input that is quantised twice")
    graph.inputs = step
    count = len(graph.names)
    weights = np.eye(count, dtype=np.int64).reshape(*graph.shape, count)
    return Values(0, weights, np.zeros(graph.shape, dtype=np.int64), ())


def _dequantized(graph: Graph, name: str, names: Sequence[str], axis: int) -> Any:
    """Dequantises values or constants, by the scale and zero point of these names."""
    scale = graph.constant(names[0]).astype(float)
    zero = np.asarray(graph.constant(names[1]) if len(names) > 1 and names[1] else 0).astype(np.int64)
    if name in graph.constants:
        integers = np.asarray(graph.constants[name]).astype(np.int64)
        of = [per_axis(part, integers.shape, axis) for part in (scale, zero)]
        return Ints(integers - of[1], of[0])
    values = graph.values.get(name)
    if not isinstance(values, Values) or (values.steps and not isinstance(values.steps[-1], Quantise)):
        raise UnsupportedOperatorError(f'DequantizeLinear of "{name}", which is not quantised,')
    shape = (1, *values.constants.shape)
    scale, zero = (per_axis(part, shape, axis)[0] for part in (scale, zero))
    return Pending(values, scale, zero)


def _quantize(graph: Graph, node: Any) -> Any:
    return _quantized(graph, node.input[0], node.input[1:], graph.attributes(node).get("axis", 1))


def _dequantize(graph: Graph, node: Any) -> Any:
    return _dequantized(graph, node.input[0], node.input[1:], graph.attributes(node).get("axis", 1))


def _matmul(graph: Graph, node: Any) -> Any:
    weights = graph.integers_of(node.input[1], node)
    return _product(graph, node, graph.for_sums(node.input[0], node), weights)


def _product(graph: Graph, node: Any, values: Values, weights: Ints) -> Values:
    factors, scale = weights.integers, weights.scale
    if factors.ndim != 2 or values.constants.ndim != 1:
        raise UnsupportedOperatorError(f'{node.op_type} "{node.name}" of more than two dimensions')
    if values.constants.shape[0] != factors.shape[0]:
        found = f"{values.constants.shape[0]} values, {factors.shape[0]} rows of weights"
        raise ValueError(f'{node.op_type} "{node.name}": {found}')
    if not (scale == scale[:1]).all():
        raise UnsupportedOperatorError(f'{node.op_type} "{node.name}" with scales of rows of its weights')
    return graph.linear(values, node, lambda x: np.tensordot(factors.T, x, axes=1), scale[0])


def _transposed(weights: Ints) -> Ints:
    return Ints(weights.integers.T, weights.scale.T)


def _with_bias(values: Values, bias: Any) -> Values:
    shape = values.constants.shape
    return values.then(Affine(np.ones(shape), np.broadcast_to(np.asarray(bias, dtype=float), shape)))


def _gemm(graph: Graph, node: Any) -> Any:
    given = graph.attributes(node)
    if given.get("transA", 0):
        raise UnsupportedOperatorError("Gemm with transA")
    weights = graph.integers_of(node.input[1], node)
    weights = _transposed(weights) if given.get("transB", 0) else weights
    weights = Ints(weights.integers, weights.scale * given.get("alpha", 1.0))
    found = _product(graph, node, graph.for_sums(node.input[0], node), weights)
    if len(node.input) > 2 and node.input[2]:
        bias = np.asarray(graph.constant(node.input[2]), dtype=float) * given.get("beta", 1.0)
        found = _with_bias(found, bias.reshape(-1) if bias.ndim > 1 else bias)
    return found


def _conv(graph: Graph, node: Any) -> Any:
    weights = graph.integers_of(node.input[1], node)
    found = _convolution(graph, node, graph.for_sums(node.input[0], node), weights)
    if len(node.input) > 2 and node.input[2]:
        found = _with_bias(found, np.asarray(graph.constant(node.input[2]), dtype=float)[:, None])
    return found


def _convolution(graph: Graph, node: Any, values: Values, weights: Ints) -> Values:
    given, factors = graph.attributes(node), weights.integers
    if factors.ndim != 3 or values.constants.ndim != 2:
        raise UnsupportedOperatorError(f'Conv "{node.name}" of {factors.ndim - 2} dimensions instead of one')
    if given.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID"):
        raise UnsupportedOperatorError(f'Conv "{node.name}" with auto_pad')
    scale = weights.scale[:, :1, :1]
    if not (weights.scale == scale).all():
        raise UnsupportedOperatorError(f'Conv "{node.name}" with scales of more than channels')
    groups, pads = given.get("group", 1), given.get("pads", [0, 0])
    stride, dilation = (given.get(name, [1])[0] for name in ("strides", "dilations"))
    outputs, inputs, width = factors.shape
    span = (width - 1) * dilation + 1

    def product(x: Integers) -> Integers:
        padded = np.pad(x, ((0, 0), (pads[0], pads[1]), (0, 0)))
        count = (padded.shape[1] - span) // stride + 1
        found = np.zeros((outputs, count, x.shape[2]), dtype=np.int64)
        for k in range(width):
            taken = padded[:, k * dilation : k * dilation + stride * (count - 1) + 1 : stride]
            for output in range(outputs):
                first = output * groups // outputs * inputs
                found[output] += np.tensordot(factors[output, :, k], taken[first : first + inputs], axes=1)
        return found

    return graph.linear(values, node, product, scale[:, 0])


def _global_average(graph: Graph, node: Any) -> Any:
    values = graph.for_sums(node.input[0], node)
    count = int(np.prod(values.constants.shape[1:]))

    def product(x: Integers) -> Integers:
        sums = x.reshape(x.shape[0], count, -1).sum(axis=1)
        return np.asarray(sums.reshape(x.shape[0], *[1] * (values.constants.ndim - 1), -1))

    return graph.linear(values, node, product, np.array(1.0 / count))


def _qlinear_matmul(graph: Graph, node: Any) -> Any:
    name = node.input
    weights = _dequantized(graph, name[3], name[4:6], 1)
    found = _product(graph, node, _dequantized(graph, name[0], name[1:3], 1).for_sums(graph, node), weights)
    return _quantized_as(graph, found, name[6:8])


def _qlinear_conv(graph: Graph, node: Any) -> Any:
    name = node.input
    weights = _dequantized(graph, name[3], name[4:6], 0)
    values = _dequantized(graph, name[0], name[1:3], 1).for_sums(graph, node)
    found = _convolution(graph, node, values, weights)
    if len(name) > 8 and name[8]:
        bias = np.asarray(graph.constant(name[8]), dtype=float) * weights.scale[:, 0, 0] * values.scale
        found = _with_bias(found, bias[:, None])
    return _quantized_as(graph, found, name[6:8])


def _qgemm(graph: Graph, node: Any) -> Any:
    name, given = node.input, graph.attributes(node)
    if given.get("transA", 0) or given.get("alpha", 1.0) != 1.0:
        raise UnsupportedOperatorError("QGemm with transA or alpha")
    transposed = given.get("transB", 0)
    weights = _dequantized(graph, name[3], name[4:6], 0 if transposed else 1)
    weights = _transposed(weights) if transposed else weights
    values = _dequantized(graph, name[0], name[1:3], 1).for_sums(graph, node)
    found = _product(graph, node, values, weights)
    if len(name) > 6 and name[6]:
        found = _with_bias(found, np.asarray(graph.constant(name[6]), dtype=float) * weights.scale[0] * values.scale)
    return _quantized_as(graph, found, name[7:9]) if len(name) > 7 and name[7] else found


def _quantized_as(graph: Graph, values: Values, names: Sequence[str]) -> Values:
    graph.values[""] = values
    found: Values = _quantized(graph, "", names, 1)
    del graph.values[""]
    return found


def _function(make: Callable[[dict[str, Any], list[Any]], Callable[[Floats], Floats]]) -> Callable[[Graph, Any], Any]:
    """Makes the operator of an activation that depends on attributes and constants."""

    def operator(graph: Graph, node: Any) -> Any:
        constants = [graph.constant(name) if name else None for name in node.input[1:]]
        function = make(graph.attributes(node), constants)
        return graph.values_of(node.input[0]).then(Function(node.op_type, function))

    return operator


def _clip(given: dict[str, Any], constants: list[Any]) -> Callable[[Floats], Floats]:
    ends = [*constants, None, None][:2]
    low = given.get("min", -np.inf) if ends[0] is None else float(np.ravel(ends[0])[0])
    high = given.get("max", np.inf) if ends[1] is None else float(np.ravel(ends[1])[0])
    return lambda x: np.clip(x, low, high)


def _leaky_relu(given: dict[str, Any], constants: list[Any]) -> Callable[[Floats], Floats]:
    alpha = given.get("alpha", 0.01)
    return lambda x: np.where(x < 0, alpha * x, x)


def _hard_sigmoid(given: dict[str, Any], constants: list[Any]) -> Callable[[Floats], Floats]:
    alpha, beta = given.get("alpha", 0.2), given.get("beta", 0.5)
    return lambda x: np.clip(alpha * x + beta, 0.0, 1.0)


def _with_constant(graph: Graph, node: Any) -> Any:
    """Returns the sum, difference, product or quotient of values and constants."""
    first, second = node.input[:2]
    is_first = first in graph.values
    if is_first and second in graph.values:
        raise UnsupportedOperatorError(f'{node.op_type} "{node.name}" of two values that are encrypted')
    values = graph.values_of(first if is_first else second)
    shape = values.constants.shape
    constant = np.asarray(graph.constant(second if is_first else first), dtype=float)
    constant = np.broadcast_to(constant, (1, *shape))[0]
    ones, zeros = np.ones(shape), np.zeros(shape)
    if node.op_type == "Add":
        return values.then(Affine(ones, constant))
    if node.op_type == "Sub":
        return values.then(Affine(ones, -constant) if is_first else Affine(-ones, constant))
    if node.op_type == "Mul":
        return values.then(Affine(constant, zeros))
    if not is_first:
        raise UnsupportedOperatorError(f'Div "{node.name}" by values')
    return values.then(Affine(1.0 / constant, zeros))


def _moved(pick: Callable[[Graph, Any, tuple[int, ...]], Callable[[Any], Any]]) -> Callable[[Graph, Any], Any]:
    """Makes an operator that moves or reshapes elements; `pick` receives the shape of a row."""

    def operator(graph: Graph, node: Any) -> Any:
        values = graph.values.get(node.input[0])
        if values is None:
            raise UnsupportedOperatorError(f'{node.op_type} "{node.name}" before the input is quantised')
        constants = values.zero if isinstance(values, Pending) else values.constants
        return values.picked(pick(graph, node, constants.shape))

    return operator


def _reshape(graph: Graph, node: Any, shape: tuple[int, ...]) -> Callable[[Any], Any]:
    target = [int(size) for size in np.ravel(graph.constant(node.input[1]))]
    rest = [shape[k] if size == 0 else size for k, size in enumerate(target[1:])]
    return lambda x: x.reshape(rest)


def _flatten(graph: Graph, node: Any, shape: tuple[int, ...]) -> Callable[[Any], Any]:
    if graph.attributes(node).get("axis", 1) != 1:
        raise UnsupportedOperatorError("Flatten along an axis other than 1")
    return lambda x: x.reshape(-1)


def _transpose(graph: Graph, node: Any, shape: tuple[int, ...]) -> Callable[[Any], Any]:
    order = list(graph.attributes(node).get("perm", range(len(shape), -1, -1)))
    if order[0] != 0:
        raise UnsupportedOperatorError("Transpose of rows")
    return lambda x: x.transpose([k - 1 for k in order[1:]])


def _axes(graph: Graph, node: Any, dimensions: int) -> tuple[int, ...]:
    found = graph.attributes(node).get("axes")
    if found is None:
        found = np.ravel(graph.constant(node.input[1]))
    return tuple(int(axis) % dimensions - 1 for axis in found)


def _squeeze(graph: Graph, node: Any, shape: tuple[int, ...]) -> Callable[[Any], Any]:
    axes = _axes(graph, node, len(shape) + 1)
    return lambda x: np.squeeze(x, axis=axes)


def _unsqueeze(graph: Graph, node: Any, shape: tuple[int, ...]) -> Callable[[Any], Any]:
    axes = _axes(graph, node, len(shape) + 1 + len(graph.attributes(node).get("axes", [0])))
    return lambda x: np.expand_dims(x, axes)


def _same(graph: Graph, node: Any) -> Any:
    return graph.values[node.input[0]]


OPERATORS: dict[str, Callable[[Graph, Any], Any]] = {
    "Add": _with_constant,
    "Clip": _function(_clip),
    "Conv": _conv,
    "DequantizeLinear": _dequantize,
    "Div": _with_constant,
    "Dropout": _same,
    "Flatten": _moved(_flatten),
    "Gemm": _gemm,
    "GlobalAveragePool": _global_average,
    "HardSigmoid": _function(_hard_sigmoid),
    "Identity": _same,
    "LeakyRelu": _function(_leaky_relu),
    "MatMul": _matmul,
    "Mul": _with_constant,
    "QGemm": _qgemm,
    "QLinearConv": _qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
    "QuantizeLinear": _quantize,
    "Relu": _function(lambda given, constants: relu),
    "Reshape": _moved(_reshape),
    "Sigmoid": _function(lambda given, constants: sigmoid),
    "Squeeze": _moved(_squeeze),
    "Sub": _with_constant,
    "Tanh": _function(lambda given, constants: np.tanh),
    "Transpose": _moved(_transpose),
    "Unsqueeze": _moved(_unsqueeze),
}

LEFT_TO_CLIENTS = ("ArgMax", "Cast", "LogSoftmax", "Softmax", "ZipMap")


def read_network(model: Any, features: Sequence[str] | None = None) -> Network:
    """Reads a quantised network from a `ModelProto`."""
    graph = Graph(model, features)
    last = ""
    for node in model.graph.node:
        if node.op_type in LEFT_TO_CLIENTS:
            continue
        if node.op_type == "Constant":
            graph.constants[node.output[0]] = graph.array(graph.attributes(node)["value"])
            continue
        if node.op_type not in OPERATORS:
            raise UnsupportedOperatorError(f"the operator {node.op_type}")
        found = OPERATORS[node.op_type](graph, node)
        if isinstance(found, Values | Pending):
            graph.values[node.output[0]], last = found, node.output[0]
        else:
            graph.constants[node.output[0]] = found
    if not last or graph.inputs is None:
        raise UnsupportedOperatorError("a graph without QuantizeLinear of its input")
    layers = (*graph.layers, graph.layer_of(graph.values_of(last)))
    outputs = len(layers[-1].constants)
    is_sigmoid = any(isinstance(step, Function) and step.name == "Sigmoid" for step in layers[-1].steps)
    kind: Kind = "classes" if outputs > 1 else "binary" if is_sigmoid else "regression"
    classes = () if kind == "regression" else tuple(range(max(outputs, 2)))
    reference = _reference(model, last, graph.shape)
    return Network(kind, graph.names, graph.inputs, layers, classes, reference=reference)


def _reference(model: Any, output: str, shape: tuple[int, ...]) -> Callable[[Floats], Floats] | None:
    """Returns a function that computes scores with the package `onnx`, if that knows all operators."""
    from onnx import TensorProto, helper
    from onnx.reference import ReferenceEvaluator

    # The evaluator of `onnx` supports only a two-dimensional QLinearConv.
    if any(node.domain not in ("", "ai.onnx") or node.op_type == "QLinearConv" for node in model.graph.node):
        return None
    part = type(model)()
    part.CopyFrom(model)
    kept = [node for node in part.graph.node if node.op_type not in LEFT_TO_CLIENTS]
    del part.graph.node[:], part.graph.output[:]
    part.graph.node.extend(kept)
    part.graph.output.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, None))
    for imported in part.opset_import:
        # The evaluator's DequantizeLinear needs version 19; the supported operators have not changed since version 13.
        if imported.domain in ("", "ai.onnx") and 13 <= imported.version < 19:
            imported.version = 19
    try:
        evaluator = ReferenceEvaluator(part)
    except RuntimeError:
        return None
    (name,) = (each.name for each in model.graph.input if each.name in evaluator.input_names)

    def scores(rows: Floats) -> Floats:
        found: Any = evaluator.run(None, {name: rows.astype(np.float32).reshape(len(rows), *shape)})
        return np.asarray(found[0], dtype=float).reshape(len(rows), -1)

    return scores
