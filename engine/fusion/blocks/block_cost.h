// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/cost/figure.h"
#include "engine/fusion/facts/block_rules.h"

#include <functional>

namespace graphloom {

/// Seconds of a block and where they are from.
struct BlockSeconds {
    double seconds = 0;
    Provenance provenance = Provenance::Modelled;
};

/// "2.16 ms modelled".
std::string textOf(const BlockSeconds &figure);

/// Looks a block up among measured ones; none when nobody has measured it.
using MeasuredBlocks = std::function<std::optional<BlockSeconds>(std::span<const NodeId> nodes)>;

/// The operands of the nodes' concatenations that other blocks compute: their producers can write
/// them where they belong, if the result leaves the block and no other concatenation wants them
/// elsewhere.
std::vector<TensorId> placeableOperands(const Ecg &ecg, std::span<const NodeId> nodes);

/// What blocks cost: measured where the profile database has them, else modelled with the device's
/// figures from the operations of the block and the bytes that cross its border. Elements that a
/// Shuffle reads or writes one by one move cache lines; what a contraction or a row reads again and
/// again is staged in scratch memory once, when the block computes it itself. What can be placed in
/// a concatenation's result by its producer is not moved by the concatenation.
class BlockCost {
public:
    BlockCost(const Ecg &ecg, const Device &device, MeasuredBlocks measured = {})
        : m_ecg(ecg), m_device(device), m_measured(std::move(measured))
    {
    }

    const Device &device() const { return m_device; }
    /// `answer` is what BlockRules said of the nodes.
    BlockSeconds of(std::span<const NodeId> nodes, const BlockAnswer &answer) const;

private:
    double bytesMoved(std::span<const NodeId> nodes) const;
    double strideBytes(std::span<const NodeId> nodes) const;
    double stagedBytes(std::span<const NodeId> nodes) const;

    const Ecg &m_ecg;
    const Device &m_device;
    MeasuredBlocks m_measured;
};

} // namespace graphloom
