// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/attribute_reader.h"

#include <array>

namespace graphloom {

namespace {

using onnx::AttributeProto;
using AttributeType = AttributeProto::AttributeType;

struct Presence {
    AttributeType kind;
    bool present;
};

/// Returns which value fields are set.
std::array<Presence, 14> presences(const AttributeProto &a)
{
    return {{{AttributeProto::FLOAT, a.has_f()},
             {AttributeProto::INT, a.has_i()},
             {AttributeProto::STRING, a.has_s()},
             {AttributeProto::TENSOR, a.has_t()},
             {AttributeProto::GRAPH, a.has_g()},
             {AttributeProto::SPARSE_TENSOR, a.has_sparse_tensor()},
             {AttributeProto::TYPE_PROTO, a.has_tp()},
             {AttributeProto::FLOATS, a.floats_size() > 0},
             {AttributeProto::INTS, a.ints_size() > 0},
             {AttributeProto::STRINGS, a.strings_size() > 0},
             {AttributeProto::TENSORS, a.tensors_size() > 0},
             {AttributeProto::GRAPHS, a.graphs_size() > 0},
             {AttributeProto::SPARSE_TENSORS, a.sparse_tensors_size() > 0},
             {AttributeProto::TYPE_PROTOS, a.type_protos_size() > 0}}};
}

/// Restores the attribute of the file, with the raw data that the prescan removed.
Result<AttributeValue> readRaw(AttributeProto attribute, const TensorReader &tensors)
{
    const auto restore = [&](onnx::SparseTensorProto &sparse) -> Result<void> {
        if (sparse.has_values())
            GL_TRY(tensors.restore(*sparse.mutable_values()));
        return sparse.has_indices() ? tensors.restore(*sparse.mutable_indices()) : Result<void>();
    };
    if (attribute.has_sparse_tensor())
        GL_TRY(restore(*attribute.mutable_sparse_tensor()));
    for (auto &sparse : *attribute.mutable_sparse_tensors())
        GL_TRY(restore(sparse));
    return RawAttribute{attribute.SerializeAsString()};
}

} // namespace

std::string nameOf(AttributeType kind)
{
    switch (kind) {
    case AttributeProto::FLOATS:
    case AttributeProto::INTS:
    case AttributeProto::STRINGS:
    case AttributeProto::TENSORS:
    case AttributeProto::GRAPHS:
    case AttributeProto::SPARSE_TENSORS:
    case AttributeProto::TYPE_PROTOS: {
        std::string name = AttributeProto::AttributeType_Name(kind);
        name.pop_back();
        return "list of " + name;
    }
    default:
        return AttributeProto::AttributeType_Name(kind);
    }
}

Result<AttributeType> kindOf(const AttributeProto &attribute)
{
    AttributeType found = AttributeProto::UNDEFINED;
    for (const Presence &presence : presences(attribute)) {
        if (!presence.present)
            continue;
        if (found != AttributeProto::UNDEFINED)
            return fail(Error::Kind::Model, "has two values, of types " + nameOf(found) + " and " +
                                                nameOf(presence.kind));
        found = presence.kind;
    }
    // Writers that follow protobuf 3 omit zeros and empty lists; then only the declared kind tells
    // what the value is.
    const AttributeType declared =
        attribute.has_type() ? attribute.type() : AttributeProto::UNDEFINED;
    if (declared == AttributeProto::UNDEFINED) {
        if (found == AttributeProto::UNDEFINED)
            return fail(Error::Kind::Model, "has neither a value nor a type");
        return found;
    }
    if (found != AttributeProto::UNDEFINED && found != declared)
        return fail(Error::Kind::Model, "is declared as " + nameOf(declared) +
                                            " but has a value of type " + nameOf(found));
    const bool needsValue =
        declared == AttributeProto::TENSOR || declared == AttributeProto::GRAPH ||
        declared == AttributeProto::SPARSE_TENSOR || declared == AttributeProto::TYPE_PROTO;
    if (found == AttributeProto::UNDEFINED && needsValue)
        return fail(Error::Kind::Model, "is declared as " + nameOf(declared) + " but is empty");
    return declared;
}

Result<AttributeValue>
readAttribute(const AttributeProto &attribute, TensorReader &tensors,
              const std::function<Result<GraphPointer>(const onnx::GraphProto &)> &readGraph)
{
    GL_TRY_CONST(kind, kindOf(attribute));
    switch (*kind) {
    case AttributeProto::FLOAT:
        return attribute.f();
    case AttributeProto::INT:
        return std::int64_t(attribute.i());
    case AttributeProto::STRING:
        return attribute.s();
    case AttributeProto::FLOATS:
        return std::vector<float>(attribute.floats().begin(), attribute.floats().end());
    case AttributeProto::INTS:
        return std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end());
    case AttributeProto::STRINGS:
        return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    case AttributeProto::TENSOR: {
        GL_TRY_RESULT(tensor, tensors.read(attribute.t()));
        return std::move(*tensor);
    }
    case AttributeProto::TENSORS: {
        std::vector<TensorData> list;
        for (const auto &proto : attribute.tensors()) {
            GL_TRY_RESULT(tensor, tensors.read(proto));
            list.push_back(std::move(*tensor));
        }
        return list;
    }
    case AttributeProto::GRAPH: {
        GL_TRY_RESULT(graph, readGraph(attribute.g()));
        return std::move(*graph);
    }
    case AttributeProto::GRAPHS: {
        std::vector<GraphPointer> list;
        for (const auto &proto : attribute.graphs()) {
            GL_TRY_RESULT(graph, readGraph(proto));
            list.push_back(std::move(*graph));
        }
        return list;
    }
    default:
        return readRaw(attribute, tensors);
    }
}

} // namespace graphloom
