"""Symbolic values of an ONNX graph: for every element, a sum of a layer's values and the steps that follow it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._networks import Affine, Floats, Integers, Layer, Quantise, Step
from .errors import UnsupportedError

MOST_FACTORS = 1 << 24
"""Largest number of factors in the sums of a layer, which convolutions reach when they are written out as matrices."""

SERVED = (
    "Add, ArgMax, Cast, Clip, Constant, Conv, DequantizeLinear, Div, Dropout, Flatten, Gemm, GlobalAveragePool, "
    "HardSigmoid, Identity, LeakyRelu, LogSoftmax, MatMul, Mul, QGemm, QLinearConv, QLinearMatMul, QuantizeLinear, "
    "Relu, Reshape, Sigmoid, Softmax, Squeeze, Sub, Tanh, Transpose, Unsqueeze and ZipMap"
)


class UnsupportedOperatorError(UnsupportedError):
    """An ONNX operator is not supported, or not in this place; the message lists the supported ones."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not supported in networks; supported are {SERVED}")


@dataclass(frozen=True)
class Ints:
    """Quantised constants: integers, and the scale of each."""

    integers: Integers
    scale: Floats

    def floats(self) -> Floats:
        return np.asarray(self.integers * self.scale, dtype=float)


@dataclass(frozen=True)
class Values:
    """Symbolic values of a row: every element is a weighted sum of a layer's values, followed by steps."""

    source: int
    """Number of the layer whose values are summed; 0 for inputs."""
    weights: Integers
    """A factor per element, in the shape of a row, and per value of the source, along the last axis."""
    constants: Integers
    steps: tuple[Step, ...]
    scale: float | None = None
    """The scale of values that DequantizeLinear has just produced; the sums already include their zero point."""

    def picked(self, pick: Callable[[Any], Any]) -> Values:
        """Selects or reshapes elements; `pick` does so with an array of element numbers."""
        shape = self.constants.shape
        places = pick(np.arange(self.constants.size).reshape(shape))
        flat = self.weights.reshape(self.constants.size, -1)

        def elements(values: Any) -> Any:
            return np.broadcast_to(np.asarray(values), shape).reshape(-1)[places]

        steps = tuple(step.picked(elements) for step in self.steps)
        return replace(self, weights=flat[places], constants=self.constants.reshape(-1)[places], steps=steps)

    def then(self, step: Step) -> Values:
        """Appends a step."""
        return replace(self, steps=(*self.steps, step), scale=None)


