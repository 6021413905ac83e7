// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/format/wire.h"

#include <onnx/onnx_pb.h>

#include <string>
#include <utility>
#include <vector>

namespace graphloom {

// Fields that ONNX added after version 1.12. A library that knows them provides them as members; an
// older one keeps them among the unknown fields. They are read from and written to either place, so
// that files are the same with both.

namespace newer_fields {

inline constexpr int nodeOverload = 8, nodeMetadata = 9;
inline constexpr int functionAttribute = 11, functionValueInfo = 12, functionOverload = 13;

/// Calls visit(bytes) for every unknown field with this number that holds bytes.
template <class Message, class Visit>
void forEachUnknown(const Message &message, int number, Visit visit)
{
    const auto &fields = message.unknown_fields();
    for (int i = 0; i < fields.field_count(); ++i) {
        const auto &field = fields.field(i);
        if (field.number() == number && field.type() == field.TYPE_LENGTH_DELIMITED)
            visit(field.length_delimited());
    }
}

} // namespace newer_fields

/// Returns which of several functions of one name is meant; empty if there is only one.
template <class Message> std::string overloadOf(const Message &message)
{
    if constexpr (requires { message.overload(); }) {
        return message.overload();
    } else {
        constexpr int number = std::is_same_v<Message, onnx::NodeProto>
                                   ? newer_fields::nodeOverload
                                   : newer_fields::functionOverload;
        std::string overload;
        newer_fields::forEachUnknown(message, number, [&](const auto &text) { overload = text; });
        return overload;
    }
}

using Metadata = std::vector<std::pair<std::string, std::string>>;

/// Returns the metadata_props of a node.
template <class Node> Metadata metadataOf(const Node &node)
{
    Metadata metadata;
    const auto add = [&](const onnx::StringStringEntryProto &entry) {
        metadata.emplace_back(entry.key(), entry.value());
    };
    if constexpr (requires { node.metadata_props(); }) {
        for (const auto &entry : node.metadata_props())
            add(entry);
    } else {
        newer_fields::forEachUnknown(node, newer_fields::nodeMetadata, [&](const auto &bytes) {
            onnx::StringStringEntryProto entry;
            if (entry.ParseFromString(bytes))
                add(entry);
        });
    }
    return metadata;
}

template <class Node> void addMetadata(Node &node, const std::string &key, const std::string &value)
{
    if constexpr (requires { node.add_metadata_props(); }) {
        auto &entry = *node.add_metadata_props();
        entry.set_key(key);
        entry.set_value(value);
    } else {
        onnx::StringStringEntryProto entry;
        entry.set_key(key);
        entry.set_value(value);
        node.mutable_unknown_fields()->AddLengthDelimited(newer_fields::nodeMetadata,
                                                          entry.SerializeAsString());
    }
}

/// Declares a tensor of a function's body.
template <class Function> void addValueInfo(Function &function, const onnx::ValueInfoProto &info)
{
    if constexpr (requires { function.add_value_info(); })
        *function.add_value_info() = info;
    else
        function.mutable_unknown_fields()->AddLengthDelimited(newer_fields::functionValueInfo,
                                                              info.SerializeAsString());
}

/// Returns the attributes of a function that have a default value.
template <class Function> std::vector<onnx::AttributeProto> defaultsOf(const Function &function)
{
    std::vector<onnx::AttributeProto> defaults;
    if constexpr (requires { function.attribute_proto(); }) {
        defaults.assign(function.attribute_proto().begin(), function.attribute_proto().end());
    } else {
        newer_fields::forEachUnknown(function, newer_fields::functionAttribute,
                                     [&](const auto &bytes) {
                                         onnx::AttributeProto attribute;
                                         if (attribute.ParseFromString(bytes))
                                             defaults.push_back(std::move(attribute));
                                     });
    }
    return defaults;
}

} // namespace graphloom
