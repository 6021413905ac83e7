# SPDX-License-Identifier: Apache-2.0
"""Inputs of a model as files, and how far the outputs of two runners are apart."""
import array
import math
import random
import zlib
from dataclasses import dataclass

from . import wire
from .failures import Failed

# Element types of ONNX and their codes for array.array; a truth value is a byte.
CODES = {1: "f", 2: "B", 3: "b", 6: "i", 7: "q", 9: "B", 11: "d"}
REAL = (1, 11)
LEAST_SCALE = 1e-3  # outputs that are all smaller are compared with this


@dataclass
class Input:
    name: str
    type: int
    dims: list  # a dimension that is not fixed is None


def inputs_of(model):
    """The inputs of a serialized model that are no initializers."""
    graph = wire.first(model, 7, b"")
    initializers = {bytes(wire.first(value, 8, b"")) for number, value in wire.fields(graph) if number == 5}
    found = []
    for number, value in wire.fields(graph):
        if number != 11 or bytes(wire.first(value, 1, b"")) in initializers:
            continue
        tensor = wire.first(wire.first(value, 2, b""), 1, b"")
        dims = [wire.first(dim, 1) for one, dim in wire.fields(wire.first(tensor, 2, b"")) if one == 1]
        found.append(Input(bytes(wire.first(value, 1, b"")).decode(), wire.first(tensor, 1, 0), dims))
    return found


def tensor_file(given):
    """A serialized TensorProto with pseudo-random elements, always the same for an input."""
    if given.type not in CODES or None in given.dims:
        raise Failed(f"input {given.name} has a type or a shape for which there are no values here")
    source = random.Random(zlib.crc32(given.name.encode()))
    count = math.prod(given.dims)
    if given.type in REAL:
        values = (source.uniform(-1, 1) for _ in range(count))
    else:
        values = (source.getrandbits(1) for _ in range(count))  # ids of tokens, masks
    data = array.array(CODES[given.type], values)
    return (b"".join(wire.integer_field(1, dim) for dim in given.dims) + wire.integer_field(2, given.type) +
            wire.bytes_field(9, data.tobytes()))


@dataclass
class Tensor:
    type: int
    dims: list
    data: array.array


def sequence(data):
    """The tensors of a serialized SequenceProto with raw data."""
    tensors = []
    for number, value in wire.fields(data):
        if number != 3:
            continue
        element = wire.first(value, 2, 0)
        if element not in CODES:
            raise Failed(f"outputs of element type {element} cannot be compared here")
        elements = array.array(CODES[element])
        elements.frombytes(bytes(wire.first(value, 9, b"")))
        tensors.append(Tensor(element, wire.integers(value, 1), elements))
    return tensors


def difference(expected, actual):
    """The greatest error of all outputs, relative to the greatest magnitude of each."""
    if len(expected) != len(actual):
        return math.inf
    worst = 0.0
    for one, other in zip(expected, actual):
        if one.dims != other.dims or len(one.data) != len(other.data):
            return math.inf
        scale, error = LEAST_SCALE, 0.0
        for a, b in zip(one.data, other.data):
            if a == b or (a != a and b != b):
                scale = max(scale, abs(a)) if math.isfinite(a) else scale
                continue
            distance = abs(a - b)
            if distance != distance:  # one is no number
                return math.inf
            error = max(error, distance)
            scale = max(scale, abs(a)) if math.isfinite(a) else scale
        worst = max(worst, error / scale)
    return worst
