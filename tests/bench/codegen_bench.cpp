// SPDX-License-Identifier: Apache-2.0
// What the kernel of one block takes to be generated, by how many operators the block has: seconds,
// steps (terms, parts and values looked at; engine/base/steps.h), the most of them between two
// questions whether to stop, and letters of code.
//
//     codegen_bench [--runs N] [--most OPERATORS]
#include "engine/codegen/emit/plan_kernels.h"
#include "tests/bench/bench_options.h"
#include "tests/support/grown_blocks.h"
#include "tests/support/kernel_batch.h"
#include "tests/support/sketch.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

using namespace graphloom;
using namespace graphloom::test;

namespace {

/// Prints one line; false when there is no kernel.
bool measureBlock(const char *name, const Graph &graph, int runs)
{
    std::vector<double> seconds;
    Steps steps;
    std::size_t letters = 0, nests = 0, stored = 0;
    for (int run = 0; run < runs; ++run) {
        steps = Steps();
        GenerateOptions options;
        options.target = targetOf(8);
        options.steps = &steps;
        const auto start = std::chrono::steady_clock::now();
        const auto made = generateKernels(graph, sketchOpset, {allNodes(graph)}, options);
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (!made || !made->kernels.back()) {
            std::printf("%s: %s\n", name,
                        (made ? made->reasons.back() : made.error().text()).c_str());
            return false;
        }
        const BlockKernel &kernel = *made->kernels.back();
        letters = 0;
        for (const BlockKernel::Phase &phase : kernel.phases)
            letters += phase.code.size();
        nests = kernel.block.nests.size();
        stored = kernel.block.stored.size();
    }
    std::ranges::sort(seconds);
    const auto operators = double(graph.nodeCount());
    std::printf("%-18s %5zu operators %9.3f ms min %9.3f median %8.1f steps each %7llu longest "
                "%8.1f letters each %4zu nests %4zu stored\n",
                name, graph.nodeCount(), 1e3 * seconds.front(), 1e3 * seconds[seconds.size() / 2],
                double(steps.total()) / operators, static_cast<unsigned long long>(steps.longest()),
                double(letters) / operators, nests, stored);
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    int runs = 3, most = 500;
    if (!bench::readOptions(argc, argv, {{"--runs", &runs}, {"--most", &most}}) || runs < 1) {
        std::printf("usage: codegen_bench [--runs N] [--most OPERATORS]\n");
        return 2;
    }
    bool good = true;
    const auto all = [&](const char *name, const auto &make) {
        for (const int operators : {10, 20, 50, 100, 200, 500})
            if (operators <= most)
                good = measureBlock(name, make(operators), runs) && good;
    };
    for (const GrownBlock &block : grownBlocks())
        all(block.name, block.make);
    all("movements", [](int operators) { return movementChain(1, operators); });
    all("indices", [](int operators) { return indexChain(1, operators); });
    return good ? 0 : 1;
}
