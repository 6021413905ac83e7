// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/plan_kernels.h"

#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

/// The nests of blocks; none where they are not known.
using KnownNests = IndexedVector<BlockIndex, std::optional<Result<BlockNests>>>;

/// Inputs of the graph that windows read outside of are copied to where margins are: by an Identity
/// that is a block of its own, in front. Gives the nests of what stays as it is.
Result<KnownNests> stageInputs(PlanKernels &made, const Opsets &opsets, Steps &steps)
{
    KnownNests known;
    std::set<TensorId> staged;
    for (const std::vector<NodeId> &block : made.blocks) {
        const auto &nests = *known.emplace_back(nestsOf(made.graph, opsets, block, &steps));
        if (!nests && steps.stopped())
            return stoppedError();
        if (nests)
            for (const Nest &nest : nests->nests)
                for (const NestRead &read : nest.reads) {
                    const TensorId id = nests->tensors[read.tensor].id;
                    if (read.guarded && id.valid() && made.graph.isInput(id))
                        staged.insert(id);
                }
    }
    if (staged.empty())
        return known;
    for (const BlockIndex block : made.blocks.indices())
        for (const NodeId id : made.blocks[block])
            forEachRead(made.graph.node(id), [&](TensorId tensor, std::uint32_t) {
                if (staged.contains(tensor))
                    known[block].reset(); // reads the copy
            });
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
    GL_TRY_RESULT(edited, std::move(editor).finish());
    made.graph = std::move(*edited);
    made.copies = int(copies.size());
    made.blocks.elements().insert(made.blocks.begin(), copies.begin(), copies.end());
    known.elements().insert(known.begin(), copies.size(), std::nullopt);
    return known;
}

} // namespace

