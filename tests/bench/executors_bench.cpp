// SPDX-License-Identifier: Apache-2.0
// What a call takes by each of the three executors of a stage on one thread: literal loops, strips
// of elements, and generated C. Prints milliseconds, medians of several runs, and how many times
// longer than C the others take.
#include "engine/codegen/build/c_compiler.h"
#include "engine/codegen/build/kernel_cache.h"
#include "engine/interpreter/interpreter.h"
#include "engine/interpreter/stages/stage_runner.h"
#include "engine/ops/describe/stage.h"
#include "engine/runtime/executable.h"
#include "tests/support/sketch.h"

#include <QTemporaryDir>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <oneapi/tbb/task_arena.h>

using namespace graphloom;
using namespace graphloom::test;

namespace {

struct Case {
    const char *name;
    std::function<Graph()> graph; // of one node
};

double millisecondsOf(int runs, const std::function<void()> &work)
{
    std::vector<double> times;
    for (int i = 0; i < runs; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
                .count());
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
}

void measure(const Case &one, const CCompiler &compiler, KernelCache &cache)
{
    constexpr int runs = 5;
    const Graph graph = one.graph();
    const NodeId node = graph.order().front();
    const auto inputs = *randomInputs(graph, 1);
    const auto operands = operandsOf(graph, graph.node(node));
    std::vector<const TensorData *> values;
    std::size_t next = 0;
    for (const Tensor *tensor : operands)
        values.push_back(!tensor            ? nullptr
                         : tensor->constant ? &*tensor->constant
                                            : &inputs[next++]);
    const Call call(graph.node(node), operands, sketchOpset(""));
    const auto description = describe(call);
    oneapi::tbb::task_arena alone(1);
    const double literal = millisecondsOf(
        1, [&] { static_cast<void>(runStagesLiterally(*description, call, values)); });
    double strips = 0;
    alone.execute([&] {
        strips =
            millisecondsOf(runs, [&] { static_cast<void>(runStages(*description, call, values)); });
    });
    ExecutableOptions options;
    options.target = scheduleTargetOf(hostInstructionSet());
    options.compiler = &compiler;
    options.cache = &cache;
    auto executable = Executable::build(graph, sketchOpset, {{node}}, options);
    if (!executable || !(*executable)->setInputs(inputs)) {
        std::printf("%-44s cannot be compiled: %s\n", one.name,
                    executable ? "inputs" : executable.error().text().c_str());
        return;
    }
    const double compiled =
        millisecondsOf(20 * runs, [&] { static_cast<void>((*executable)->runOnce()); });
    std::printf("%-44s %10.2f %8.0f %8.2f %6.0f %8.4f\n", one.name, literal, literal / compiled,
                strips, strips / compiled, compiled);
}

} // namespace

int main()
{
    const auto unary = [](const char *op, Shape shape) {
        return [op, shape] {
            Sketch s;
            return s.finish({s.call(op, {s.input("x", shape)})});
        };
    };
    const Case cases[] = {
        {"Conv 1x64x28x28, 64x64x3x3",
         [] {
             Sketch s;
             return s.finish(
                 {s.call("Conv", {s.input("x", {1, 64, 28, 28}), s.weight({64, 64, 3, 3})})});
         }},
        {"Conv 1x96x28x28, depthwise 3x3",
         [] {
             Sketch s;
             return s.finish(
                 {s.call("Conv", {s.input("x", {1, 96, 28, 28}), s.weight({96, 1, 3, 3})},
                         {Attribute{"group", std::int64_t{96}}})});
         }},
        {"MatMul 128x256, 256x256",
         [] {
             Sketch s;
             return s.finish({s.call("MatMul", {s.input("x", {128, 256}), s.weight({256, 256})})});
         }},
        {"Relu 1x64x56x56", unary("Relu", {1, 64, 56, 56})},
        {"Erf 1x64x56x56", unary("Erf", {1, 64, 56, 56})},
        {"Softmax 12x128x128", unary("Softmax", {12, 128, 128})},
        {"Transpose 64x56x56", unary("Transpose", {64, 56, 56})},
    };
    const auto compiler = findCCompiler();
    if (!compiler) {
        std::fprintf(stderr, "%s\n", compiler.error().text().c_str());
        return 1;
    }
    const QTemporaryDir folder;
    KernelCache cache(folder.path().toStdString(), std::uint64_t{1} << 30);
    std::printf("%-44s %10s %8s %8s %6s %8s\n", "", "literal ms", "times C", "strips", "times C",
                "C");
    for (const Case &one : cases)
        measure(one, *compiler, cache);
}
