// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace graphloom {

/// An attribute of a node, a reference to an attribute of the enclosing function resolved.
struct GivenAttribute {
    std::string_view name;
    const onnx::AttributeProto *value;
};

/// What a node contradicts in the definition of its operator, as far as the installed ONNX
/// library knows the operator: number of inputs and outputs, kinds of attributes, attributes
/// that must be there; none when there is nothing to object. An operator that `version` lacks is
/// taken as the one of version `target`, to which the node will be brought; an operator without
/// any definition is no objection.
std::optional<std::string> defectOfCall(const onnx::NodeProto &node, const std::string &domain,
                                        std::int64_t version, std::int64_t target,
                                        std::span<const GivenAttribute> attributes);

} // namespace graphloom
