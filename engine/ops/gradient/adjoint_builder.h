// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"
#include "engine/ops/gradient/scatter.h"

#include <map>
#include <vector>

namespace graphloom {

/// The gradient by one input of an operator call, under construction: a description whose inputs
/// are the call's inputs, then its outputs, then the gradients of its outputs. Value 0 is the
/// gradient.
class AdjointBuilder {
public:
    /// `given`: of which outputs the gradient is given. All must outlive the builder.
    AdjointBuilder(const Call &call, const Description &description, int input,
                   const std::vector<bool> &given);

    const Call &call() const { return m_call; }
    const Description &description() const { return m_description; }
    int input() const { return m_input; } // by which the gradient is
    bool isGiven(int output) const;
    /// Does the call give this output, so that it can be read?
    bool hasOutput(int output) const;

    static Operand inputOf(int number) { return {Operand::Kind::Input, number}; }
    Operand output(int number) const;
    Operand gradientOf(int output) const;
    /// A value of the forward call: its output, or the stages that compute it once more. With
    /// `before`, what it is before that stage of the call overwrites some of it.
    Operand forward(int value);
    Operand forwardBefore(int value, int before);
    /// The operand as this description has it.
    Operand forward(const Operand &operand);

    Shape shapeOf(const Operand &operand) const;
    DataType typeOf(const Operand &operand) const;

    int addValue(DataType type, Shape shape);
    /// Stages are added behind those that they read.
    void add(Stage stage);
    /// Adds a scatter, seen from where it goes to; all elements of `value` are written.
    void gather(const Scatter &scatter, int value);
    /// The sum of several scatters into one value.
    void gather(const std::vector<Scatter> &scatters, int value);

    /// Without reads and values that nothing needs. None where nothing writes the gradient.
    std::optional<Description> finish() &&;

private:
    std::vector<Stage> stagesOf(const Scatter &scatter, const Shape &shape);
    /// Adds a scatter to where data say; false where it is none.
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
