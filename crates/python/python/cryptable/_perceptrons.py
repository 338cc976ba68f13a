"""Multi-layer perceptrons of scikit-learn, quantised so that tables serve their sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ._models import Kind, UnsupportedModelError
from ._networks import Affine, Floats, Function, Integers, Layer, Network, Quantise, as_rows, relu, sigmoid

PERCEPTRONS = ("MLPClassifier", "MLPRegressor")

ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "identity": lambda x: x,
    "relu": relu,
    "logistic": sigmoid,
    "tanh": np.tanh,
}


def quantise(
    model: Any, data: npt.ArrayLike, *, input_bits: int = 3, activation_bits: int = 3, sum_bits: int = 9
) -> Network:
    """Quantises a multi-layer perceptron of scikit-learn by the ranges that its values have on `data`.

    Features have `input_bits` bits each, outputs of hidden layers `activation_bits`. Weights are as fine as sums of
    `sum_bits` bits allow, whatever inputs are: each neuron has a scale of its own. More bits come closer to the model,
    and take more time and memory; a table serves 12.
    """
    name = type(model).__name__
    if name not in PERCEPTRONS:
        raise UnsupportedModelError(f"a {name} to be quantised")
    for what, bits, most in (
        ("input_bits", input_bits, sum_bits),
        ("activation_bits", activation_bits, sum_bits),
        ("sum_bits", sum_bits, 12),
    ):
        if not 1 <= bits <= most:
            raise ValueError(f"{what}={bits}; from 1 to {most} are served")
    kind, classes = _kind(model)
    given = getattr(model, "feature_names_in_", None)
    names = tuple(map(str, given)) if given is not None else tuple(f"f{i}" for i in range(int(model.n_features_in_)))
    rows = as_rows(data, names)
    inputs = _quantiser(rows, input_bits)
    values = np.asarray(inputs(rows), dtype=np.int64)
    before, layers = inputs, list[Layer]()
    for index, (weights, offsets) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        spans = values.max(axis=0) - values.min(axis=0) if index == 0 else np.full(len(weights), int(before.high))
        integers, step = _integers(np.asarray(weights, dtype=float).T * before.scale, spans, sum_bits)
        constants = -(integers @ before.zero.astype(np.int64))
        # Features that never vary are part of the offset.
        fixed = np.asarray(before(rows.mean(axis=0)) if index == 0 else before.zero) - before.zero
        of_fixed = (np.asarray(weights, dtype=float).T * before.scale) @ np.where(spans == 0, fixed, 0.0)
        affine = Affine(step, np.asarray(offsets, dtype=float) + of_fixed)
        layer = Layer(integers, constants, (affine,))
        if index + 1 < len(model.coefs_):
            activation = Function(model.activation, ACTIVATIONS[model.activation])
            before = _quantiser(activation(layer.after(layer.sums(values))), activation_bits)
            layer = Layer(integers, constants, (affine, activation, before))
            values = np.asarray(layer.after(layer.sums(values)), dtype=np.int64)
        layers.append(layer)
    return Network(kind, names, inputs, tuple(layers), classes, of_floats=lambda rows: _of_floats(model, rows))


def _kind(model: Any) -> tuple[Kind, tuple[Any, ...]]:
    outputs = int(model.n_outputs_)
    if type(model).__name__ == "MLPRegressor":
        if outputs > 1:
            raise UnsupportedModelError("a MLPRegressor of several outputs")
        return "regression", ()
    classes = tuple(model.classes_)
    if outputs > 1 and model.out_activation_ != "softmax":
        raise UnsupportedModelError("a MLPClassifier of several labels per row")
    return ("binary" if outputs == 1 else "classes"), classes


def _quantiser(values: Floats, bits: int) -> Quantise:
    """Integers from 0 on for each column's values, from the least to the largest."""
    low, high = values.min(axis=0), values.max(axis=0)
    largest = (1 << bits) - 1
    scale = np.where(high > low, (high - low) / largest, 1.0)
    return Quantise(scale, -np.rint(low / scale), 0, largest)


def _integers(weights: Floats, spans: Integers, bits: int) -> tuple[Integers, Floats]:
    """Integers of rows of weights, as large as sums of `bits` bits allow for values of these spans; their scales."""
    most = (1 << bits) - 1
    sizes = np.abs(weights) @ spans
    step = np.where(sizes > 0, sizes / most, 1.0)
    while True:
        integers = np.asarray(np.rint(weights / step[:, None]), dtype=np.int64)
        integers[:, spans == 0] = 0
        excess = np.abs(integers) @ spans > most
        if not excess.any():
            return integers, step
        step = np.where(excess, step * 1.01, step)


def _of_floats(model: Any, rows: Floats) -> Floats:
    """Scores of the model itself."""
    values = rows
    for index, (weights, offsets) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        values = values @ weights + offsets
        if index + 1 < len(model.coefs_):
            values = ACTIVATIONS[model.activation](values)
    return np.asarray(values)
