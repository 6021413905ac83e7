# SPDX-License-Identifier: Apache-2.0
"""As much of protobuf as the inputs of a model and files of tensors need."""


def number_at(data, at):
    """A variable-length number, and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Number and value of each field of a message: an integer, or bytes."""
    data = memoryview(data)
    at = 0
    while at < len(data):
        tag, at = number_at(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = number_at(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = data[at:at + size], at + size
        elif kind == 2:
            size, at = number_at(data, at)
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {kind}")
        yield tag >> 3, value


def first(data, number, otherwise=None):
    """The value of the first field with a number."""
    return next((value for found, value in fields(data) if found == number), otherwise)


def integers(data, number):
    """A repeated integer field, packed or not."""
    found = []
    for one, value in fields(data):
        if one != number:
            continue
        if isinstance(value, int):
            found.append(value)
            continue
        at = 0
        while at < len(value):
            integer, at = number_at(value, at)
            found.append(integer)
    return found


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer_field(number, value):
    return varint(number << 3) + varint(value)


def bytes_field(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + bytes(value)
