// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/plan_kernels.h"

#include "engine/codegen/winograd.h"
#include "engine/ops/stage_facts.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

/// Inputs of the graph that windows read outside of are copied to where margins are: by an Identity
/// that is a block of its own, in front.
Result<void> stageInputs(PlanKernels &made, const Opsets &opsets)
{
    std::set<TensorId> staged;
    for (const std::vector<NodeId> &block : made.blocks)
        if (const auto nests = nestsOf(made.graph, opsets, block))
            for (const Nest &nest : nests->nests)
                for (const NestRead &read : nest.reads) {
                    const TensorId id = nests->tensors[std::size_t(read.tensor)].id;
                    if (read.guarded && id.valid() && made.graph.isInput(id))
                        staged.insert(id);
                }
    if (staged.empty())
        return {};
    GraphEditor editor(made.graph);
    std::vector<std::vector<NodeId>> copies;
    for (const TensorId id : staged) {
        Tensor copy = made.graph.tensor(id);
        copy.name += " with margins";
        const TensorId to = editor.addTensor(std::move(copy));
        editor.replaceUses(id, to);
        Node node;
        node.op = "Identity";
        node.name = "copy of " + made.graph.tensor(id).name;
        node.inputs = {id};
        node.outputs = {to};
        copies.push_back({editor.addNode(std::move(node))});
    }
    auto edited = std::move(editor).finish();
    if (!edited)
        return tl::unexpected(edited.error());
    made.graph = std::move(*edited);
    made.copies = copies.size();
    made.blocks.insert(made.blocks.begin(), copies.begin(), copies.end());
    return {};
}

/// Tensors that the blocks without nests read and write.
std::set<TensorId> interpretedTensors(const PlanKernels &made,
                                      const std::vector<std::optional<BlockNests>> &nests)
{
    std::set<TensorId> tensors;
    for (std::size_t b = 0; b < nests.size(); ++b) {
        if (nests[b])
            continue;
        for (const NodeId id : made.blocks[b]) {
            const Node &node = made.graph.node(id);
            forEachRead(node, [&](TensorId tensor, std::uint32_t) { tensors.insert(tensor); });
            tensors.insert(node.outputs.begin(), node.outputs.end());
        }
    }
    return tensors;
}

} // namespace

Result<PlanKernels> generateKernels(const Graph &graph, const Opsets &opsets,
                                    const std::vector<std::vector<NodeId>> &parts,
                                    const GenerateOptions &options)
{
    PlanKernels made;
    made.graph = graph;
    made.blocks = parts;
    if (auto done = stageInputs(made, opsets); !done)
        return tl::unexpected(done.error());
    const std::size_t count = made.blocks.size();
    made.reasons.resize(count);
    std::vector<std::optional<BlockNests>> nests(count);
    for (std::size_t b = 0; b < count; ++b) {
        if (const auto part = made.part(b); part && options.refused.contains(*part)) {
            made.reasons[b] = options.refused.at(*part);
            continue;
        }
        auto block = nestsOf(made.graph, opsets, made.blocks[b]);
        if (!block) {
            made.reasons[b] = block.error().text();
            continue;
        }
        for (int n = int(block->nests.size()) - 1; n >= 0; --n)
            if (const int m = chosenWinograd(block->nests[std::size_t(n)], block->tensors))
                *block = withWinograd(*block, n, m);
        nests[b] = std::move(*block);
    }
    made.storages = storagesOf(made.graph, nests, interpretedTensors(made, nests));
    for (std::size_t b = 0; b < count; ++b) {
        options.progress(double(b) / double(count));
        made.kernels.emplace_back();
        if (!nests[b])
            continue;
        const auto part = made.part(b);
        const bool hasSchedules = part && *part < options.schedules.size();
        auto kernel = kernelOf(*nests[b], made.storages.blocks[b],
                               hasSchedules ? options.schedules[*part] : std::vector<std::string>(),
                               options.target);
        if (kernel) {
            made.kernels.back() = std::move(*kernel);
            continue;
        }
        if (!part || options.refused.contains(*part))
            return tl::unexpected(kernel.error());
        // Where tensors are depends on which blocks are interpreted, so all begins anew.
        GenerateOptions again = options;
        again.refused.emplace(*part, kernel.error().text());
        return generateKernels(graph, opsets, parts, again);
    }
    return made;
}

KernelWork workOf(const BlockKernel &kernel, std::size_t phase)
{
    const NestGroup &group = kernel.groups[phase];
    KernelWork work;
    std::set<int> touched;
    for (int n = group.first; n < group.first + group.count; ++n) {
        const Nest &nest = kernel.block.nests[std::size_t(n)];
        if (nest.reduces())
            work.flops += double(nest.points(true)) * (operationsOf(nest.body) + 1);
        for (const NestRead &read : nest.reads)
            touched.insert(read.tensor);
        for (const NestStore &store : nest.stores) {
            work.flops += double(nest.points(false)) * operationsOf(store.value);
            touched.insert(store.tensor);
        }
    }
    for (const int tensor : touched) {
        const BlockTensor &of = kernel.block.tensors[std::size_t(tensor)];
        const double bytes = double(bytesOf(of.type, std::uint64_t(of.elements())));
        (std::ranges::count(group.local, tensor) ? work.cacheBytes : work.bytes) += bytes;
    }
    return work;
}

} // namespace graphloom
