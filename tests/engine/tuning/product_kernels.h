// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/plan_kernels.h"
#include "tests/support/graph_maker.h"
#include "tests/support/kernel_batch.h"

#include <QTest>

namespace graphloom::test {

/// Two equal matrix products and a third.
inline Graph products()
{
    test::GraphMaker make;
    const TensorId x = make.input("x", {24, 32});
    std::vector<float> weights;
    for (int i = 0; i < 32 * 32; ++i)
        weights.push_back(float(i % 17) / 17);
    const TensorId a = make.constant("a", test::floats({32, 32}, weights));
    const TensorId b =
        make.constant("b", test::floats({32, 24}, {weights.begin(), weights.begin() + 32 * 24}));
    const TensorId y = make.call("MatMul", {x, a}, {24, 32});
    const TensorId z = make.call("MatMul", {y, a}, {24, 32});
    return make.finish({make.call("MatMul", {z, b}, {24, 24})});
}

/// Each of them as a kernel, for the tested instruction set.
class ProductKernels {
public:
    ProductKernels() : graph(products()), target(scheduleTargetOf(testedSet()))
    {
        GenerateOptions options;
        options.target = target;
        auto made = generateKernels(graph, KernelBatch().opsets(), nodeBlocks(graph), options);
        if (!made)
            qFatal("%s", made.error().text().c_str());
        kernels = *std::move(made);
    }
    const BlockKernel &first() const { return *kernels.kernels.front(); }

    /// Sets the compiler with which the kernels can be run here. Where that is not possible, skips
    /// the test, after compiling them if there is a compiler.
    void findCompiler(std::optional<CCompiler> &found) const
    {
        const auto compiler = findCCompiler();
        if (!compiler)
            QSKIP("needs gcc or clang");
        if (const std::string reason = whyNotRun(); !reason.empty()) {
            const auto compiled = compile(kernels, target.lanes);
            QVERIFY2(compiled, compiled ? "" : compiled.error().text().c_str());
            QSKIP(reason.c_str());
        }
        found = *compiler;
    }

    Graph graph;
    ScheduleTarget target;
    PlanKernels kernels;
};

} // namespace graphloom::test
