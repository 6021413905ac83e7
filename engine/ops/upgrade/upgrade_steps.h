// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/upgrade/upgrade.h"

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace graphloom {

/// Holds one node while it is upgraded to a newer operator set. Steps change `node` and add the
/// nodes needed before and after it.
class Upgrade {
public:
    Upgrade(GraphEditor &tensors, Node subject, const std::function<bool(TensorId)> &isRead)
        : node(std::move(subject)), m_editor(tensors), m_isRead(isRead)
    {
    }

    Node node;
    std::vector<Node> before, after;

    const Tensor &tensor(TensorId id) const { return m_editor.graph().tensor(id); }
    bool hasInput(std::size_t i) const { return i < node.inputs.size() && node.inputs[i].valid(); }
    bool hasOutput(std::size_t i) const
    {
        return i < node.outputs.size() && node.outputs[i].valid();
    }
    bool isRead(std::size_t output) const
    {
        return hasOutput(output) && m_isRead(node.outputs[output]);
    }

    /// Sets an input, after omitted ones if there are too few before it.
    void setInput(std::size_t i, TensorId id);
    /// Drops an output that nothing reads.
    void dropOutput(std::size_t i);
    /// Adds a tensor, named after the node's first output and its role.
    TensorId fresh(std::string_view role);
    TensorId constant(std::string_view role, TensorData data);
    /// Adds a scalar real constant of the element type of `like`; if that is not known, a CastLike
    /// before the node converts it.
    TensorId realLike(std::string_view role, double value, TensorId like);
    /// Adds a node of ai.onnx with one new output before this one. Returns the output.
    TensorId compute(std::string op, std::vector<TensorId> inputs, std::string_view role,
                     Attributes attributes = {});
    /// Moves a list of integers from an attribute to an input if it is there.
    void attributeToInput(std::string_view name, std::size_t input);

    tl::unexpected<Error> refuse(std::string reason) const;

private:
    std::string nameFor(std::string_view role) const;

    GraphEditor &m_editor;
    const std::function<bool(TensorId)> &m_isRead;
};

/// Brings an operator from the form before `version` to the form of `version`.
struct UpgradeStep {
    std::string_view op;
    std::int64_t version;
    Result<void> (*apply)(Upgrade &upgrade);
};

// The steps by subject; each list is in its own file.
std::span<const UpgradeStep> firstSteps();         // 1 to 6
std::span<const UpgradeStep> inputSteps();         // attributes that became inputs
std::span<const UpgradeStep> broadcastSteps();     // 6 to 7: broadcasting along an axis
std::span<const UpgradeStep> normalizationSteps(); // BatchNormalization, Dropout, Softmax
std::span<const UpgradeStep> resizeSteps();        // Upsample and Resize
std::span<const UpgradeStep> scanSteps();          // Scan

/// Attribute of a Softmax, LogSoftmax or Hardmax that still flattens its input at this axis, as
/// they did before version 13; finishUpgrade() resolves it.
inline constexpr std::string_view flattenAxis = "flatten_axis";

/// Turns the bounds of a Clip or the value of a Pad into inputs if the type of its first input is
/// known or `force` is set; they stay attributes otherwise.
Result<void> realAttributesToInputs(Upgrade &upgrade, bool force);
/// Resolves flattenAxis with what is known of the input's shape.
Result<void> unflatten(Upgrade &upgrade);

} // namespace graphloom
