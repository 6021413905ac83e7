// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"
#include "engine/ops/gradient/scatter.h"

#include <map>
#include <vector>

namespace graphloom {

/// Builds the gradient with respect to one input of an operator call: a description whose inputs
/// are the call's inputs, then its outputs, then the gradients of its outputs. Value 0 is the
/// gradient.
class AdjointBuilder {
public:
    /// Starts an empty gradient. `given` tells, by output, whether its gradient is given. All
    /// arguments must outlive the builder.
    AdjointBuilder(const Call &call, const Description &description, int input,
                   const std::vector<bool> &given);

    const Call &call() const { return m_call; }
    const Description &description() const { return m_description; }
    int input() const { return m_input; } // of the gradient
    bool isGiven(int output) const;
    /// Tells whether the call has this output, so that it can be read.
    bool hasOutput(int output) const;

    static Operand inputOf(int number) { return {Operand::Kind::Input, number}; }
    Operand output(int number) const;
    Operand gradientOf(int output) const;
    /// Returns a value of the forward call: its output, or the result of stages that compute it
    /// once more. With `before`, it is the value before that stage of the call overwrites some of
    /// it.
    Operand forward(int value);
    Operand forwardBefore(int value, int before);
    /// Returns the operand of the forward call as an operand of this description.
    Operand forward(const Operand &operand);

    Shape shapeOf(const Operand &operand) const;
    DataType typeOf(const Operand &operand) const;

    int addValue(DataType type, Shape shape);
    /// Adds a stage, after those that it reads.
    void add(Stage stage);
    /// Adds a scatter as stages that write all elements of `value`.
    void gather(const Scatter &scatter, int value);
    /// Adds the sum of several scatters into one value.
    void gather(const std::vector<Scatter> &scatters, int value);

    /// Returns the description without reads and values that nothing needs, or nothing if no stage
    /// writes the gradient.
    std::optional<Description> finish() &&;

private:
    std::vector<Stage> stagesOf(const Scatter &scatter, const Shape &shape);
    /// Adds a scatter to positions that depend on data. Returns false if it is not such a scatter.
    bool accumulate(const Scatter &scatter, int value);
    int recompute(int value, int before);

    const Call &m_call;
    const Description &m_description;
    int m_input;
    const std::vector<bool> &m_given;
    Description m_built;
    std::map<std::pair<int, int>, int> m_recomputed; // by value and stage
};

} // namespace graphloom
