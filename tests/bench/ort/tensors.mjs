// SPDX-License-Identifier: Apache-2.0
// Tensors of ONNX Runtime: pseudo-random ones, their differences, and their files.

import ort from 'onnxruntime-node';
import { concat, encodeBytes, encodeNumber, fieldsOf, integersOf } from './wire.mjs';

export { ort };

/** Mulberry32, seeded by a text: numbers in [0, 1). */
export function generator(text, seed) {
    let state = (2166136261 ^ seed) >>> 0;
    for (const c of text) state = Math.imul(state ^ c.codePointAt(0), 16777619) >>> 0;
    return () => {
        state = (state + 0x6d2b79f5) >>> 0;
        let t = Math.imul(state ^ (state >>> 15), state | 1);
        t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

export const elementsOf = (dims) => dims.reduce((product, dim) => product * dim, 1);

/** Pseudo-random elements for a graph input; `shapes` gives shapes by name where they are not fixed. */
export function inputTensor({ name, type, dims }, seed, shapes = new Map()) {
    const shape = shapes.get(name) ?? dims;
    if (shape.includes(undefined))
        throw new Error(`input ${name} has no fixed shape: give --input ${name}:1x3x224x224`);
    const random = generator(name, seed);
    const length = elementsOf(shape);
    const real = () => 2 * random() - 1;
    const bit = () => (random() < 0.5 ? 0 : 1);
    switch (type) {
    case 1: return new ort.Tensor('float32', Float32Array.from({ length }, real), shape);
    case 11: return new ort.Tensor('float64', Float64Array.from({ length }, real), shape);
    case 6: return new ort.Tensor('int32', Int32Array.from({ length }, bit), shape);
    case 7: return new ort.Tensor('int64', BigInt64Array.from({ length }, () => BigInt(bit())), shape);
    case 9: return new ort.Tensor('bool', Uint8Array.from({ length }, bit), shape);
    default: throw new Error(`input ${name} has the element type ${type}, for which there are no values here`);
    }
}

/** Greatest error, and relative to the greatest magnitude; how many expected numbers are finite. */
export function difference(expected, actual) {
    if (expected.type !== actual.type || String(expected.dims) !== String(actual.dims))
        return { abs: Infinity, rel: Infinity, scale: 0, finite: 0 };
    let abs = 0;
    let scale = 1e-3;
    let finite = 0;
    for (let i = 0; i < expected.data.length; ++i) {
        const a = Number(expected.data[i]);
        const b = Number(actual.data[i]);
        const error = a === b || (Number.isNaN(a) && Number.isNaN(b)) ? 0 : Math.abs(a - b);
        abs = Math.max(abs, Number.isNaN(error) ? Infinity : error);
        if (Number.isFinite(a)) {
            ++finite;
            scale = Math.max(scale, Math.abs(a));
        }
    }
    return { abs, rel: abs / scale, scale, finite };
}

const typeNumbers = { float32: 1, uint8: 2, int8: 3, int32: 6, int64: 7, bool: 9, float64: 11 };

/** A serialized TensorProto with raw data. */
export function tensorProto({ type, dims, data }) {
    const number = typeNumbers[type];
    if (!number) throw new Error(`tensors of ${type} are not written here`);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    return concat([...dims.map((dim) => encodeNumber(1, dim)), encodeNumber(2, number), encodeBytes(9, bytes)]);
}

const arrays = { float32: Float32Array, uint8: Uint8Array, int8: Int8Array, int32: Int32Array, int64: BigInt64Array,
    bool: Uint8Array, float64: Float64Array };

/** The tensor of a serialized TensorProto; the elements as raw data. */
export function readTensorProto(bytes) {
    const fields = fieldsOf(bytes);
    const field = (number) => fields.find((f) => f.number === number)?.value;
    const type = Object.keys(typeNumbers).find((name) => typeNumbers[name] === Number(field(2)));
    const dims = integersOf(fields, 1).map(Number);
    const raw = field(9);
    if (!type || (!raw && elementsOf(dims) > 0)) throw new Error('only raw data of common types is read here');
    return new ort.Tensor(type, new arrays[type]((raw ?? new Uint8Array()).slice().buffer), dims);
}

/** A serialized SequenceProto of tensors, and what one holds. */
export const sequenceProto = (tensors) =>
    concat([encodeNumber(2, 1), ...tensors.map((tensor) => encodeBytes(3, tensorProto(tensor)))]);
export const readSequenceProto = (bytes) =>
    fieldsOf(bytes).filter((field) => field.number === 3).map((field) => readTensorProto(field.value));