class Graph:
    """Values and constants of a graph, by name."""

    def __init__(self, model: Any, features: Sequence[str] | None) -> None:
        import onnx
        from onnx import numpy_helper

        self.attribute = onnx.helper.get_attribute_value
        self.array = numpy_helper.to_array
        graph = model.graph
        self.constants: dict[str, Any] = {each.name: self.array(each) for each in graph.initializer}
        inputs = [each for each in graph.input if each.name not in self.constants]
        if len(inputs) != 1:
            raise UnsupportedOperatorError(f"a graph of {len(inputs)} inputs")
        self.input = inputs[0].name
        dimensions = [int(each.dim_value) for each in inputs[0].type.tensor_type.shape.dim]
        if len(dimensions) < 2 or not all(dimensions[1:]):
            raise UnsupportedOperatorError(f"an input of the shape {dimensions}, whose features are not counted,")
        self.shape = tuple(dimensions[1:])
        count = int(np.prod(self.shape))
        self.names = tuple(features) if features is not None else tuple(f"f{k}" for k in range(count))
        if len(self.names) != count:
            raise ValueError(f"{len(self.names)} names of features; the model has {count}")
        self.inputs: Quantise | None = None
        self.values: dict[str, Values | Pending] = {}
        self.layers: list[Layer] = []
        self.made: list[tuple[Integers, int]] = []

    def constant(self, name: str, default: Any = None) -> Any:
        """Returns a constant, as floats if it is quantised."""
        if not name and default is not None:
            return default
        if name not in self.constants:
            raise UnsupportedOperatorError(f'"{name}", which is computed where only constants are supported,')
        found = self.constants[name]
        return found.floats() if isinstance(found, Ints) else found

    def values_of(self, name: str) -> Values:
        """Returns values to which steps can be appended."""
        found = self.values.get(name)
        if found is None:
            what = (
                "the input, which is not quantised,"
                if name == self.input
                else f'"{name}", which is a constant or the output of no operator,'
            )
            raise UnsupportedOperatorError(what)
        return found.for_steps() if isinstance(found, Pending) else found

    def for_sums(self, name: str, node: Any) -> Values:
        """Returns values from which sums can be computed."""
        found = self.values.get(name)
        if not isinstance(found, Pending):
            raise UnsupportedOperatorError(f'{node.op_type} "{node.name}" of values that are not quantised')
        return found.for_sums(self, node)

    def integers_of(self, name: str, node: Any) -> Ints:
        """Returns quantised weights."""
        found = self.constants.get(name)
        if not isinstance(found, Ints):
            raise UnsupportedOperatorError(
                f'{node.op_type} "{node.name}" with weights that are not constant and quantised'
            )
        return found

    def layer(self, values: Values) -> tuple[int, Integers, Integers]:
        """Returns the source layer of these integers, with their weights and constants; makes a new layer if needed."""
        if not values.steps:
            return values.source, values.weights, values.constants
        shape, count = values.constants.shape, values.constants.size
        number = next((number for constants, number in self.made if constants is values.constants), None)
        if number is None:
            self.layers.append(self.layer_of(values))
            number = len(self.layers)
            self.made.append((values.constants, number))
        return number, np.eye(count, dtype=np.int64).reshape(*shape, count), np.zeros(shape, dtype=np.int64)

    def layer_of(self, values: Values) -> Layer:
        """Makes these values a layer that follows the existing ones."""
        if values.source != len(self.layers):
            raise UnsupportedOperatorError("a connection that leaves a layer out")
        shape, count = values.constants.shape, values.constants.size
        steps = tuple(step.picked(lambda x: np.broadcast_to(np.asarray(x), shape).reshape(-1)) for step in values.steps)
        return Layer(values.weights.reshape(count, -1), values.constants.reshape(-1), steps)

    def linear(self, values: Values, node: Any, product: Callable[[Integers], Integers], scale: Floats) -> Values:
        """Returns sums of dequantised values; `product` computes them from integers with axes behind those of a row."""
        if values.scale is None:
            raise UnsupportedOperatorError(f'{node.op_type} "{node.name}" of values that are not quantised')
        weights = product(values.weights)
        if weights.size > MOST_FACTORS:
            raise UnsupportedOperatorError(f"a layer of {weights.size} factors, more than {MOST_FACTORS},")
        constants = product(values.constants[..., None])[..., 0]
        scale = np.broadcast_to(np.asarray(scale, dtype=float) * values.scale, constants.shape)
        return Values(values.source, weights, constants, (Affine(scale, np.zeros(constants.shape)),))

    def attributes(self, node: Any) -> dict[str, Any]:
        """Returns the attributes of a node."""
        return {each.name: self.attribute(each) for each in node.attribute}


def per_axis(values: Any, shape: tuple[int, ...], axis: int) -> Any:
    """Broadcasts one number per place along an axis, or a single number, to all elements."""
    found = np.asarray(values)
    if found.size == 1:
        return np.broadcast_to(found.reshape(()), shape)
    axis %= len(shape)
    if found.ndim != 1 or len(found) != shape[axis]:
        raise UnsupportedOperatorError(f"a scale of the shape {found.shape} for values of the shape {shape}")
    return np.broadcast_to(found.reshape([-1 if k == axis else 1 for k in range(len(shape))]), shape)


@dataclass(frozen=True)
class Pending:
    """Dequantised integers with their scales and zero points; the next operator decides if they end a layer."""

    integers: Values
    scale: Floats
    zero: Integers

    def for_sums(self, graph: Graph, node: Any) -> Values:
        """Ends the layer, so that sums of its values can follow."""
        if np.unique(self.scale).size != 1:
            raise UnsupportedOperatorError(f'{node.op_type} "{node.name}" of values with scales of their own')
        source, weights, constants = graph.layer(self.integers)
        return Values(source, weights, constants - self.zero, (), float(self.scale.flat[0]))

    def for_steps(self) -> Values:
        """Dequantises as a step, so that further steps can follow."""
        return self.integers.then(Affine(self.scale, -self.zero * self.scale))

    def picked(self, pick: Callable[[Any], Any]) -> Pending:
        """Selects or reshapes elements, as `Values.picked` does."""
        places = pick(np.arange(self.zero.size).reshape(self.zero.shape))
        scale, zero = (part.reshape(-1)[places] for part in (self.scale, self.zero))
        return Pending(self.integers.picked(pick), scale, zero)
