# SPDX-License-Identifier: Apache-2.0
"""A torch.nn.Module from an ONNX model of static shapes, for the networks of this comparison.

What does not depend on the inputs is computed once. Batch normalizations are folded into
convolutions, MatMul with Add becomes a linear layer, and layer normalizations, GELU and SiLU, which
older operator sets spell out, become torch's own: the networks as their authors wrote them, so
that torch is not slower than it has to be.
"""
import onnx
import onnx.numpy_helper
import torch
import torch.nn.functional as F

from onnx_operators import operators


class Node:
    def __init__(self, proto):
        self.op = proto.op_type
        self.name = proto.name or proto.output[0]
        self.inputs, self.outputs = list(proto.input), list(proto.output)
        self.attributes = {a.name: attribute(a) for a in proto.attribute}
        self.call = operators.get(self.op)
        if self.call is None or proto.domain not in ('', 'ai.onnx'):
            raise NotImplementedError(f'{self.name}: operator {proto.domain}{self.op} is not imported')


def attribute(proto):
    value = onnx.helper.get_attribute_value(proto)
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, onnx.TensorProto):
        return tensor(value)
    return value if isinstance(value, (int, float)) else list(value)


def tensor(proto):
    return torch.from_numpy(onnx.numpy_helper.to_array(proto).copy())


class Imported(torch.nn.Module):
    def __init__(self, path, inputs):
        super().__init__()
        self.channels_last = False
        graph = onnx.load(path).graph
        self.values = {t.name: tensor(t) for t in graph.initializer}
        self.names = [i.name for i in graph.input if i.name not in self.values]
        self.outputs = [o.name for o in graph.output]
        self.nodes = self.folded([Node(n) for n in graph.node], inputs)
        for simplify in (layer_norm, gelu, silu, linear, batch_norm):
            for node in list(self.nodes):
                if node in self.nodes:
                    simplify(Chain(self, node))
        used = {name for node in self.nodes for name in node.inputs} | set(self.outputs)
        self.values = {name: value for name, value in self.values.items() if name in used}

    def folded(self, nodes, inputs):
        """The nodes that depend on the inputs; values of the others go into self.values."""
        live, kept = dict(zip(self.names, inputs)), []
        for node in nodes:
            everything = {**self.values, **live}
            results = run(node, everything)
            constant = node.op == 'Shape' or not any(name in live for name in node.inputs)
            (self.values if constant else live).update(zip(node.outputs, results))
            if not constant:
                kept.append(node)
        return kept

    def forward(self, *inputs):
        if self.channels_last:
            inputs = [x.contiguous(memory_format=torch.channels_last) if x.dim() == 4 else x for x in inputs]
        live = {**self.values, **dict(zip(self.names, inputs))}
        for node in self.nodes:
            live.update(zip(node.outputs, run(node, live)))
        return tuple(live[name] for name in self.outputs)


def run(node, values):
    arguments = [values[name] if name else None for name in node.inputs]
    results = node.call(node, *arguments)
    return results if isinstance(results, (list, tuple)) else (results,)


class Chain:
    """Walks along nodes each of which is the only reader of the one before."""

    def __init__(self, module, node):
        self.module, self.nodes = module, [node]

    def readers(self, name):
        return [n for n in self.module.nodes if name in n.inputs]

    def at(self, op):
        return self.nodes[-1].op == op

    def then(self, op):
        """Whether the last node has one reader, and that is `op`; goes there."""
        name = self.nodes[-1].outputs[0]
        readers = self.readers(name)
        if name in self.module.outputs or len(readers) != 1 or readers[0].op != op:
            return False
        self.nodes.append(readers[0])
        return True

    def constant(self, at=-1):
        """The constant operand of a binary node."""
        found = [self.module.values[n] for n in self.nodes[at].inputs if n in self.module.values]
        return found[0] if len(found) == 1 else None

    def replace(self, inputs, call):
        """One node that does call(node, *inputs) in place of the chain."""
        first, last = self.nodes[0], self.nodes[-1]
        last.inputs, last.call, last.op = inputs, call, 'fused'
        self.module.nodes = [n for n in self.module.nodes if n is last or n not in self.nodes]

    def keep(self, value):
        name = f'{self.nodes[-1].outputs[0]}/{len(self.module.values)}'
        self.module.values[name] = value
        return name


