// SPDX-License-Identifier: Apache-2.0
// No legal schedule changes what a kernel computes: random ones against the interpreter.
#include "engine/codegen/emit/plan_kernels.h"
#include "engine/codegen/schedule/vectorizable.h"
#include "engine/interpreter/interpreter.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/random_graph.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::random_schedules_test {

namespace {

/// Graphs of one nest each.
std::vector<std::pair<std::string, Graph>> graphs()
{
    std::vector<std::pair<std::string, Graph>> made;
    const auto add = [&](const std::string &name, auto &&make) {
        Sketch g;
        const TensorId result = make(g);
        made.emplace_back(name, g.finish({result}));
    };
    add("product", [](Sketch &g) {
        return g.call("MatMul", {g.input("x", {13, 21}), g.randomWeight({21, 35})});
    });
    add("product of results", [](Sketch &g) {
        return g.call("MatMul", {g.input("x", {2, 5, 18}), g.input("y", {2, 18, 9})});
    });
    add("convolution", [](Sketch &g) {
        return g.call("Relu",
                      {g.call("Conv", {g.input("x", {1, 6, 9, 11}), g.randomWeight({20, 6, 3, 2})},
                              {ints("strides", {2, 1}), ints("pads", {1, 0, 2, 1})})});
    });
    add("depthwise", [](Sketch &g) {
        return g.call("Conv", {g.input("x", {1, 19, 7, 8}), g.randomWeight({19, 1, 3, 3})},
                      {ints("pads", {1, 1, 1, 1}), integer("group", 19)});
    });
    add("pooling", [](Sketch &g) {
        return g.call("MaxPool", {g.input("x", {1, 5, 11, 13})},
                      {ints("kernel_shape", {3, 3}), ints("strides", {2, 2})});
    });
    add("rows", [](Sketch &g) {
        return g.call("ReduceMax", {g.input("x", {7, 43})}, {ints("axes", {1})});
    });
    add("elements", [](Sketch &g) {
        return g.call("Add",
                      {g.call("Sigmoid", {g.input("x", {3, 10, 17})}), g.randomWeight({17})});
    });
    add("positions", [](Sketch &g) {
        return g.call("ArgMax", {g.input("x", {6, 20})}, {integer("axis", 1)});
    });
    return made;
}

/// Tiles, orders and kinds of loops by chance; legal ones only.
std::string randomSchedule(const BlockKernel &kernel, Random &random, int lanes)
{
    const Nest &nest = kernel.block.nests.front();
    Schedule schedule(nest);
    const auto must = [](const Result<void> &done) {
        if (!done)
            qFatal("%s", done.error().message.c_str());
    };
    // How often a loop runs at most.
    const auto span = [&](LoopIndex at) {
        const Loop &loop = schedule.loops()[at];
        std::int64_t most = nest.axes[loop.axis].extent;
        for (const LoopIndex outer : IndexRange(LoopIndex(0), at))
            if (schedule.loops()[outer].axis == loop.axis)
                most = std::min(most, schedule.loops()[outer].step);
        return (most + loop.step - 1) / loop.step;
    };
    for (int tiles = int(below(random, 5)); tiles > 0 && !schedule.loops().empty(); --tiles) {
        const LoopIndex at(below(random, schedule.loops().size()));
        // A tile is no larger than the one around it.
        const auto most = std::clamp<std::uint64_t>(std::uint64_t(span(at) - 1), 1, 20);
        must(schedule.tile(schedule.loops()[at].name, 1 + std::int64_t(below(random, most))));
    }
    std::vector<std::string> outer, reductions, unrolled;
    std::string vector;
    std::int64_t written = 1;
    for (const LoopIndex i : schedule.loops().indices()) {
        const Loop &loop = schedule.loops()[i];
        const bool innermost =
            std::none_of(schedule.loops().begin() + i.number() + 1, schedule.loops().end(),
                         [&](const Loop &other) { return other.axis == loop.axis; });
        const bool reduces = schedule.reduces(loop);
        if (vector.empty() && innermost && loop.step == 1 && span(i) <= lanes &&
            isVectorizable(nest, kernel.block.tensors, loop.axis) && chance(random, 0.6)) {
            vector = loop.name;
        } else if (innermost && span(i) * written <= 64 && chance(random, 0.4)) {
            written *= span(i);
            unrolled.push_back(loop.name);
        } else {
            (reduces ? reductions : outer).push_back(loop.name);
        }
    }
    std::vector<std::string> order = outer;
    order.insert(order.end(), reductions.begin(), reductions.end());
    order.insert(order.end(), unrolled.begin(), unrolled.end());
    if (!vector.empty())
        order.push_back(vector);
    must(schedule.reorder(order));
    for (std::size_t i = 0; i < outer.size() && chance(random, 0.7); ++i)
        must(schedule.parallelize(outer[i]));
    for (const std::string &name : unrolled)
        must(schedule.unroll(name));
    if (!vector.empty())
        must(schedule.vectorize(vector));
    for (const ReadIndex read : nest.reads.indices()) {
        const BlockTensor &tensor = kernel.block.tensors[nest.reads[read].tensor];
        if (tensor.role == BlockTensor::Role::Constant && schedule.isPackable(read) &&
            chance(random, 0.6)) {
            must(schedule.pack(read));
            if (chance(random, 0.5))
                must(schedule.prefetch(read, std::int64_t{64} << below(random, 10)));
            if (chance(random, 0.5))
                must(schedule.prefetchTile(read));
        }
    }
    must(schedule.check());
    return schedule.text();
}

} // namespace

class RandomSchedulesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void likeTheInterpreter_data();
    void likeTheInterpreter();
};

void RandomSchedulesTest::likeTheInterpreter_data()
{
    addInstructionSetRows();
}

void RandomSchedulesTest::likeTheInterpreter()
{
    QFETCH(int, lanes);
    KernelBatch batch(sketchOpset(""));
    for (const auto &[name, graph] : graphs()) {
        const std::vector<std::vector<NodeId>> blocks{allNodes(graph)};
        GenerateOptions options;
        options.target = targetOf(lanes);
        const auto kernels = generateKernels(graph, batch.opsets(), blocks, options);
        QVERIFY(kernels.has_value());
        const BlockKernel &kernel = *kernels->kernels.back();
        QCOMPARE(kernel.block.nests.size(), std::size_t(1));
        for (std::uint64_t seed = 1; seed <= 12; ++seed) {
            Random random(seed);
            const std::string schedule = randomSchedule(kernel, random, lanes);
            batch.add({name + ", seed " + std::to_string(seed),
                       graph,
                       *randomInputs(graph, seed),
                       blocks,
                       {{schedule}}});
        }
    }
    GRAPHLOOM_COMPILE_ONLY_UNLESS_EXECUTABLE(batch, lanes)
    const auto outcomes = batch.run(lanes);
    QVERIFY2(outcomes.has_value(), outcomes ? "" : outcomes.error().text().c_str());
    QStringList wrong;
    for (const auto &[name, outcome] : *outcomes)
        if (const std::string problem = outcome.problem(1e-5); !problem.empty())
            wrong << QString::fromStdString(name + ": " + problem);
    QVERIFY2(wrong.isEmpty(), qPrintable("\n" + wrong.join("\n")));
}

GRAPHLOOM_TESTS(RandomSchedulesTest)

} // namespace graphloom::test::random_schedules_test

#include "random_schedules_test.moc"
