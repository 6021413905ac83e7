// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/builder.h"

#include <map>
#include <set>

namespace graphloom::dnnfusion {

/// How elements of values of one shape are moved: by a transpose, or a reshape.
class Movement {
public:
    virtual ~Movement() = default;
    /// Does the call move its first input the other way?
    virtual bool undoes(const Terms &terms, const Node &call) const = 0;
    /// Values that are broadcast to those that are moved: what they are behind the movement, which
    /// may be themselves or, of constants, another constant.
    virtual bool canCarry(const Tensor &value) const = 0;
    virtual TensorId carried(Builder &builder, TensorId value) const = 0;
    /// Values that can be moved, by a call.
    virtual bool canMove(const Tensor &value) const = 0;
    virtual TensorId moved(Builder &builder, TensorId value) const = 0;
};

/// Takes a movement upstream through elementwise calls whose results nobody else reads, to where
/// movements that undo it meet it.
class Lifting {
public:
    /// Of a movement that alone reads the value.
    Lifting(const Terms &terms, const Movement &movement, TensorId value);

    /// Movements less for it, the one at the end left out; none where it cannot be done.
    std::optional<int> gain() const;
    /// The moved value, made of what is upstream. Requires a gain.
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
    std::map<TensorId, const Node *> m_calls; // that are lifted over, by what they give
    std::map<TensorId, std::size_t> m_leaves; // what they read besides: how often
};

} // namespace graphloom::dnnfusion
