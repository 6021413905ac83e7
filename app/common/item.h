// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: moc of Qt 6.4 cannot parse <compare> otherwise

#include "engine/ir/id.h"

#include <compare>
#include <cstdint>

namespace graphloom {

/// An `Item` identifies something that can be selected. All views refer to things by their items.
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
    std::uint32_t index = 0; // index of the node, tensor, subgraph, fusion block, module or region

    static Item of(NodeId id) { return {Kind::Node, id.index}; }
    static Item input(TensorId id) { return {Kind::Input, id.index}; }
    /// Returns the item of a tensor that a nested graph reads from the graph around it.
    static Item captured(TensorId id) { return {Kind::Captured, id.index}; }
    static Item output(TensorId id) { return {Kind::Output, id.index}; }
    /// Returns the item of any tensor of the graph. Such an item is not drawn itself.
    static Item tensor(TensorId id) { return {Kind::Tensor, id.index}; }
    static Item subgraph(std::uint32_t index) { return {Kind::Subgraph, index}; }

    /// Returns the item of a fusion block.
    static Item block(std::uint32_t index) { return {Kind::Block, index}; }
    /// These return the item of a module, or of a region of the F-Tree, in the forests of a
    /// snapshot.
    static Item module(std::uint32_t index) { return {Kind::Module, index}; }
    static Item fission(std::uint32_t index) { return {Kind::Fission, index}; }

    /// Returns the item of a node of the model as it was opened. The graph that is shown may lack
    /// it.
    static Item original(NodeId id) { return {Kind::Original, id.index}; }

    explicit operator bool() const { return kind != Kind::None; }
    bool isTensor() const
    {
        return kind == Kind::Input || kind == Kind::Captured || kind == Kind::Output ||
               kind == Kind::Tensor;
    }
    /// Tells whether the item is a group: several nodes that are drawn as a box.
    bool isGroup() const
    {
        return kind == Kind::Subgraph || kind == Kind::Block || kind == Kind::Module ||
               kind == Kind::Fission;
    }
    /// Returns the id of the node or tensor. node() requires Kind::Node or Kind::Original, tensor()
    /// requires isTensor().
    NodeId node() const { return {index}; }
    TensorId tensor() const { return {index}; }

    auto operator<=>(const Item &) const = default;
};

} // namespace graphloom
