// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/interpreter.h"

#include <memory>

namespace graphloom {

/// An `Interpretation` is a run of a graph that goes node by node, so that two of them can go side
/// by side. interpretValues() goes through one to its end.
class Interpretation {
public:
    /// Begins a run. Fails as interpretValues() does if the inputs are not those that the graph
    /// declares.
    static Result<Interpretation> of(const Graph &graph, const Opsets &opsets,
                                     const std::vector<DataValue> &inputs,
                                     const InterpreterOptions &options = {});
    Interpretation(Interpretation &&) noexcept;
    Interpretation &operator=(Interpretation &&) noexcept;
    ~Interpretation();

    bool isAtEnd() const;
    /// Returns the node that runs next. Requires !isAtEnd(); so does step().
    NodeId next() const;
    /// Runs the next node. After an error the run cannot go on.
    Result<void> step();
    /// Returns the values of the graph's outputs. Requires isAtEnd().
    Result<std::vector<DataValue>> outputs();

private:
    struct Run;
    explicit Interpretation(std::unique_ptr<Run> run);
    std::unique_ptr<Run> m_run;
};

} // namespace graphloom
