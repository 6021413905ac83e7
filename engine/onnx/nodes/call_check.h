// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace graphloom {

/// Holds an attribute of a node, with a reference to an attribute of the enclosing function
/// resolved.
struct GivenAttribute {
    std::string_view name;
    const onnx::AttributeProto *value;
};

/// Describes how a node contradicts the definition of its operator, as far as the installed ONNX
/// library knows the operator: number of inputs and outputs, kinds of attributes, required
/// attributes. Returns nothing if there is no defect. An operator that does not exist in `version`
/// is checked as that of version `target`, to which the node will be brought; a missing definition
/// is no defect.
std::optional<std::string> defectOfCall(const onnx::NodeProto &node, const std::string &domain,
                                        std::int64_t version, std::int64_t target,
                                        std::span<const GivenAttribute> attributes);

} // namespace graphloom
