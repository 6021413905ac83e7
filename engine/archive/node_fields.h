// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/fields.h"

/// Defines the fields of nodes and tensors, for archives (fields.h).
namespace graphloom {

template <class Archive> void fields(Archive &archive, Attribute &attribute)
{
    archive(attribute.name, attribute.value);
}

template <class Archive> void fields(Archive &archive, RawAttribute &attribute)
{
    archive(attribute.bytes);
}

template <class Archive> void fields(Archive &archive, Node &node)
{
    std::vector<Attribute> attributes(node.attributes.begin(), node.attributes.end());
    archive(node.domain, node.op, node.name, node.inputs, node.outputs, attributes, node.captures,
            node.metadata, node.origins);
    if constexpr (std::is_same_v<Archive, FieldReader>)
        node.attributes = Attributes(std::move(attributes));
}

template <class Archive> void fields(Archive &archive, Tensor &tensor)
{
    std::optional<std::vector<Dim>> values;
    if (tensor.values)
        values = *tensor.values;
    archive(tensor.name, tensor.type, tensor.shape, values, tensor.otherType);
    bool constant = tensor.constant != nullptr;
    archive(constant);
    if constexpr (std::is_same_v<Archive, FieldReader>) {
        if (values)
            tensor.values = std::make_shared<const std::vector<Dim>>(*std::move(values));
        if (constant) {
            std::optional<TensorData> data;
            archive.links().read(archive.in(), data);
            if (data)
                tensor.constant = std::make_shared<const TensorData>(*std::move(data));
        }
    } else if (constant) {
        archive.links().write(archive.out(), *tensor.constant);
    }
}

} // namespace graphloom
