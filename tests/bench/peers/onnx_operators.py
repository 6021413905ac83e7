# SPDX-License-Identifier: Apache-2.0
"""ONNX operators as torch functions of (node, arguments...), as of operator set 13.

Arguments that are shapes, axes and bounds have to be constants.
"""
import torch
import torch.nn.functional as F


def numbers(argument):
    return None if argument is None else [int(i) for i in argument.reshape(-1)]


def padded(node, x, value=0.0):
    """The padding that is the same on both sides, and x with the rest done."""
    a, rank = node.attributes, x.dim() - 2
    if a.get('auto_pad', 'NOTSET') not in ('NOTSET', 'VALID'):
        raise NotImplementedError(f'{node.name}: auto_pad is not imported')
    pads = a.get('pads', [0] * 2 * rank)
    begin, end = pads[:rank], pads[rank:]
    if begin == end:
        return x, begin
    flat = [p for pair in reversed(list(zip(begin, end))) for p in pair]
    return F.pad(x, flat, value=value), [0] * rank


def conv(node, x, weight, bias=None):
    a, rank = node.attributes, x.dim() - 2
    x, padding = padded(node, x)
    return [None, F.conv1d, F.conv2d, F.conv3d][rank](
        x, weight, bias, a.get('strides', [1] * rank), padding, a.get('dilations', [1] * rank), a.get('group', 1))


def conv_transpose(node, x, weight, bias=None):
    a, rank = node.attributes, x.dim() - 2
    pads = a.get('pads', [0] * 2 * rank)
    if pads[:rank] != pads[rank:] or 'output_shape' in a:
        raise NotImplementedError(f'{node.name}: uneven padding is not imported')
    return [None, F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][rank](
        x, weight, bias, a.get('strides', [1] * rank), pads[:rank], a.get('output_padding', [0] * rank),
        a.get('group', 1), a.get('dilations', [1] * rank))


def max_pool(node, x):
    a, rank = node.attributes, x.dim() - 2
    x, padding = padded(node, x, float('-inf'))
    return [None, F.max_pool1d, F.max_pool2d, F.max_pool3d][rank](
        x, a['kernel_shape'], a.get('strides', [1] * rank), padding, a.get('dilations', [1] * rank),
        bool(a.get('ceil_mode', 0)))


def average_pool(node, x):
    a, rank = node.attributes, x.dim() - 2
    pads = a.get('pads', [0] * 2 * rank)
    if pads[:rank] != pads[rank:]:
        raise NotImplementedError(f'{node.name}: uneven padding is not imported')
    return [None, F.avg_pool1d, F.avg_pool2d, F.avg_pool3d][rank](
        x, a['kernel_shape'], a.get('strides', [1] * rank), pads[:rank], bool(a.get('ceil_mode', 0)),
        bool(a.get('count_include_pad', 0)))


def batch_norm(node, x, scale, shift, mean, variance):
    return F.batch_norm(x, mean, variance, scale, shift, False, 0.0, node.attributes.get('epsilon', 1e-5))


def clip(node, x, least=None, most=None):
    if least is not None and most is not None:
        return F.hardtanh(x, float(least), float(most))
    return torch.clamp(x, least, most)


def gemm(node, a, b, c=None):
    given = node.attributes
    a = a.t() if given.get('transA') else a
    alpha, beta = given.get('alpha', 1.0), given.get('beta', 1.0)
    if given.get('transB') and alpha == beta == 1.0 and (c is None or c.dim() == 1):
        return F.linear(a, b, c)
    product = alpha * torch.matmul(a, b.t() if given.get('transB') else b)
    return product if c is None else product + beta * c


def reshape(node, x, shape):
    sizes = [x.shape[i] if s == 0 else s for i, s in enumerate(numbers(shape))]
    return x.reshape(sizes)


def flatten(node, x):
    axis = node.attributes.get('axis', 1)
    rows = 1
    for extent in x.shape[:axis]:
        rows *= extent
    return x.reshape(rows, -1)


