// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/call_check.h"

#include "engine/onnx/nodes/attribute_reader.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

namespace graphloom {

namespace {

using onnx::AttributeProto;

/// An attribute of an operator version that ONNX 1.12 does not have (18 to 22).
struct NewAttribute {
    std::string_view op, name;
    AttributeProto::AttributeType kind;
};
constexpr std::array newAttributes{
    NewAttribute{"AffineGrid", "align_corners", AttributeProto::INT},
    NewAttribute{"AveragePool", "dilations", AttributeProto::INTS},
    NewAttribute{"Cast", "saturate", AttributeProto::INT},
    NewAttribute{"CastLike", "saturate", AttributeProto::INT},
    NewAttribute{"CenterCropPad", "axes", AttributeProto::INTS},
    NewAttribute{"Col2Im", "dilations", AttributeProto::INTS},
    NewAttribute{"Col2Im", "pads", AttributeProto::INTS},
    NewAttribute{"Col2Im", "strides", AttributeProto::INTS},
    NewAttribute{"DeformConv", "dilations", AttributeProto::INTS},
    NewAttribute{"DeformConv", "group", AttributeProto::INT},
    NewAttribute{"DeformConv", "kernel_shape", AttributeProto::INTS},
    NewAttribute{"DeformConv", "offset_group", AttributeProto::INT},
    NewAttribute{"DeformConv", "pads", AttributeProto::INTS},
    NewAttribute{"DeformConv", "strides", AttributeProto::INTS},
    NewAttribute{"DequantizeLinear", "block_size", AttributeProto::INT},
    NewAttribute{"Gelu", "approximate", AttributeProto::STRING},
    NewAttribute{"GroupNormalization", "epsilon", AttributeProto::FLOAT},
    NewAttribute{"GroupNormalization", "num_groups", AttributeProto::INT},
    NewAttribute{"GroupNormalization", "stash_type", AttributeProto::INT},
    NewAttribute{"LpPool", "ceil_mode", AttributeProto::INT},
    NewAttribute{"LpPool", "dilations", AttributeProto::INTS},
    NewAttribute{"QuantizeLinear", "block_size", AttributeProto::INT},
    NewAttribute{"QuantizeLinear", "output_dtype", AttributeProto::INT},
    NewAttribute{"QuantizeLinear", "saturate", AttributeProto::INT},
    NewAttribute{"ReduceL1", "noop_with_empty_axes", AttributeProto::INT},
    NewAttribute{"ReduceL2", "noop_with_empty_axes", AttributeProto::INT},
    NewAttribute{"ReduceLogSum", "noop_with_empty_axes", AttributeProto::INT},
    NewAttribute{"ReduceLogSumExp", "noop_with_empty_axes", AttributeProto::INT},
    NewAttribute{"ReduceMax", "noop_with_empty_axes", AttributeProto::INT},
    NewAttribute{"ReduceMean", "noop_with_empty_axes", AttributeProto::INT},
    NewAttribute{"ReduceMin", "noop_with_empty_axes", AttributeProto::INT},
    NewAttribute{"ReduceProd", "noop_with_empty_axes", AttributeProto::INT},
    NewAttribute{"ReduceSumSquare", "noop_with_empty_axes", AttributeProto::INT},
    NewAttribute{"RegexFullMatch", "pattern", AttributeProto::STRING},
    NewAttribute{"Resize", "antialias", AttributeProto::INT},
    NewAttribute{"Resize", "axes", AttributeProto::INTS},
    NewAttribute{"Resize", "keep_aspect_ratio_policy", AttributeProto::STRING},
    NewAttribute{"Split", "num_outputs", AttributeProto::INT},
    NewAttribute{"StringSplit", "delimiter", AttributeProto::STRING},
    NewAttribute{"StringSplit", "maxsplit", AttributeProto::INT},
};

constexpr std::int64_t lastInLibrary = 17; // of the oldest supported library

AttributeProto::AttributeType newKind(const std::string &op, const std::string &name)
{
    const auto found = std::ranges::find_if(newAttributes, [&](const NewAttribute &attribute) {
        return attribute.op == op && attribute.name == name;
    });
    return found == newAttributes.end() ? AttributeProto::UNDEFINED : found->kind;
}

std::string range(int least, int most)
{
    if (most == std::numeric_limits<int>::max())
        return std::to_string(least) + " or more";
    return least == most ? std::to_string(least)
                         : std::to_string(least) + " to " + std::to_string(most);
}

/// Counts the inputs or outputs of a call without the omitted ones at the end, which have empty
/// names.
int givenOf(const google::protobuf::RepeatedPtrField<std::string> &names)
{
    int count = names.size();
    while (count > 0 && names[count - 1].empty())
        --count;
    return count;
}

std::optional<std::string> defectOfAttribute(const GivenAttribute &attribute,
                                             AttributeProto::AttributeType wanted)
{
    const std::string label = "attribute \"" + std::string(attribute.name) + "\" ";
    const auto kind = kindOf(*attribute.value);
    if (!kind)
        return label + kind.error().message;
    if (wanted != AttributeProto::UNDEFINED && *kind != wanted)
        return label + "has type " + nameOf(*kind) + "; the operator expects " + nameOf(wanted);
    return std::nullopt;
}

} // namespace

std::optional<std::string> defectOfCall(const onnx::NodeProto &node, const std::string &domain,
                                        std::int64_t version, std::int64_t target,
                                        std::span<const GivenAttribute> attributes)
{
    const auto definition = [&](std::int64_t at) {
        const auto most = std::int64_t(std::numeric_limits<int>::max());
        return onnx::OpSchemaRegistry::Schema(node.op_type(),
                                              int(std::clamp<std::int64_t>(at, 0, most)), domain);
    };
    const onnx::OpSchema *schema = definition(version);
    if (!schema) {
        version = target;
        schema = definition(version);
    }
    if (schema && schema->Deprecated())
        schema = nullptr; // the operator set no longer has this name
    // The library's last definition of an operator gives the kinds of the attributes that newer
    // versions share, but not their numbers of inputs.
    const bool newer = domain.empty() && version > lastInLibrary;
    for (const GivenAttribute &attribute : attributes) {
        auto wanted = AttributeProto::UNDEFINED;
        const std::string name(attribute.name);
        if (schema) {
            const auto found = schema->attributes().find(name);
            if (found != schema->attributes().end())
                wanted = found->second.type;
        }
        if (wanted == AttributeProto::UNDEFINED && newer)
            wanted = newKind(node.op_type(), name);
        if (auto defect = defectOfAttribute(attribute, wanted))
            return defect;
    }
    if (!schema || newer)
        return std::nullopt;
    for (const auto &[name, wanted] : schema->attributes())
        if (wanted.required &&
            std::ranges::find(attributes, name, &GivenAttribute::name) == attributes.end())
            return "attribute \"" + name + "\" is missing";
    const int inputs = givenOf(node.input()), outputs = givenOf(node.output());
    if (inputs < schema->min_input() || inputs > schema->max_input())
        return "has " + std::to_string(inputs) + " inputs; the operator takes " +
               range(schema->min_input(), schema->max_input());
    if (outputs < schema->min_output() || outputs > schema->max_output())
        return "has " + std::to_string(outputs) + " outputs; the operator produces " +
               range(schema->min_output(), schema->max_output());
    return std::nullopt;
}

} // namespace graphloom
