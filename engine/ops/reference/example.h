// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ops/describe/operator_table.h"

#include <string_view>
#include <vector>

namespace graphloom {

/// Holds a typical call of an operator. The operator table writes it down for places that describe
/// the operator without a model: lists, help, tests. It consists of words, separated by blanks:
///
///     [2,8,6,6]  int64[3]  bool[]     an input of this element type (float) and shape
///     w[4,8,3,3]                      a constant of floats
///     (1,-1)  (0.5,2)  (3)            a constant list of int64 or float; (=3) a scalar
///     seq[2,8]  optional[2,8]         a sequence or an optional of float tensors
///     _                               an omitted input
///     axis=1  pads=1,1,1,1  mode=linear  alpha=0.5  axes=1,   attributes; a comma makes a list
///     body={2,1}                      a nested graph with this many inputs and outputs
///     ->2                             the number of outputs (1)
///
/// Without any input among its words, an operator takes as many inputs [2,8,6,6] as it needs, and
/// two if it takes any number.
class ExampleCall {
public:
    /// Returns the example of an entry of the table. Fails (Fault) if it cannot be read.
    static Result<ExampleCall> of(const Operator &entry);

    /// Returns the call, which is valid as long as the example.
    Call call() const;
    /// Tells, by input, whether it is a constant.
    std::vector<bool> constants() const;
    const Node &node() const { return m_node; }
    const std::vector<Tensor> &inputs() const { return m_tensors; }

private:
    Result<void> read(std::string_view word);
    void addInput(Tensor tensor);
    void leaveInputOut();

    Node m_node;
    std::vector<Tensor> m_tensors; // the inputs; empty where one is left out
    std::int64_t m_opset = 1;
};

} // namespace graphloom
