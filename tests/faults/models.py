# SPDX-License-Identifier: Apache-2.0
"""Small ONNX files, put together by hand: their names may be anything, which no library lets through."""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def value(name, extents, kind=1):
    """A ValueInfoProto of a tensor."""
    shape = b''.join(message(1, number(1, extent)) for extent in extents)
    return message(1, name) + message(2, message(1, number(1, kind) + message(2, shape)))


def node(op, inputs, outputs, name='', domain=''):
    return (b''.join(message(1, i) for i in inputs) + b''.join(message(2, o) for o in outputs) +
            message(3, name) + message(4, op) + (message(7, domain) if domain else b''))


def tensor(name, extents, floats=None, external=None):
    """A TensorProto of floats, here or in another file."""
    import struct
    content = b''.join(number(1, extent) for extent in extents) + number(2, 1) + message(8, name)
    if external:
        content += b''.join(message(13, message(1, key) + message(2, str(text)))
                            for key, text in external.items()) + number(14, 1)
    else:
        content += message(9, struct.pack(f'<{len(floats)}f', *floats))
    return content


def model(nodes, inputs, outputs, tensors=(), domains=(), graph='main'):
    """A ModelProto of opset 17."""
    content = b''.join(message(1, one) for one in nodes) + message(2, graph)
    content += b''.join(message(5, one) for one in tensors)
    content += b''.join(message(11, one) for one in inputs)
    content += b''.join(message(12, one) for one in outputs)
    imports = message(8, message(1, '') + number(2, 17))
    imports += b''.join(message(8, message(1, domain) + number(2, 1)) for domain in domains)
    return number(1, 8) + message(2, 'faults') + message(7, content) + imports


def tiny(name='n'):
    """y = Relu(x + 1) of float[2,4], after a sigmoid: a few kernels, compiled in no time."""
    return model([node('Add', ['x', 'one'], ['s'], name + '0'),
                  node('Sigmoid', ['s'], ['g'], name + '1'),
                  node('Softmax', ['g'], ['y'], name + '2')],
                 [value('x', [2, 4])], [value('y', [2, 4])], [tensor('one', [1], [1.0])])
