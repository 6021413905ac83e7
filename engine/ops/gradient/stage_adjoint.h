// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/gradient/adjoint_builder.h"

#include <optional>
#include <vector>

namespace graphloom {

/// Computes the gradients that flow back through one stage of a call: from the gradient of the
/// value that it writes to the elements that it reads.
class StageAdjoint {
public:
    /// Prepares the adjoint of stage `number`. `slope` is the derivative of the stage's result,
    /// over result(), if the table has one.
    StageAdjoint(AdjointBuilder &builder, int number, const Operand &gradient,
                 std::optional<Expr> slope);

    /// Returns the expression that stands for the result of a stage in a slope.
    static Expr result(const Description &description, int number);

    /// Returns the gradients that flow into the elements that a read loads. Fails (Model) if a
    /// function has no derivative.
    Result<std::vector<Scatter>> into(int read);
    /// Returns the gradient of the value before a stage that overwrites some of it.
    Result<Operand> beforeOverwriting();

private:
    int add(const Operand &operand);
    Result<void> prepare();
    Result<void> throughFinish();
    int accumulated();
    Expr loadAccumulated();
    void shareTies();
    void findOthers();
    Expr countOf(const Expr &test, const char *name);
    int gatherAgain(const char *name, Combine combine, double initial, Expr body, DataType type);
    Expr storedGradient(const Expr &gradient);
    std::optional<Expr> slopeOf(const Expr &part, int read) const;
    Expr slopeThroughCombination(const Expr &slope) const;
    Scatter scatterOf(int read, std::vector<Axis> axes, Expr factor) const;
    std::vector<Axis> spaceAxes() const;
    bool reduces() const;
    tl::unexpected<Error> refuse() const;

    AdjointBuilder &m_builder;
    const Stage &m_stage;
    int m_number;
    std::optional<Expr> m_slope;
    std::vector<Read> m_reads; // the stage's, then what the gradient needs
    Expr m_incoming;           // gradient of the result
    Expr m_gathered;           // gradient of what the reduction gathers
    Expr m_extreme, m_others;  // of a maximum: its elements; of a product: the other factors
    int m_accumulated = -1;    // read
    bool m_isPrepared = false;
};

/// Returns a scatter that copies an operand.
Scatter copyOf(const Operand &operand, const Shape &shape, DataType type);

} // namespace graphloom
