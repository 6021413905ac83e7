// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/builder.h"

#include <map>
#include <set>

namespace graphloom::dnnfusion {

/// Describes how the elements of values of one shape are moved: by a transpose, or a reshape.
class Movement {
public:
    virtual ~Movement() = default;
    /// Tells whether the call undoes this movement of its first input.
    virtual bool undoes(const Terms &terms, const Node &call) const = 0;
    /// Tells whether carried() can convert the value, which is broadcast to values that are moved.
    virtual bool canCarry(const Tensor &value) const = 0;
    /// Returns the value as it has to be after the movement: itself or, for a constant, possibly
    /// another constant.
    virtual TensorId carried(Builder &builder, TensorId value) const = 0;
    /// Tells whether a call can move the value.
    virtual bool canMove(const Tensor &value) const = 0;
    /// Returns the value, moved by a call.
    virtual TensorId moved(Builder &builder, TensorId value) const = 0;
};

/// Moves a movement upstream through elementwise calls whose results nothing else reads, to where
/// it meets movements that undo it.
class Lifting {
public:
    /// Prepares to lift a movement that is the only reader of the value.
    Lifting(const Terms &terms, const Movement &movement, TensorId value);

    /// Returns how many movements lifting saves, without counting the one at the end. Returns
    /// nothing if lifting is not possible.
    std::optional<int> gain() const;
    /// Builds the moved value from the values upstream. Requires a gain().
    TensorId lifted(Builder &builder) const;

private:
    const Node *elementwise(TensorId value) const;
    void grow();
    TensorId lifted(Builder &builder, TensorId value, std::map<TensorId, TensorId> &known,
                    std::size_t depth) const;
    TensorId again(Builder &builder, const Node &node, std::vector<TensorId> inputs) const;
    const Node *producer(TensorId value) const;

    const Terms &m_terms;
    const Movement &m_movement;
    TensorId m_end;
    std::map<TensorId, const Node *> m_calls; // calls to lift over, by their results
    std::map<TensorId, std::size_t> m_leaves; // other values that these calls read: number of reads
};

} // namespace graphloom::dnnfusion
