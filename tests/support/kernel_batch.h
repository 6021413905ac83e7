// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/schedule_target.h"
#include "engine/interpreter/compare.h"
#include "engine/ops/upgrade/upgrade.h"
#include "engine/runtime/executable.h"
#include "tests/support/instruction_sets.h"

#include <QTemporaryDir>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace graphloom::test {

/// Holds a small graph that is compiled, run and compared with the interpreter.
struct KernelCase {
    std::string name;
    Graph graph;
    std::vector<TensorData> inputs;
    std::vector<std::vector<NodeId>> blocks; // empty: one for each node
    PartSchedules schedules = {};
    PartAlgorithms algorithms = {};
};

/// Returns a block for each node.
std::vector<std::vector<NodeId>> nodeBlocks(const Graph &graph);
/// Returns all nodes, as one block.
std::vector<NodeId> allNodes(const Graph &graph);

/// Holds the outcome of a KernelCase.
struct KernelOutcome {
    std::vector<TensorData> outputs, expected;
    std::string error;                // of the interpreter
    std::vector<std::string> reasons; // why blocks were interpreted
    std::string formulas;             // of the nests, with their schedules

    /// Returns the greatest error of all outputs, relative to their scale.
    double relativeError() const;
    /// Returns where the outputs differ most, or an empty string if they are equal.
    std::string difference() const;
    /// Returns the reason why the kernels do not agree with the interpreter, or were not compared
    /// with it: its error, the reason why blocks were interpreted, or the difference if the
    /// relative error is above the tolerance. Returns an empty string if they agree.
    std::string problem(double tolerance) const;
};

/// Compiles many small graphs at once, side by side in one graph, because starting a compiler takes
/// longer than compiling them. All use one opset, whatever the domain.
class KernelBatch {
public:
    explicit KernelBatch(std::int64_t opset = newestOpset) : m_opset(opset) {}

    void add(KernelCase one) { m_cases.push_back(std::move(one)); }
    std::size_t size() const { return m_cases.size(); }
    const KernelCase &operator[](std::size_t i) const { return m_cases[i]; }
    Opsets opsets() const;

    /// Chooses at random whether tensors between the following blocks are channels first or last,
    /// as a plan may have chosen. Without a seed the kernels choose.
    void mixLayouts(std::optional<std::uint64_t> seed) { m_layoutSeed = seed; }
    /// Runs the cases and returns their outcomes by name. Cases that the interpreter refuses are
    /// not compiled. Fails as Executable does. All kernels have to run here: whyNotRun()
    /// (instruction_sets.h) tells whether they can.
    Result<std::map<std::string, KernelOutcome>>
    run(int lanes, unsigned threads = 1, const std::vector<std::string> &flags = {"-O0"});

    /// Compiles the kernels that run() would run.
    Result<void> compile(int lanes, const std::vector<std::string> &flags = {"-O0"});

private:
    void interpretAll();

    std::int64_t m_opset;
    std::vector<KernelCase> m_cases;
    std::optional<std::uint64_t> m_layoutSeed;
    std::map<std::string, KernelOutcome> m_expected; // of the interpreter, computed once
    QTemporaryDir m_folder;
};

/// Compiles the kernels as for a run.
Result<void> compile(const PlanKernels &kernels, int lanes,
                     const std::vector<std::string> &flags = {"-O0"});

/// Returns a machine with such vectors.
inline ScheduleTarget targetOf(int lanes, int threads = 1)
{
    return scheduleTargetOf(*findInstructionSet(lanes), threads);
}

} // namespace graphloom::test

/// Ends a test function if the kernels of its KernelBatch cannot run here: they are compiled, and
/// the test is skipped with the reason.
#define GRAPHLOOM_COMPILE_ONLY_UNLESS_EXECUTABLE(batch, lanes)                                     \
    if (const std::string reason = graphloom::test::whyNotRun(lanes); !reason.empty()) {           \
        const auto compiled = (batch).compile(lanes);                                              \
        QVERIFY2(compiled, compiled ? "" : compiled.error().text().c_str());                       \
        QSKIP(reason.c_str());                                                                     \
    }
