// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/storage/parts_in_place.h"

#include "engine/interpreter/interpreter.h"
#include "engine/runtime/execution_plan.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>

namespace graphloom::test::parts_in_place_test {

using graphloom::test::integer;
using graphloom::test::ints;
using graphloom::test::Sketch;

namespace {

PlanKernels kernelsOf(const Graph &graph)
{
    GenerateOptions options;
    options.target = {8, 16, 1};
    auto made =
        generateKernels(graph, test::KernelBatch().opsets(), test::nodeBlocks(graph), options);
    if (!made)
        qFatal("%s", made.error().text().c_str());
    return std::move(*made);
}

TensorId pointwise(Sketch &g, TensorId x, std::int64_t from, std::int64_t to)
{
    return g.call("Conv", {x, g.randomWeight({to, from, 1, 1})});
}

TensorId concat(Sketch &g, std::vector<TensorId> parts)
{
    return g.call("Concat", std::move(parts), {integer("axis", 1)});
}

/// Two convolutions side by side whose results a third one reads as one tensor.
struct Module {
    Graph graph;
    TensorId left, right, both;
};
Module module()
{
    Module made;
    Sketch g;
    const TensorId x = pointwise(g, g.input("x", {1, 8, 6, 5}), 8, 16);
    made.left = pointwise(g, x, 16, 24);
    made.right = pointwise(g, x, 16, 8);
    made.both = concat(g, {made.left, made.right});
    made.graph = g.finish({pointwise(g, made.both, 32, 8)});
    return made;
}

/// A convolution whose result a later one needs after most bytes were alive, as in a U-Net.
Graph longSkip()
{
    Sketch g;
    const TensorId skip = pointwise(g, g.input("x", {1, 8, 6, 5}), 8, 32);
    const TensorId wide = pointwise(g, pointwise(g, skip, 32, 128), 128, 128);
    return g.finish({pointwise(g, concat(g, {skip, pointwise(g, wide, 128, 32)}), 64, 8)});
}

/// Graphs in which parts are placed, some of them next to what must not be.
std::vector<std::pair<std::string, Graph>> graphs()
{
    std::vector<std::pair<std::string, Graph>> list;
    list.emplace_back("module", module().graph);
    list.emplace_back("long skip", longSkip());
    {
        Sketch g; // each module reads what all before it have made
        TensorId all = pointwise(g, g.input("x", {1, 8, 6, 5}), 8, 16);
        for (std::int64_t from = 16; from < 40; from += 8)
            all = concat(g, {all, pointwise(g, all, from, 8)});
        list.emplace_back("parts of parts", g.finish({pointwise(g, all, 40, 8)}));
    }
    {
        Sketch g; // the window reads outside of what is joined
        const TensorId x = pointwise(g, g.input("x", {1, 8, 6, 5}), 8, 8);
        const TensorId both = concat(g, {pointwise(g, x, 8, 8), pointwise(g, x, 8, 8)});
        list.emplace_back("margins", g.finish({g.conv(both, 16, 8)}));
    }
    {
        Sketch g; // the same tensor twice, in two larger ones, and read by another window
        const TensorId x = pointwise(g, g.input("x", {1, 8, 6, 5}), 8, 8);
        const TensorId part = pointwise(g, x, 8, 8);
        const TensorId twice = concat(g, {part, part}), other = concat(g, {part, x});
        const TensorId sum =
            g.call("Add", {pointwise(g, twice, 16, 8), pointwise(g, other, 16, 8)});
        list.emplace_back("several uses", g.finish({g.call("Add", {sum, g.conv(part, 8, 8)})}));
    }
    {
        Sketch g; // outputs of the graph
        const TensorId x = pointwise(g, g.input("x", {1, 8, 6, 5}), 8, 8);
        const TensorId part = pointwise(g, x, 8, 8);
        list.emplace_back("outputs", g.finish({part, concat(g, {part, pointwise(g, x, 8, 8)})}));
    }
    {
        Sketch g; // a copy that is changed afterwards, while others still read what was copied
        const TensorId x = pointwise(g, g.input("x", {1, 8, 6, 5}), 8, 8);
        const TensorId data = pointwise(g, x, 8, 8);
        const TensorId changed =
            g.call("ScatterND", {data, g.constant(test::int64s({1, 2}, {0, 3})),
                                 g.randomWeight({1, 6, 5})});
        list.emplace_back("changed copies", g.finish({g.call("Add", {pointwise(g, changed, 8, 8),
                                                                     pointwise(g, data, 8, 8)})}));
    }
    {
        Sketch g; // rows, the outermost dimension in memory
        const TensorId x = pointwise(g, g.input("x", {1, 8, 6, 5}), 8, 8);
        const TensorId rows =
            g.call("Concat", {pointwise(g, x, 8, 8), pointwise(g, x, 8, 8)}, {integer("axis", 2)});
        list.emplace_back("rows", g.finish({pointwise(g, rows, 8, 8)}));
    }
    return list;
}

} // namespace

class PartsInPlaceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operandsOfConcatAreWrittenWhereTheyBelong();
    void nothingIsCopied();
    void theLargerTensorHasTheMemory();
    void longSkipsStayOnTheirOwn();
    void someoneFillsTheMargins();
    void resultsAreThoseOfTheInterpreter();
};

