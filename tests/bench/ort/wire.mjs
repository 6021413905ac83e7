// SPDX-License-Identifier: Apache-2.0
// The protobuf wire format, as far as reading and editing an ONNX graph needs it.

/** The fields of a message: {number, wire, value, bytes}; value is a BigInt or a Uint8Array. */
export function fieldsOf(message) {
    const fields = [];
    for (let at = 0; at < message.length;) {
        const start = at;
        const varint = () => {
            let value = 0n;
            for (let shift = 0n; shift < 70n; shift += 7n) {
                const byte = message[at++];
                if (byte === undefined) throw new Error('the message ends within a number');
                value |= BigInt(byte & 0x7f) << shift;
                if (byte < 0x80) return BigInt.asUintN(64, value);
            }
            throw new Error('a number is too long');
        };
        const take = (size) => {
            if (at + size > message.length) throw new Error('the message ends within a field');
            at += size;
            return message.subarray(at - size, at);
        };
        const key = varint();
        const field = { number: Number(key >> 3n), wire: Number(key & 7n) };
        if (field.wire === 0) field.value = varint();
        else if (field.wire === 1) field.value = take(8);
        else if (field.wire === 2) field.value = take(Number(varint()));
        else if (field.wire === 5) field.value = take(4);
        else throw new Error(`wire type ${field.wire} is not known`);
        field.bytes = message.subarray(start, at);
        fields.push(field);
    }
    return fields;
}

export function encodeVarint(value) {
    const bytes = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    do {
        bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
        rest >>= 7n;
    } while (rest > 0n);
    return Uint8Array.from(bytes);
}

export function concat(parts) {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.length;
    }
    return whole;
}

export const encodeNumber = (number, value) =>
    concat([encodeVarint(number << 3), encodeVarint(value)]);
export const encodeBytes = (number, bytes) =>
    concat([encodeVarint((number << 3) | 2), encodeVarint(bytes.length), bytes]);
export const encodeText = (number, text) => encodeBytes(number, new TextEncoder().encode(text));
export const textOf = (bytes) => new TextDecoder().decode(bytes);

/** A repeated int64 field, packed or not. */
export function integersOf(fields, number) {
    const values = [];
    for (const field of fields.filter((f) => f.number === number)) {
        if (field.wire === 0) {
            values.push(BigInt.asIntN(64, field.value));
            continue;
        }
        let value = 0n;
        let shift = 0n;
        for (const byte of field.value) {
            value |= BigInt(byte & 0x7f) << shift;
            shift += 7n;
            if (byte < 0x80) {
                values.push(BigInt.asIntN(64, value));
                value = 0n;
                shift = 0n;
            }
        }
    }
    return values;
}
