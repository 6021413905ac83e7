// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/cost/figure.h"
#include "engine/fusion/facts/block_rules.h"

#include <functional>
#include <type_traits>

namespace graphloom {

/// Holds the latency of a block, and how it was obtained.
struct BlockSeconds {
    double seconds = 0;
    Provenance provenance = Provenance::Modelled;
    std::int64_t runs = 0; // that were timed
};

/// Names nodes as a block, with the answer of BlockRules for them. Both must outlive it.
struct CostedBlock {
    std::span<const NodeId> nodes;
    const BlockAnswer &answer;
};

/// Tells whether a measured kernel had been tuned.
enum class KernelForm { Tuned, ByDefault, Any };

/// Knows measured latencies of blocks.
struct MeasuredBlocks {
    /// Returns the latency of a block in a form, of Any the least; nothing if it was not measured.
    using Lookup =
        std::function<std::optional<BlockSeconds>(std::span<const NodeId> nodes, KernelForm form)>;

    MeasuredBlocks() = default;
    /// Takes latencies that do not depend on the form.
    template <class Function>
    requires std::is_invocable_v<Function &, std::span<const NodeId>>
    MeasuredBlocks(Function function)
        : lookup([function = std::move(function)](std::span<const NodeId> nodes, KernelForm) {
              return function(nodes);
          })
    {
    }

    Lookup lookup;
    /// Called, from any thread, with blocks whose costs decide something together, and whether
    /// these are measured.
    std::function<void(std::span<const CostedBlock>, bool measured)> compared;
};

/// Returns the costs of a block and of its parts in words: "fused 0.118 ms, apart 0.151 ms
/// (measured here, 7 runs)". `costs` are comparable; the first is that of the whole block. With
/// other names for both it compares any two ways.
std::string comparisonOf(std::span<const BlockSeconds> costs, const Device &device,
                         std::string_view first = "fused", std::string_view others = "apart");

/// Returns the operands of the nodes' concatenations that other blocks compute and whose producers
/// can write them to their final place: the result must leave the block, and no other concatenation
/// may place the operand elsewhere.
std::vector<TensorId> placeableOperands(const Ecg &ecg, std::span<const NodeId> nodes);

/// Estimates what blocks cost: measured if the profile database has them, else modelled with the
/// device's figures from the operations of the block and the bytes that cross its border. Elements
/// that a Shuffle reads or writes one by one move whole cache lines; an operand that a contraction
/// or a row reads repeatedly is staged in scratch memory once, if the block computes it itself. An
/// operand that its producer can place in a concatenation's result is not moved by the
/// concatenation.
class BlockCost {
public:
    BlockCost(const Ecg &ecg, const Device &device, MeasuredBlocks measured = {})
        : m_ecg(ecg), m_device(device), m_measured(std::move(measured))
    {
    }

    const Device &device() const { return m_device; }
    /// Returns the cost of the nodes as a block. `answer` is the answer of BlockRules for the
    /// nodes.
    BlockSeconds of(std::span<const NodeId> nodes, const BlockAnswer &answer) const;
    /// Returns the cost as of() does without measurements.
    BlockSeconds modelled(std::span<const NodeId> nodes, const BlockAnswer &answer) const;
    /// Returns the costs of blocks that are to be compared: like with like. They are measured only
    /// if all of them were, as beside a modelled figure a measured one would say how far the model
    /// is off; and, where possible, all of tuned kernels, or none.
    std::vector<BlockSeconds> comparable(std::span<const CostedBlock> blocks) const;

private:
    double bytesMoved(std::span<const NodeId> nodes) const;
    double strideBytes(std::span<const NodeId> nodes) const;
    double stagedBytes(std::span<const NodeId> nodes) const;

    const Ecg &m_ecg;
    const Device &m_device;
    MeasuredBlocks m_measured;
};

} // namespace graphloom
