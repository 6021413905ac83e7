// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/plan_kernels.h"

#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

/// Holds the nests of each block, or none if they are not known.
using KnownNests = IndexedVector<BlockIndex, std::optional<Result<BlockNests>>>;

/// Copies graph inputs that windows read outside of, as a copy can have margins: by Identity nodes,
/// each a block of its own in front. Returns the nests of the unchanged blocks.
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
                    known[block].reset(); // it reads the copy
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

/// Generates the kernels of one plan.
class KernelGenerator {
public:
    KernelGenerator(const Opsets &opsets, const GenerateOptions &options)
        : m_opsets(opsets), m_options(options), m_known(options.known), m_own(options.stop),
          m_steps(options.steps ? *options.steps : m_own)
    {
    }

    Result<PlanKernels> run(const Graph &graph, const std::vector<std::vector<NodeId>> &parts)
    {
        GL_TRY(takeBlocks(graph, parts));
        for (const BlockIndex b : m_made.blocks.indices())
            GL_TRY(findNests(b));
        GL_TRY(settleKernels());
        return std::move(m_made);
    }

private:
    Result<void> takeBlocks(const Graph &graph, const std::vector<std::vector<NodeId>> &parts);
    Result<void> findNests(BlockIndex b);
    /// Applies the algorithms requested for a block, or else those estimated to be the fastest.
    Result<void> chooseAlgorithms(BlockIndex b, BlockNests &&block);
    Result<void> settleKernels();
    /// Generates the kernel of a block for its current storages.
    Result<void> generate(BlockIndex b);
    bool isWanted(BlockIndex b) const
    {
        return !m_options.only || m_options.only->contains(m_made.part(b));
    }
    void interpret(BlockIndex b, const std::string &reason);
    /// Returns the error of a request that cannot be met, with the block's name.
    tl::unexpected<Error> refusal(BlockIndex b, Error error) const;

    const Opsets &m_opsets;
    const GenerateOptions &m_options;
    const PlanKernels *m_known;
    IndexedVector<BlockIndex, BlockIndex> m_knownOf; // the same blocks there; invalid: none
    Steps m_own;
    Steps &m_steps;
    PlanKernels m_made;
    KnownNests m_staged;
    PlanNests m_nests; // with the algorithms applied
    IndexedVector<BlockIndex, BlockAlgorithm> m_algorithms;
    std::set<TensorId> m_interpreted; // tensors that interpreted blocks touch
};

Result<void> KernelGenerator::takeBlocks(const Graph &graph,
                                         const std::vector<std::vector<NodeId>> &parts)
{
    if (m_known) {
        // Blocks that are joined otherwise read outside of the same inputs.
        m_made.graph = m_known->graph;
        m_made.copies = m_known->copies;
        m_made.blocks.elements().assign(m_known->blocks.begin(),
                                        m_known->blocks.begin() + m_made.copies);
        m_made.blocks.elements().insert(m_made.blocks.end(), parts.begin(), parts.end());
        std::map<std::vector<NodeId>, BlockIndex> byNodes;
        for (const BlockIndex b : m_known->blocks.indices())
            byNodes.emplace(m_known->blocks[b], b);
        for (const std::vector<NodeId> &block : m_made.blocks) {
            const auto known = byNodes.find(block);
            m_knownOf.push_back(known == byNodes.end() ? BlockIndex() : known->second);
        }
    } else {
        m_made.graph = graph;
        m_made.blocks.elements() = parts;
        GL_TRY_RESULT(done, stageInputs(m_made, m_opsets, m_steps));
        m_staged = std::move(*done);
    }
    const std::size_t count = m_made.blocks.size();
    m_made.reasons.resize(count);
    m_made.kernels.resize(count);
    m_made.nests.resize(count);
    m_made.asked.resize(count);
    m_made.askedSchedules.resize(count);
    m_knownOf.resize(count);
    m_made.convolutions.resize(count);
    m_nests.resize(count);
    m_algorithms.resize(count);
    return {};
}

Result<void> KernelGenerator::findNests(BlockIndex b)
{
    const PartIndex part = m_made.part(b);
    if (part.isValid() && m_options.refused.contains(part)) {
        interpret(b, m_options.refused.at(part));
        return {};
    }
    const BlockIndex known = m_knownOf[b];
    auto block =
        known.isValid() && m_known->nests[known] ? Result<BlockNests>(*m_known->nests[known])
        : !m_known && m_staged[b]                ? std::move(*m_staged[b])
                                  : nestsOf(m_made.graph, m_opsets, m_made.blocks[b], &m_steps);
    if (m_steps.stopped())
        return stoppedError();
    if (!block) {
        interpret(b, block.error().text());
        return {};
    }
    m_made.nests[b] = *block;
    return chooseAlgorithms(b, std::move(*block));
}