Result<PlanKernels> generateKernels(const Graph &graph, const Opsets &opsets,
                                    const std::vector<std::vector<NodeId>> &parts,
                                    const GenerateOptions &options)
{
    PlanKernels made;
    const PlanKernels *const known = options.known;
    Steps own(options.stop);
    Steps &steps = options.steps ? *options.steps : own;
    KnownNests staged;
    if (known) {
        made.graph = known->graph;
        made.blocks = known->blocks;
        made.copies = known->copies;
    } else {
        made.graph = graph;
        made.blocks.elements() = parts;
        GL_TRY_RESULT(done, stageInputs(made, opsets, steps));
        staged = std::move(*done);
    }
    const std::size_t count = made.blocks.size();
    made.reasons.resize(count);
    made.kernels.resize(count);
    made.nests.resize(count);
    made.asked.resize(count);
    made.convolutions.resize(count);
    PlanNests nests(count);
    IndexedVector<BlockIndex, BlockAlgorithm> algorithms(count);
    std::set<TensorId> interpreted;
    /// Of what was asked for.
    const auto refuse = [&](BlockIndex b, Error error) {
        const PartIndex part = made.part(b);
        error.where = "block " + std::to_string(part.isValid() ? part.number() : b.number()) +
                      ", " + made.graph.node(made.blocks[b].front()).label() +
                      (error.where.empty() ? "" : ", " + error.where);
        return tl::unexpected(std::move(error));
    };
    const auto interpretBlock = [&](BlockIndex b, const std::string &reason) {
        made.reasons[b] = reason;
        made.kernels[b].reset();
        nests[b].reset();
        for (const NodeId id : made.blocks[b]) {
            const Node &node = made.graph.node(id);
            forEachRead(node, [&](TensorId tensor, std::uint32_t) { interpreted.insert(tensor); });
            interpreted.insert(node.outputs.begin(), node.outputs.end());
        }
    };
    for (const BlockIndex b : made.blocks.indices()) {
        const PartIndex part = made.part(b);
        if (part.isValid() && options.refused.contains(part)) {
            interpretBlock(b, options.refused.at(part));
            continue;
        }
        auto block = known && known->nests[b] ? Result<BlockNests>(*known->nests[b])
                     : !known && staged[b]    ? std::move(*staged[b])
                                              : nestsOf(made.graph, opsets, made.blocks[b], &steps);
        if (steps.stopped())
            return stoppedError();
        if (!block) {
            interpretBlock(b, block.error().text());
            continue;
        }
        made.nests[b] = *block;
        if (options.algorithms.contains(part)) {
            made.asked[b] = options.algorithms[part];
            auto algorithm = BlockAlgorithm::fromText(made.asked[b]);
            if (!algorithm)
                return refuse(b, algorithm.error());
            algorithms[b] = std::move(*algorithm);
        }
        if (options.target.winograd)
            for (const NestIndex n : block->nests.indices())
                if (auto costs = winogradCosts(block->nests[n], block->tensors); !costs.empty())
                    made.convolutions[b].emplace(n, std::move(costs));
        auto computed = withAlgorithms(std::move(*block), algorithms[b], options.target);
        if (!computed)
            return refuse(b, computed.error());
        nests[b] = std::move(*computed);
    }
    // What an interpreted block touches is row-major: where a block has no code, others change.
    IndexedVector<BlockIndex, BlockStorages> generatedFor(count);
    for (bool settled = false; !settled;) {
        settled = true;
        made.storages = storagesOf(made.graph, nests, interpreted, options.layouts);
        for (const BlockIndex b : nests.indices()) {
            if (!nests[b] || (made.kernels[b] && generatedFor[b] == made.storages.blocks[b]))
                continue;
            generatedFor[b] = made.storages.blocks[b];
            if (steps.stopped())
                return stoppedError();
            const PartIndex part = made.part(b);
            const bool scheduled = options.schedules.contains(part);
            if (known && !scheduled && known->kernels[b] && known->asked[b] == made.asked[b] &&
                known->storages.blocks[b] == made.storages.blocks[b]) {
                made.kernels[b] = known->kernels[b];
                continue;
            }
            auto kernel = kernelOf(*nests[b], made.storages.blocks[b],
                                   scheduled ? options.schedules[part] : NestSchedules(),
                                   options.target, algorithms[b], &steps);
            if (steps.stopped())
                return stoppedError();
            if (kernel) {
                made.kernels[b] = std::move(*kernel);
            } else if (kernel.error().kind != Error::Kind::Model) {
                return refuse(b, kernel.error());
            } else {
                interpretBlock(b, kernel.error().text());
                settled = false;
            }
            options.progress(double(b.number() + 1) / double(count));
        }
    }
    return made;
}

KernelWork workOf(const BlockKernel &kernel, PhaseIndex phase)
{
    const NestGroup &group = kernel.groups[phase];
    KernelWork work;
    std::set<BlockTensorIndex> touched;
    const auto tensorOf = [&](const NestStore &store) -> const BlockTensor & {
        return kernel.block.tensors[store.tensor];
    };
    for (const NestIndex number : group.nests()) {
        const Nest &nest = kernel.block.nests[number];
        if (nest.reduces())
            work.flops += double(nest.points(true)) * (operationsOf(nest.body) + 1);
        for (const NestRead &read : nest.reads)
            touched.insert(read.tensor);
        for (const NestStore &store : nest.stores) {
            work.flops += double(nest.points(false)) * operationsOf(store.value);
            if (store.scatters())
                work.bytes += (store.update == Combine::None ? 1 : 2) * double(nest.points(false)) *
                              double(bytesOf(tensorOf(store).type, 1));
            else
                touched.insert(store.tensor);
        }
    }
    for (const BlockTensorIndex tensor : touched) {
        const BlockTensor &of = kernel.block.tensors[tensor];
        const double bytes = double(bytesOf(of.type, std::uint64_t(of.elements())));
        (std::ranges::count(group.local, tensor) ? work.cacheBytes : work.bytes) += bytes;
    }
    return work;
}

} // namespace graphloom
