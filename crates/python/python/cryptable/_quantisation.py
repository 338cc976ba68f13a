"""Quantisation of scikit-learn perceptrons and of finer networks, so that their sums fit into tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ._models import Kind, UnsupportedModelError, feature_names, predicted
from ._networks import (
    LARGEST_MODULUS,
    Affine,
    Floats,
    Function,
    Integers,
    Layer,
    Network,
    Quantise,
    as_rows,
    relu,
    sigmoid,
)

PERCEPTRONS = ("MLPClassifier", "MLPRegressor")

ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "identity": lambda x: x,
    "relu": relu,
    "logistic": sigmoid,
    "tanh": np.tanh,
}

SUM_BITS = 9
"""Default number of bits of sums, for which plans exist with two hidden layers."""

LEAST_SUM_BITS = 6
"""Least number of bits of sums that `compile` tries."""

BITS_TO_TRY = range(2, 6)
"""Numbers of bits that are tried for features and activations."""

ROWS_TO_COMPARE = 4096
"""Largest number of rows on which they are compared."""


def quantise(
    model: Any,
    data: npt.ArrayLike,
    *,
    input_bits: int | None = None,
    activation_bits: int | None = None,
    sum_bits: int = SUM_BITS,
) -> Network:
    """Quantises a scikit-learn perceptron, or an ONNX network to fewer bits, by its values on `data`.

    Features have `input_bits` bits each, and outputs of hidden layers have `activation_bits`; by default, the numbers
    from 2 to 5 that preserve the most predictions. Weights are as fine as sums of `sum_bits` bits allow for any inputs,
    and each neuron has its own scale and offset. More bits come closer to the model, but need more time and memory;
    tables support up to 12 bits.
    """
    for what, bits, most in (
        ("sum_bits", sum_bits, LARGEST_MODULUS.bit_length() - 1),
        ("input_bits", input_bits, sum_bits),
        ("activation_bits", activation_bits, sum_bits),
    ):
        if bits is not None and not 1 <= bits <= most:
            raise ValueError(f"{what}={bits}; it must be from 1 to {most}")
    network = model if isinstance(model, Network) else _perceptron(model)
    if network.is_written_by_hand:
        raise UnsupportedModelError("a network of integers and tables to be quantised")
    rows = as_rows(data, network.features)
    found = [
        _quantised(network, rows, of_inputs, of_activations, sum_bits)
        for of_inputs in _to_try(input_bits, sum_bits)
        for of_activations in _to_try(activation_bits, sum_bits)
    ]
    return found[0] if len(found) == 1 else max(found, key=_closeness(network, rows))


def in_turn(model: Any, data: npt.ArrayLike, sum_bits: int | None) -> Iterator[Network]:
    """Yields the networks that `compile` tries, in order: the given one, then quantisations to fewer and fewer bits."""
    if isinstance(model, Network):
        yield model
        if model.is_written_by_hand or sum_bits is None:
            return
    for bits in range(SUM_BITS if sum_bits is None else sum_bits, LEAST_SUM_BITS - 1, -1):
        yield quantise(model, data, sum_bits=bits)


def _to_try(bits: int | None, most: int) -> list[int]:
    if bits is not None:
        return [bits]
    return [each for each in BITS_TO_TRY if each <= most] or [most]


def _closeness(network: Network, rows: Floats) -> Callable[[Network], tuple[float, float]]:
    """Returns a measure of closeness to a network: the share of equal predictions, then the difference of scores."""
    some = rows[:: len(rows) // ROWS_TO_COMPARE + 1]
    wanted = network.float_scores(some)
    classes = predicted(network, wanted)

    def closeness(other: Network) -> tuple[float, float]:
        scores = other.scores_of(other.sums(other.integers(some)))
        same = 0.0 if network.kind == "regression" else float((predicted(other, scores) == classes).mean())
        return same, -float(np.square(scores - wanted).mean())

    return closeness


def _perceptron(model: Any) -> Network:
    """Converts a perceptron to a network that is not quantised yet, with floats in place of integers."""
    name = type(model).__name__
    if name not in PERCEPTRONS:
        raise UnsupportedModelError(f"a {name} to be quantised")
    names = feature_names(model)
    kind, classes = _kind(model)
    activation = Function(model.activation, ACTIVATIONS[model.activation])
    layers: list[Layer] = []
    for weights, offsets in zip(model.coefs_, model.intercepts_, strict=True):
        is_last = len(layers) + 1 == len(model.coefs_)
        layers.append(Layer(np.asarray(weights).T, np.asarray(offsets), () if is_last else (activation,)))
    inputs = Quantise(np.ones(len(names)), np.zeros(len(names)), -np.inf, np.inf)
    return Network(kind, names, inputs, tuple(layers), classes)


def _kind(model: Any) -> tuple[Kind, tuple[Any, ...]]:
    outputs = int(model.n_outputs_)
    if type(model).__name__ == "MLPRegressor":
        if outputs > 1:
            raise UnsupportedModelError("an MLPRegressor of several outputs")
        return "regression", ()
    classes = tuple(model.classes_)
    if outputs > 1 and model.out_activation_ != "softmax":
        raise UnsupportedModelError("an MLPClassifier of several labels per row")
    return ("binary" if outputs == 1 else "classes"), classes


def _quantised(network: Network, rows: Floats, input_bits: int, activation_bits: int, sum_bits: int) -> Network:
    """Quantises a network to these numbers of bits, by the ranges of its values on the rows."""
    # The features themselves, limited to the range that the network accepts.
    scale, zero = (np.broadcast_to(part, rows.shape[1:]) for part in (network.inputs.scale, network.inputs.zero))
    exact = (network.inputs(rows, rounding=False) - zero) * scale
    first, *others = network.layers
    inputs = before = _quantiser(exact, input_bits)
    values = np.asarray(inputs(rows), dtype=np.int64)
    spans = values.max(axis=0) - values.min(axis=0)
    layers: list[Layer] = []
    for layer in (Layer(first.weights / scale, first.constants + first.weights @ zero, first.steps), *others):
        weights, step = _integers(layer.weights * before.scale, spans, sum_bits)
        sums, exact = values @ weights.T, layer.sums(exact)
        found = Layer(weights, np.zeros(len(weights), dtype=np.int64), (_fitted(sums, exact, step), *layer.steps))
        exact = layer.after(exact, rounding=False)
        if layer is not network.layers[-1]:
            before = _quantiser(found.after(sums), activation_bits)
            found = replace(found, steps=(*found.steps, before))
            values = np.asarray(found.after(sums), dtype=np.int64)
            spans = np.full(len(weights), int(before.high))
        layers.append(found)
    return replace(network, inputs=inputs, layers=tuple(layers), of_floats=network.float_scores, reference=None)


def _quantiser(values: Floats, bits: int) -> Quantise:
    """Returns the quantisation that maps each column's range of values to the integers from 0 to `2**bits - 1`."""
    low, high = values.min(axis=0), values.max(axis=0)
    largest = (1 << bits) - 1
    scale = np.where(high > low, (high - low) / largest, 1.0)
    return Quantise(scale, -np.rint(low / scale), 0, largest)


def _fitted(sums: Integers, exact: Floats, step: Floats) -> Affine:
    """Fits a scale and an offset per sum that bring it closest to its exact values, by least squares over all rows."""
    centered = sums - sums.mean(axis=0)
    power = np.square(centered).sum(axis=0)
    scale = np.where(power > 0, (centered * exact).sum(axis=0) / np.where(power > 0, power, 1.0), step)
    return Affine(scale, exact.mean(axis=0) - scale * sums.mean(axis=0))


def _integers(weights: Floats, spans: Integers, bits: int) -> tuple[Integers, Floats]:
    """Rounds rows of weights to integers, as large as sums of `bits` bits allow, and returns them with their scales.

    `spans` are the ranges of the values that the weights multiply.
    """
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