Result<void> KernelGenerator::chooseAlgorithms(BlockIndex b, BlockNests &&block)
{
    if (const PartIndex part = m_made.part(b); m_options.algorithms.contains(part)) {
        m_made.asked[b] = m_options.algorithms[part];
        auto algorithm = BlockAlgorithm::fromText(m_made.asked[b]);
        if (!algorithm)
            return refusal(b, algorithm.error());
        m_algorithms[b] = std::move(*algorithm);
    }
    if (m_options.target.winograd)
        for (const NestIndex n : block.nests.indices())
            if (auto costs = winogradCosts(block.nests[n], block.tensors, m_options.target.lanes);
                !costs.empty())
                m_made.convolutions[b].emplace(n, std::move(costs));
    auto computed = withAlgorithms(std::move(block), m_algorithms[b], m_options.target);
    if (!computed)
        return refusal(b, computed.error());
    m_nests[b] = std::move(*computed);
    return {};
}

Result<void> KernelGenerator::settleKernels()
{
    // Interpreted blocks need row-major tensors: a block without code may change others' storages.
    IndexedVector<BlockIndex, BlockStorages> generatedFor(m_nests.size());
    IndexedVector<BlockIndex, std::set<NestIndex>> inPlace(m_nests.size());
    for (bool settled = false; !settled;) {
        settled = true;
        m_made.storages = storagesOf(m_made.graph, m_nests, m_interpreted, m_options.layouts);
        for (std::set<NestIndex> &nests : inPlace)
            nests.clear();
        for (const auto &[tensor, part] : m_made.storages.parts)
            inPlace[part.block].insert(part.nest);
        for (const BlockIndex b : m_nests.indices()) {
            const BlockStorages &storages = m_made.storages.blocks[b];
            if (!m_nests[b] || !isWanted(b) ||
                (m_made.kernels[b] && generatedFor[b] == storages &&
                 m_nests[b]->inPlace == inPlace[b]))
                continue;
            generatedFor[b] = storages;
            m_nests[b]->inPlace = inPlace[b];
            GL_TRY(generate(b));
            settled = settled && m_nests[b];
        }
    }
    return {};
}

Result<void> KernelGenerator::generate(BlockIndex b)
{
    if (m_steps.stopped())
        return stoppedError();
    const BlockStorages &storages = m_made.storages.blocks[b];
    const PartIndex part = m_made.part(b);
    NestSchedules &schedules = m_made.askedSchedules[b];
    if (m_options.schedules.contains(part))
        schedules = m_options.schedules[part];
    if (const BlockIndex known = m_knownOf[b];
        known.isValid() && m_known->kernels[known] && m_known->asked[known] == m_made.asked[b] &&
        m_known->askedSchedules[known] == schedules &&
        m_known->storages.blocks[known] == storages &&
        m_known->kernels[known]->block.inPlace == m_nests[b]->inPlace) {
        m_made.kernels[b] = m_known->kernels[known];
        return {};
    }
    auto kernel =
        kernelOf(*m_nests[b], storages, schedules, m_options.target, m_algorithms[b], &m_steps);
    if (m_steps.stopped())
        return stoppedError();
    if (kernel)
        m_made.kernels[b] = std::move(*kernel);
    else if (kernel.error().kind != Error::Kind::Model)
        return refusal(b, kernel.error());
    else
        interpret(b, kernel.error().text());
    m_options.progress(double(b.number() + 1) / double(m_nests.size()));
    return {};
}

void KernelGenerator::interpret(BlockIndex b, const std::string &reason)
{
    m_made.reasons[b] = reason;
    m_made.kernels[b].reset();
    m_nests[b].reset();
    for (const NodeId id : m_made.blocks[b]) {
        const Node &node = m_made.graph.node(id);
        forEachRead(node, [&](TensorId tensor, std::uint32_t) { m_interpreted.insert(tensor); });
        m_interpreted.insert(node.outputs.begin(), node.outputs.end());
    }
}

tl::unexpected<Error> KernelGenerator::refusal(BlockIndex b, Error error) const
{
    const PartIndex part = m_made.part(b);
    error.where = "block " + std::to_string(part.isValid() ? part.number() : b.number()) + ", " +
                  m_made.graph.node(m_made.blocks[b].front()).label() +
                  (error.where.empty() ? "" : ", " + error.where);
    return tl::unexpected(std::move(error));
}

} // namespace

Result<PlanKernels> generateKernels(const Graph &graph, const Opsets &opsets,
                                    const std::vector<std::vector<NodeId>> &parts,
                                    const GenerateOptions &options)
{
    return KernelGenerator(opsets, options).run(graph, parts);
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
