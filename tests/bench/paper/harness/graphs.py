# SPDX-License-Identifier: Apache-2.0
"""Small models that figures make themselves: operators one after another, with weights that are always the
same."""
import array
import math
import random
import zlib

from . import wire

FLOAT, INT, INTS = 1, 2, 7  # TensorProto.FLOAT, AttributeProto.INT and INTS
IR_VERSION, OPSET = 8, 13


def _text(number, text):
    return wire.bytes_field(number, text.encode())


def _dims(number, dims):
    return b"".join(wire.integer_field(number, dim) for dim in dims)


def _attribute(name, value):
    if isinstance(value, int):
        return _text(1, name) + wire.integer_field(3, value) + wire.integer_field(20, INT)
    return _text(1, name) + _dims(8, value) + wire.integer_field(20, INTS)


def _value(name, dims):
    shape = b"".join(wire.bytes_field(1, wire.integer_field(1, dim)) for dim in dims)
    tensor = wire.integer_field(1, FLOAT) + wire.bytes_field(2, shape)
    return _text(1, name) + wire.bytes_field(2, wire.bytes_field(1, tensor))


class Chain:
    """A model with one input; each operator reads what the one before it has computed."""

    def __init__(self, name, dims):
        self.name = name
        self.input_dims = dims
        self.dims = dims  # of what was computed last
        self._last = "input"
        self._nodes = []
        self._initializers = []

    def conv(self, channels, kernel, depthwise=False):
        """A convolution without bias and with stride 1 that keeps height and width."""
        if depthwise and channels != self.dims[1]:
            raise ValueError("a depthwise convolution keeps the number of channels")
        groups = channels if depthwise else 1
        inputs = self.dims[1] // groups
        # So small that what comes out is about as large as what goes in.
        bound = math.sqrt(3 / (inputs * kernel * kernel))
        weights = self._constant([channels, inputs, kernel, kernel], bound)
        self.dims = [self.dims[0], channels, *self.dims[2:]]
        return self._append("Conv", [weights], group=groups, kernel_shape=[kernel] * 2, pads=[kernel // 2] * 4,
                            strides=[1, 1])

    def add(self):
        """Adds a constant to each channel."""
        return self._append("Add", [self._constant([1, self.dims[1], 1, 1], 1)])

    def relu(self):
        return self._append("Relu", [])

    def clip(self, low=0.0, high=6.0):
        return self._append("Clip", [self._initializer([], [low]), self._initializer([], [high])])

    def serialized(self):
        """The model as ONNX."""
        graph = (b"".join(wire.bytes_field(1, node) for node in self._nodes) + _text(2, self.name) +
                 b"".join(wire.bytes_field(5, one) for one in self._initializers) +
                 wire.bytes_field(11, _value("input", self.input_dims)) +
                 wire.bytes_field(12, _value(self._last, self.dims)))
        return (wire.integer_field(1, IR_VERSION) + wire.bytes_field(7, graph) +
                wire.bytes_field(8, _text(1, "") + wire.integer_field(2, OPSET)))

    def _append(self, op, constants, **attributes):
        name = f"{op.lower()}_{len(self._nodes)}"
        node = (b"".join(_text(1, one) for one in [self._last, *constants]) + _text(2, name) + _text(3, name) +
                _text(4, op) + b"".join(wire.bytes_field(5, _attribute(*one)) for one in attributes.items()))
        self._nodes.append(node)
        self._last = name
        return self

    def _constant(self, dims, bound):
        source = random.Random(zlib.crc32(f"{self.name} {len(self._initializers)}".encode()))
        return self._initializer(dims, (source.uniform(-bound, bound) for _ in range(math.prod(dims))))

    def _initializer(self, dims, values):
        name = f"constant_{len(self._initializers)}"
        data = array.array("f", values)
        self._initializers.append(_dims(1, dims) + wire.integer_field(2, FLOAT) + _text(8, name) +
                                  wire.bytes_field(9, data.tobytes()))
        return name
