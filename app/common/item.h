// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: moc of Qt 6.4 cannot parse <compare> otherwise

#include "engine/ir/id.h"

#include <compare>
#include <cstdint>

namespace graphloom {

/// Something that can be selected: what all views speak about to each other.
struct Item {
    enum class Kind : std::uint8_t {
        None,
        Node,
        Input,
        Captured,
        Output,
        Tensor,
        Subgraph,
        Block,
        Module,
        Fission,
        Original
    };

    Kind kind = Kind::None;
    std::uint32_t index = 0; // of the node, tensor, subgraph, fusion block, module or region

    static Item of(NodeId id) { return {Kind::Node, id.index}; }
    static Item input(TensorId id) { return {Kind::Input, id.index}; }
    /// Of a nested graph: what it reads of the graph around it.
    static Item captured(TensorId id) { return {Kind::Captured, id.index}; }
    static Item output(TensorId id) { return {Kind::Output, id.index}; }
    /// Any tensor of the graph, which is not drawn itself.
    static Item tensor(TensorId id) { return {Kind::Tensor, id.index}; }
    static Item subgraph(std::uint32_t index) { return {Kind::Subgraph, index}; }

    /// A fusion block.
    static Item block(std::uint32_t index) { return {Kind::Block, index}; }
    /// Of a snapshot's forests: modules and regions of the F-Tree.
    static Item module(std::uint32_t index) { return {Kind::Module, index}; }
    static Item fission(std::uint32_t index) { return {Kind::Fission, index}; }

    /// A node of the model as it was opened, which the graph that is shown may not have.
    static Item original(NodeId id) { return {Kind::Original, id.index}; }

    explicit operator bool() const { return kind != Kind::None; }
    bool isTensor() const
    {
        return kind == Kind::Input || kind == Kind::Captured || kind == Kind::Output ||
               kind == Kind::Tensor;
    }
    /// Several nodes that are drawn as a box.
    bool isGroup() const
    {
        return kind == Kind::Subgraph || kind == Kind::Block || kind == Kind::Module ||
               kind == Kind::Fission;
    }
    /// Requires Kind::Node or Kind::Original, and isTensor().
    NodeId node() const { return {index}; }
    TensorId tensor() const { return {index}; }

    auto operator<=>(const Item &) const = default;
};

} // namespace graphloom