def gather(node, x, indices):
    axis = node.attributes.get('axis', 0)
    if indices.dim() == 0:
        return x.select(axis, int(indices))
    if x.dim() == 2 and axis == 0:
        return F.embedding(indices, x)
    axis %= x.dim()
    picked = x.index_select(axis, indices.reshape(-1))
    return picked.reshape(list(x.shape[:axis]) + list(indices.shape) + list(x.shape[axis + 1:]))


def slices(node, x, starts, ends, axes=None, steps=None):
    starts, ends = numbers(starts), numbers(ends)
    axes = numbers(axes) or list(range(len(starts)))
    for start, end, axis, step in zip(starts, ends, axes, numbers(steps) or [1] * len(axes)):
        start, end, _ = slice(start, end, step).indices(x.shape[axis])
        if step < 0:
            x = x.index_select(axis, torch.arange(start, end, step))
            continue
        index = [slice(None)] * x.dim()
        index[axis] = slice(start, end, step)
        x = x[tuple(index)]
    return x


def split(node, x, sizes=None):
    axis = node.attributes.get('axis', 0)
    sizes = node.attributes.get('split') or numbers(sizes)
    return x.split(sizes or x.shape[axis] // len(node.outputs), axis)


def axes_of(node, axes):
    return node.attributes.get('axes') or numbers(axes)


def squeeze(node, x, axes=None):
    for axis in sorted((a % x.dim() for a in axes_of(node, axes) or
                        [i for i, extent in enumerate(x.shape) if extent == 1]), reverse=True):
        x = x.squeeze(axis)
    return x


def unsqueeze(node, x, axes=None):
    rank = x.dim() + len(axes_of(node, axes))
    for axis in sorted(a % rank for a in axes_of(node, axes)):
        x = x.unsqueeze(axis)
    return x


def reduction(function):
    def call(node, x, axes=None):
        axes = axes_of(node, axes) or list(range(x.dim()))
        return function(x, axes, bool(node.attributes.get('keepdims', 1)))
    return call


def pad(node, x, pads, value=None):
    pads, rank = numbers(pads), x.dim()
    pairs = list(zip(pads[:rank], pads[rank:]))
    mode = {'constant': 'constant', 'reflect': 'reflect', 'edge': 'replicate'}[node.attributes.get('mode', 'constant')]
    if mode != 'constant':
        pairs = pairs[2:]
    flat = [p for pair in reversed(pairs) for p in pair]
    return F.pad(x, flat, mode, float(value) if value is not None and mode == 'constant' else 0.0)


def resize(node, x, roi=None, scales=None, sizes=None):
    a = node.attributes
    sizes = numbers(sizes)[2:] if sizes is not None else [
        int(extent * float(scale)) for extent, scale in zip(x.shape[2:], scales[2:])]
    how = a.get('coordinate_transformation_mode', 'half_pixel')
    if a.get('mode', 'nearest') == 'nearest':
        if how != 'asymmetric' or a.get('nearest_mode') != 'floor':
            raise NotImplementedError(f'{node.name}: Resize to the nearest by {how} is not imported')
        return F.interpolate(x, sizes)
    if a['mode'] != 'linear' or x.dim() != 4 or how not in ('half_pixel', 'pytorch_half_pixel', 'align_corners'):
        raise NotImplementedError(f'{node.name}: Resize {a["mode"]} by {how} is not imported')
    return F.interpolate(x, sizes, mode='bilinear', align_corners=how == 'align_corners')


def expand(node, x, shape):
    return x.expand(torch.broadcast_shapes(tuple(x.shape), tuple(numbers(shape))))


def constant_of_shape(node, shape):
    value = node.attributes.get('value', torch.zeros(1))
    return torch.full(numbers(shape), value.item(), dtype=value.dtype)


def folded(function):
    def call(node, first, *others):
        for other in others:
            first = function(first, other)
        return first
    return call


types = {1: torch.float32, 2: torch.uint8, 3: torch.int8, 6: torch.int32, 7: torch.int64, 9: torch.bool,
         10: torch.float16, 11: torch.float64}


def divide(node, a, b):
    return a / b if a.is_floating_point() else torch.div(a, b, rounding_mode='trunc')


def lstm(node, x, w, r, b=None, lengths=None, hidden=None, cell=None, peepholes=None):
    a = node.attributes
    if w.shape[0] != 1 or lengths is not None or peepholes is not None or b is None or hidden is None or \
            cell is None or set(a) - {'hidden_size', 'direction'}:
        raise NotImplementedError(f'{node.name}: only LSTM forwards with all states is imported')
    def gates(weights):  # input, output, forget, cell; torch has them as input, forget, cell, output
        i, o, f, c = weights.chunk(4)
        return torch.cat([i, f, c, o])
    bias = b[0].chunk(2)
    weights = [gates(w[0]), gates(r[0]), gates(bias[0]), gates(bias[1])]
    y, h, c = torch._VF.lstm(x, (hidden, cell), weights, True, 1, 0.0, False, False, False)
    return y.unsqueeze(1), h, c


def global_average_pool(node, x):
    return F.adaptive_avg_pool2d(x, 1) if x.dim() == 4 else x.mean(list(range(2, x.dim())), True)


def power(node, a, b):
    return torch.pow(a, float(b) if b.numel() == 1 else b)


operators = {
    'Conv': conv, 'ConvTranspose': conv_transpose, 'MaxPool': max_pool, 'AveragePool': average_pool,
    'BatchNormalization': batch_norm, 'Clip': clip, 'Gemm': gemm, 'Reshape': reshape, 'Flatten': flatten,
    'Gather': gather, 'Slice': slices, 'Split': split, 'Squeeze': squeeze, 'Unsqueeze': unsqueeze, 'Pad': pad,
    'Resize': resize, 'Expand': expand, 'ConstantOfShape': constant_of_shape, 'Div': divide, 'LSTM': lstm,
    'ReduceMean': reduction(torch.mean), 'ReduceSum': reduction(torch.sum),
    'ReduceMax': reduction(torch.amax), 'ReduceMin': reduction(torch.amin),
    'GlobalAveragePool': global_average_pool, 'Pow': power,
    'Max': folded(torch.maximum), 'Min': folded(torch.minimum), 'Sum': folded(torch.add),
    'Constant': lambda node: node.attributes['value'],
    'Shape': lambda _, x: torch.tensor(list(x.shape), dtype=torch.int64),
    'Cast': lambda node, x: x.to(types[node.attributes['to']]),
    'Concat': lambda node, *parts: torch.cat(parts, node.attributes['axis']),
    'Transpose': lambda node, x: x.permute(node.attributes.get('perm') or list(reversed(range(x.dim())))),
    'Softmax': lambda node, x: F.softmax(x, node.attributes.get('axis', -1)),
    'LogSoftmax': lambda node, x: F.log_softmax(x, node.attributes.get('axis', -1)),
    'LeakyRelu': lambda node, x: F.leaky_relu(x, node.attributes.get('alpha', 0.01)),
    'Where': lambda _, condition, a, b: torch.where(condition, a, b),
    'Identity': lambda _, x: x, 'Dropout': lambda _, x, *rest: x,
    'Relu': lambda _, x: F.relu(x), 'Softplus': lambda _, x: F.softplus(x),
    'MatMul': lambda _, a, b: torch.matmul(a, b),
    'Add': lambda _, a, b: a + b, 'Sub': lambda _, a, b: a - b, 'Mul': lambda _, a, b: a * b,
    'Equal': lambda _, a, b: a == b, 'Greater': lambda _, a, b: a > b, 'Less': lambda _, a, b: a < b,
    'And': lambda _, a, b: a & b, 'Or': lambda _, a, b: a | b, 'Not': lambda _, a: ~a,
    **{name: (lambda function: lambda _, x: function(x))(getattr(torch, name.lower())) for name in (
        'Sqrt', 'Erf', 'Tanh', 'Sigmoid', 'Exp', 'Log', 'Abs', 'Neg', 'Floor', 'Ceil', 'Reciprocal')},
}