def batch_norm(chain):
    conv = chain.nodes[0]
    if not chain.at('Conv') or conv.inputs[1] not in chain.module.values or not chain.then('BatchNormalization'):
        return
    norm, values = chain.nodes[-1], chain.module.values
    scale, shift, mean, variance = (values[name] for name in norm.inputs[1:])
    factor = scale / torch.sqrt(variance + norm.attributes.get('epsilon', 1e-5))
    weight = values[conv.inputs[1]]
    bias = values[conv.inputs[2]] if len(conv.inputs) > 2 else torch.zeros_like(mean)
    weight = chain.keep(weight * factor.reshape([-1] + [1] * (weight.dim() - 1)))
    bias = chain.keep((bias - mean) * factor + shift)
    call = conv.call
    chain.replace([conv.inputs[0], weight, bias], lambda _, *arguments: call(conv, *arguments))


def linear(chain):
    product, values = chain.nodes[0], chain.module.values
    if not chain.at('MatMul') or product.inputs[0] in values or product.inputs[1] not in values:
        return
    weight = values[product.inputs[1]]
    if weight.dim() != 2:
        return
    inputs = [product.inputs[0], chain.keep(weight.t().contiguous())]
    if chain.then('Add'):
        bias = chain.constant()
        if bias is None or bias.dim() != 1 or bias.numel() != weight.shape[1]:
            chain.nodes.pop()
        else:
            inputs.append(chain.keep(bias))
    chain.replace(inputs, lambda _, *arguments: F.linear(*arguments))


def layer_norm(chain):
    """x - mean, / sqrt(mean of squares + e), * weight, + bias; over the last dimension."""
    mean = chain.nodes[0]
    over_last = lambda node: node.op == 'ReduceMean' and node.attributes.get('axes') == [-1]
    if not over_last(mean) or not chain.then('Sub') or chain.nodes[-1].inputs[0] != mean.inputs[0]:
        return
    centred = chain.nodes[-1]
    powers = [n for n in chain.readers(centred.outputs[0]) if n.op == 'Pow']
    if len(chain.readers(centred.outputs[0])) != 2 or len(powers) != 1:
        return
    chain.nodes.append(powers[0])
    if not chain.then('ReduceMean') or not over_last(chain.nodes[-1]) or not chain.then('Add'):
        return
    epsilon = chain.constant()
    if not chain.then('Sqrt') or not chain.then('Div') or chain.nodes[-1].inputs[0] != centred.outputs[0]:
        return
    if not chain.then('Mul'):
        return
    weight = chain.constant()
    if not chain.then('Add'):
        return
    bias = chain.constant()
    if epsilon is None or weight is None or bias is None or weight.dim() != 1:
        return
    chain.replace([mean.inputs[0], chain.keep(weight), chain.keep(bias)],
                  lambda _, x, w, b: F.layer_norm(x, w.shape, w, b, float(epsilon)))


def gelu(chain):
    """x / sqrt(2), erf, + 1, * x, * 0.5."""
    divided = chain.nodes[0]
    if not chain.at('Div') or not chain.then('Erf') or not chain.then('Add') or not chain.then('Mul'):
        return
    if divided.inputs[0] in chain.nodes[-1].inputs and chain.then('Mul') and float(chain.constant()) == 0.5:
        chain.replace([divided.inputs[0]], lambda _, x: F.gelu(x))


def silu(chain):
    x = chain.nodes[0].inputs[0]
    if chain.at('Sigmoid') and chain.then('Mul') and x in chain.nodes[-1].inputs:
        chain.replace([x], lambda _, x: F.silu(x))