void PartsInPlaceTest::operandsOfConcatAreWrittenWhereTheyBelong()
{
    const Module of = module();
    const auto storages = kernelsOf(of.graph).storages.tensors;
    const Storage &whole = storages.at(of.both), &right = storages.at(of.right);
    QCOMPARE(right.strides, whole.strides);
    QCOMPARE(right.base, whole.base + 24); // channels last
    QCOMPARE(storages.at(of.left).base, whole.base);
}

void PartsInPlaceTest::nothingIsCopied()
{
    const PlanKernels kernels = kernelsOf(module().graph);
    for (const BlockIndex block : kernels.given())
        if (kernels.graph.node(kernels.blocks[block].front()).op == "Concat")
            for (const BlockKernel::Phase &phase : kernels.kernels[block]->phases)
                QCOMPARE(phase.tasks, 0);
}

void PartsInPlaceTest::theLargerTensorHasTheMemory()
{
    const Module of = module();
    const auto plan = executionPlanOf(kernelsOf(of.graph), {});
    QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
    const auto has = [&](TensorId tensor) {
        return std::ranges::count(plan->arena, tensor, &ExecutionPlan::ArenaTensor::tensor);
    };
    QCOMPARE(has(of.left) + has(of.right), 0);
    QCOMPARE(has(of.both), 1);
}

void PartsInPlaceTest::longSkipsStayOnTheirOwn()
{
    const PlanKernels kernels = kernelsOf(longSkip());
    const NodeId first = kernels.blocks[kernels.firstGiven()].front();
    QVERIFY(!kernels.storages.parts.contains(kernels.graph.node(first).outputs[0]));
}

void PartsInPlaceTest::someoneFillsTheMargins()
{
    for (const auto &[name, graph] : graphs()) {
        const PlanKernels kernels = kernelsOf(graph);
        for (const BlockIndex block : kernels.given()) {
            const BlockKernel &kernel = *kernels.kernels[block];
            for (const NestIndex nest : kernel.block.inPlace) {
                const BlockTensorIndex whole = kernel.block.nests[nest].stores.front().tensor;
                const bool isFilled =
                    std::ranges::any_of(kernel.block.nests.indices(), [&](NestIndex other) {
                        return !kernel.block.inPlace.contains(other) &&
                               kernel.block.nests[other].stores.front().tensor == whole;
                    });
                QVERIFY2(isFilled || kernel.storages[whole].margins.empty(), name.c_str());
            }
        }
    }
}

void PartsInPlaceTest::resultsAreThoseOfTheInterpreter()
{
    constexpr int lanes = 8;
    KernelBatch batch;
    for (auto &[name, graph] : graphs()) {
        auto inputs = *randomInputs(graph, 3);
        batch.add({name, std::move(graph), std::move(inputs), {}});
    }
    GRAPHLOOM_COMPILE_ONLY_UNLESS_EXECUTABLE(batch, lanes);
    const auto outcomes = batch.run(lanes, 2);
    QVERIFY2(outcomes, outcomes ? "" : outcomes.error().text().c_str());
    for (const auto &[name, outcome] : *outcomes)
        QVERIFY2(outcome.problem(1e-5).empty(), (name + ": " + outcome.problem(1e-5)).c_str());
}

GRAPHLOOM_TESTS(PartsInPlaceTest)

} // namespace graphloom::test::parts_in_place_test

#include "parts_in_place_test.moc"
