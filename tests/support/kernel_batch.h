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

/// A small graph that is compiled, run and compared with the interpreter.
struct KernelCase {
    std::string name;
    Graph graph;
    std::vector<TensorData> inputs;
    std::vector<std::vector<NodeId>> blocks; // empty: each node by itself
    /// Of the nests of each block, where they are not the default ones.
    std::vector<std::vector<std::string>> schedules = {};
    std::vector<std::string> algorithms = {}; // of each block, where they are not as estimated
};

/// Each node by itself.
std::vector<std::vector<NodeId>> nodeBlocks(const Graph &graph);
/// All nodes in one block.
std::vector<NodeId> allNodes(const Graph &graph);

/// What became of one of them.
struct KernelOutcome {
    std::vector<TensorData> outputs, expected;
    std::string error;                // of the interpreter
    std::vector<std::string> reasons; // why blocks were interpreted
    std::string formulas;             // of the nests, with their schedules

    /// Greatest error of all outputs, relative to their scale.
    double relativeError() const;
    /// Where the outputs differ most; empty when equal.
    std::string difference() const;
    /// What keeps this from being a comparison of kernels with the interpreter: its error, or why
    /// blocks were interpreted; or the difference, where the relative error is above the tolerance.
    /// Empty when good.
    std::string problem(double tolerance) const;
};

/// Compiles many small graphs at once, side by side in one graph, since starting a compiler takes
/// longer than they do. All follow one opset, whatever the domain.
class KernelBatch {
public:
    explicit KernelBatch(std::int64_t opset = newestOpset) : m_opset(opset) {}

    void add(KernelCase one) { m_cases.push_back(std::move(one)); }
    std::size_t size() const { return m_cases.size(); }
    const KernelCase &operator[](std::size_t i) const { return m_cases[i]; }
    Opsets opsets() const;

    /// Tensors between blocks are channels first or last as it happens from now on, as a plan may
    /// have chosen; without a seed as kernels like it.
    void mixLayouts(std::optional<std::uint64_t> seed) { m_layoutSeed = seed; }
    /// By name. Cases that the interpreter refuses are not compiled. Fails as Executable does.
    /// All kernels have to run here: whyNotRun() (instruction_sets.h) says whether they can.
    Result<std::map<std::string, KernelOutcome>>
    run(int lanes, unsigned threads = 1, const std::vector<std::string> &flags = {"-O1"});

    /// Compiles what run() would run.
    Result<void> compile(int lanes, const std::vector<std::string> &flags = {"-O1"});

private:
    void interpretAll();

    std::int64_t m_opset;
    std::vector<KernelCase> m_cases;
    std::optional<std::uint64_t> m_layoutSeed;
    std::map<std::string, KernelOutcome> m_expected; // by the interpreter, computed once
    QTemporaryDir m_folder;
};

/// Compiles the kernels as if they were to run.
Result<void> compile(const PlanKernels &kernels, int lanes,
                     const std::vector<std::string> &flags = {"-O1"});

/// A machine with such vectors.
inline ScheduleTarget targetOf(int lanes, int threads = 1)
{
    return scheduleTargetOf(*findInstructionSet(lanes), threads);
}

} // namespace graphloom::test

/// Ends a test function whose kernels, of a KernelBatch, cannot run here: they are compiled, and
/// that is said.
#define GRAPHLOOM_COMPILE_ONLY_UNLESS_EXECUTABLE(batch, lanes)                                     \
    if (const std::string reason = graphloom::test::whyNotRun(lanes); !reason.empty()) {           \
        const auto compiled = (batch).compile(lanes);                                              \
        QVERIFY2(compiled, compiled ? "" : compiled.error().text().c_str());                       \
        QSKIP(reason.c_str());                                                                     \
    }
