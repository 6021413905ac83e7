// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/device.h"
#include "engine/cost/figure.h"
#include "engine/fusion/facts/block_rules.h"

#include <functional>

namespace graphloom {

/// Holds the latency of a block, and how it was obtained.
struct BlockSeconds {
    double seconds = 0;
    Provenance provenance = Provenance::Modelled;
};

/// Returns "2.16 ms modelled".
std::string textOf(const BlockSeconds &figure);

/// Looks up the measured latency of a block; returns nothing if it was not measured.
using MeasuredBlocks = std::function<std::optional<BlockSeconds>(std::span<const NodeId> nodes)>;

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

private:
    double bytesMoved(std::span<const NodeId> nodes) const;
    double strideBytes(std::span<const NodeId> nodes) const;
    double stagedBytes(std::span<const NodeId> nodes) const;

    const Ecg &m_ecg;
    const Device &m_device;
    MeasuredBlocks m_measured;
};

} // namespace graphloom
