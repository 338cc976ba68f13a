"""Values of a graph in ONNX as they are followed: sums of a layer, element by element, and steps after them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ._networks import Affine, Floats, Integers, Layer, Quantise, Step
from .errors import UnsupportedError

MOST_FACTORS = 1 << 24
"""Most factors of the sums of a layer, as convolutions have them when they are written out."""

SERVED = (
    "Add, ArgMax, Cast, Clip, Constant, Conv, DequantizeLinear, Div, Dropout, Flatten, Gemm, GlobalAveragePool, "
    "HardSigmoid, Identity, LeakyRelu, LogSoftmax, MatMul, Mul, QGemm, QLinearConv, QLinearMatMul, QuantizeLinear, "
    "Relu, Reshape, Sigmoid, Softmax, Squeeze, Sub, Tanh, Transpose, Unsqueeze and ZipMap"
)


class UnsupportedOperatorError(UnsupportedError):
    """An operator of ONNX that is not served, or not in this place; the message lists those that are."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is not served in networks; served are {SERVED}")


@dataclass(frozen=True)
class Ints:
    """Quantised constants: integers, and the scale of each."""

    integers: Integers
    scale: Floats

    def floats(self) -> Floats:
        return np.asarray(self.integers * self.scale, dtype=float)


@dataclass(frozen=True)
class Values:
    """Values of rows: for each element sums of what a layer has, and steps after them."""

    source: int
    """Number of the layer that sums are of; 0 for inputs."""
    weights: Integers
    """For each element, in the shape of a row, a factor for each value of the source."""
    constants: Integers
    steps: tuple[Step, ...]
    scale: float | None = None
    """The scale of values that DequantizeLinear has just made of integers; their zero is part of the sums."""

    def picked(self, pick: Callable[[Any], Any]) -> Values:
        """Other elements, or the same in another shape: `pick` is given arrays of numbers of elements."""
        shape = self.constants.shape
        places = pick(np.arange(self.constants.size).reshape(shape))
        flat = self.weights.reshape(self.constants.size, -1)

        def elements(values: Any) -> Any:
            return np.broadcast_to(np.asarray(values), shape).reshape(-1)[places]

        steps = tuple(step.picked(elements) for step in self.steps)
        return replace(self, weights=flat[places], constants=self.constants.reshape(-1)[places], steps=steps)

    def then(self, step: Step) -> Values:
        """With one more step."""
        return replace(self, steps=(*self.steps, step), scale=None)


class Graph:
    """Values and constants of a graph, by their names."""

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
        """A constant, as floats if it is quantised."""
        if not name and default is not None:
            return default
        if name not in self.constants:
            raise UnsupportedOperatorError(f'"{name}", which is computed where constants are served,')
        found = self.constants[name]
        return found.floats() if isinstance(found, Ints) else found

    def values_of(self, name: str) -> Values:
        """Values that steps go on with."""
        found = self.values.get(name)
        if found is None:
            what = (
                "the input, which is not quantised,"
                if name == self.input
                else f'"{name}", which is constant or of no operator,'
            )
            raise UnsupportedOperatorError(what)
        return found.for_steps() if isinstance(found, Pending) else found

    def for_sums(self, name: str, node: Any) -> Values:
        """Values that sums are made of."""
        found = self.values.get(name)
        if not isinstance(found, Pending):
            raise UnsupportedOperatorError(f'{node.op_type} "{node.name}" of values that are not quantised')
        return found.for_sums(self, node)

    def integers_of(self, name: str, node: Any) -> Ints:
        """Quantised weights."""
        found = self.constants.get(name)
        if not isinstance(found, Ints):
            raise UnsupportedOperatorError(
                f'{node.op_type} "{node.name}" with weights that are not constant and quantised'
            )
        return found

    def layer(self, values: Values) -> tuple[int, Integers, Integers]:
        """The number of the layer whose values these integers are, and what they are of it; makes one if need be."""
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
        """These values as a layer after those that there are."""
        if values.source != len(self.layers):
            raise UnsupportedOperatorError("a connection that leaves a layer out")
        shape, count = values.constants.shape, values.constants.size
        steps = tuple(step.picked(lambda x: np.broadcast_to(np.asarray(x), shape).reshape(-1)) for step in values.steps)
        return Layer(values.weights.reshape(count, -1), values.constants.reshape(-1), steps)

    def linear(self, values: Values, node: Any, product: Callable[[Integers], Integers], scale: Floats) -> Values:
        """Sums of dequantised values; `product` makes them of integers with further axes behind those of a row."""
        if values.scale is None:
            raise UnsupportedOperatorError(f'{node.op_type} "{node.name}" of values that are not quantised')
        weights = product(values.weights)
        if weights.size > MOST_FACTORS:
            raise UnsupportedOperatorError(f"a layer of {weights.size} factors, more than {MOST_FACTORS},")
        constants = product(values.constants[..., None])[..., 0]
        scale = np.broadcast_to(np.asarray(scale, dtype=float) * values.scale, constants.shape)
        return Values(values.source, weights, constants, (Affine(scale, np.zeros(constants.shape)),))

    def attributes(self, node: Any) -> dict[str, Any]:
        """Attributes of a node."""
        return {each.name: self.attribute(each) for each in node.attribute}


def per_axis(values: Any, shape: tuple[int, ...], axis: int) -> Any:
    """Numbers of an axis, or a single one, for all elements."""
    found = np.asarray(values)
    if found.size == 1:
        return np.broadcast_to(found.reshape(()), shape)
    axis %= len(shape)
    if found.ndim != 1 or len(found) != shape[axis]:
        raise UnsupportedOperatorError(f"a scale of the shape {found.shape} for values of the shape {shape}")
    return np.broadcast_to(found.reshape([-1 if k == axis else 1 for k in range(len(shape))]), shape)


@dataclass(frozen=True)
class Pending:
    """Integers with their scales and zeros: what comes next decides whether they are a layer's, or steps go on."""

    integers: Values
    scale: Floats
    zero: Integers

    def for_sums(self, graph: Graph, node: Any) -> Values:
        """Makes them values of a layer, for sums of them."""
        if np.unique(self.scale).size != 1:
            raise UnsupportedOperatorError(f'{node.op_type} "{node.name}" of values with scales of their own')
        source, weights, constants = graph.layer(self.integers)
        return Values(source, weights, constants - self.zero, (), float(self.scale.flat[0]))

    def for_steps(self) -> Values:
        """Makes them values that steps go on with."""
        return self.integers.then(Affine(self.scale, -self.zero * self.scale))

    def picked(self, pick: Callable[[Any], Any]) -> Pending:
        """Other elements, or the same in another shape."""
        places = pick(np.arange(self.zero.size).reshape(self.zero.shape))
        scale, zero = (part.reshape(-1)[places] for part in (self.scale, self.zero))
        return Pending(self.integers.picked(pick), scale, zero)
