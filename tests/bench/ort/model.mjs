// SPDX-License-Identifier: Apache-2.0
// What the comparison has to know and to change of an ONNX file.

import { concat, encodeBytes, encodeNumber, encodeText, fieldsOf, integersOf, textOf } from './wire.mjs';

const modelGraph = 7;
const graphNode = 1;
const graphInitializer = 5;
const graphInput = 11;
const graphOutput = 12;

const first = (fields, number) => fields.find((field) => field.number === number)?.value;
const nameIn = (fields, number) => textOf(first(fields, number) ?? new Uint8Array());

function readInitializer(bytes) {
    const fields = fieldsOf(bytes);
    const raw = first(fields, 9);
    let values = integersOf(fields, 7);
    if (raw && Number(first(fields, 2)) === 7)
        values = Array.from(new BigInt64Array(raw.slice().buffer));
    return { name: nameIn(fields, 8), values };
}

function readNode(bytes) {
    const fields = fieldsOf(bytes);
    const list = (number) => fields.filter((f) => f.number === number).map((f) => textOf(f.value));
    const node = { inputs: list(1), outputs: list(2), op: nameIn(fields, 4), domain: nameIn(fields, 7) };
    const value = fields.filter((f) => f.number === 5).map((f) => fieldsOf(f.value))
        .find((attribute) => nameIn(attribute, 1) === 'value');
    if (value) {
        const tensor = fieldsOf(first(value, 5));
        const raw = first(tensor, 9);
        const floats = tensor.find((field) => field.number === 4)?.value;
        const data = raw ?? floats;
        node.valueType = Number(first(tensor, 2));
        node.value = data?.length >= 4 && node.valueType === 1 ? new DataView(data.slice().buffer).getFloat32(0, true) : undefined;
    }
    return node;
}

function readInput(bytes) {
    const fields = fieldsOf(bytes);
    const type = fieldsOf(first(fieldsOf(first(fields, 2)), 1));
    const shape = first(type, 2);
    const dims = shape === undefined ? [] : fieldsOf(shape).filter((f) => f.number === 1).map((f) => {
        const value = first(fieldsOf(f.value), 1);
        return value === undefined ? undefined : Number(value);
    });
    return { name: nameIn(fields, 1), type: Number(first(type, 1)), dims };
}

/** The graph's inputs that are no initializers, its outputs, and its weights without elements:
 *  outputs of ConstantOfShape whose shape is the initializer NAME__SHAPE. */
export function readModel(bytes) {
    const graph = fieldsOf(first(fieldsOf(bytes), modelGraph));
    const of = (number) => graph.filter((field) => field.number === number).map((field) => field.value);
    const initializers = new Map(of(graphInitializer).map(readInitializer).map((t) => [t.name, t.values]));
    const inputs = of(graphInput).map(readInput).filter((input) => !initializers.has(input.name));
    const outputs = of(graphOutput).map((output) => nameIn(fieldsOf(output), 1));
    const weights = new Map();
    for (const node of of(graphNode).map(readNode)) {
        const [name] = node.outputs;
        const dims = initializers.get(`${name}__SHAPE`);
        if (node.op === 'ConstantOfShape' && node.domain === '' && node.valueType === 1 && node.value &&
            node.inputs[0] === `${name}__SHAPE` && dims)
            weights.set(name, { name, type: 1, dims: dims.map(Number), value: node.value });
    }
    return { inputs, outputs, weights };
}

function encodeInput({ name, type, dims }) {
    const shape = concat(dims.map((dim) => encodeBytes(1, encodeNumber(1, dim))));
    const tensor = concat([encodeNumber(1, type), encodeBytes(2, shape)]);
    return concat([encodeText(1, name), encodeBytes(2, encodeBytes(1, tensor))]);
}

/** The model with these weights as graph inputs in place of their ConstantOfShape nodes. */
export function withWeightsAsInputs(bytes, weights) {
    const editGraph = (graph) => {
        const kept = fieldsOf(graph).filter((field) => {
            if (field.number !== graphNode) return true;
            const node = readNode(field.value);
            return !(node.op === 'ConstantOfShape' && weights.has(node.outputs[0]));
        });
        const added = [...weights.values()].map((weight) => encodeBytes(graphInput, encodeInput(weight)));
        return concat([...kept.map((field) => field.bytes), ...added]);
    };
    return concat(fieldsOf(bytes).map((field) =>
        field.number === modelGraph ? encodeBytes(modelGraph, editGraph(field.value)) : field.bytes));
}
