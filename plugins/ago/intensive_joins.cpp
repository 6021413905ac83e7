// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/intensive_joins.h"

#include "engine/codegen/emit/plan_kernels.h"
#include "engine/fusion/facts/intensive_fusion.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace graphloom::ago {

namespace {

using Block = BlockGraph::Block;

/// Describes a pair of blocks on trial; `reader` reads what `writer` computes.
struct Join {
    Block writer, reader;
};

class Joiner {
public:
    Joiner(const BlockMerger &merger, BlockGraph &blocks, const BlockMarks &marks,
           double cacheBytes, Steps &steps)
        : m_merger(merger),
          m_rowByRow(merger.rules().ecg(), rowLimits(merger), merger.rules().within()),
          m_blocks(blocks), m_marks(marks), m_cacheBytes(cacheBytes), m_steps(steps)
    {
    }

    Result<KeptApart> run(const Opsets &opsets)
    {
        while (!m_steps.stopped()) {
            BlockGraph trial = m_blocks;
            const std::vector<Join> joins = proposed(trial);
            if (joins.empty() || m_steps.stopped())
                break;
            GL_TRY(judge(joins, trial, opsets));
        }
        return std::move(m_apart);
    }

private:
    bool isLocked(Block block) const
    {
        const auto mark = m_marks.find(block);
        return mark != m_marks.end() && mark->second.locked;
    }
    bool isComplex(Block block) const
    {
        return !complexNodes(m_merger.rules().ecg(), m_blocks.nodes(block)).empty();
    }
    /// Returns the nodes of the reader that may share loops with the writer: complex operators, or
    /// else windows that overlap, such as those of poolings, which slide over what it computes.
    std::vector<NodeId> readersIn(const Join &join) const
    {
        const Ecg &ecg = m_merger.rules().ecg();
        const std::vector<NodeId> &nodes = m_blocks.nodes(join.reader);
        std::vector<NodeId> readers = complexNodes(ecg, nodes);
        if (readers.empty())
            std::ranges::copy_if(nodes, std::back_inserter(readers), [&](NodeId id) {
                const EcgNode &facts = ecg.node(id);
                return facts.operatorClass == OperatorClass::Window &&
                       std::ranges::any_of(facts.reads, [&](const EcgRead &read) {
                           return read.mapping && read.producer.valid() &&
                                  m_blocks.blockOf(read.producer) == join.writer &&
                                  !intensiveFusionOf(facts, read).windows.empty();
                       });
            });
        return readers;
    }

    static BlockLimits rowLimits(const BlockMerger &merger)
    {
        BlockLimits limits = merger.rules().limits();
        limits.contractions = BlockLimits::Contractions::Apart;
        return limits;
    }

    /// Tells whether the data between the two is too small to be worth tiles, and records that. It
    /// never is where rows wait for a reduction between complex operators.
    bool staysInCache(Block writer, Block reader)
    {
        double bytes = 0;
        const auto read = interfaceOf(m_blocks.graph(), m_blocks.nodes(reader)).inputs;
        for (const TensorId id : interfaceOf(m_blocks.graph(), m_blocks.nodes(writer)).outputs)
            if (std::ranges::count(read, id))
                bytes += m_merger.rules().ecg().estimatedBytes(id);
        if (bytes > m_cacheBytes ||
            (isComplex(reader) && !m_rowByRow.check(m_blocks.joined(writer, reader)).refusal))
            return false;
        const auto kib = [](double value) { return std::to_string(std::llround(value / 1024)); };
        m_apart[{writer, reader}] = {BlockBorder::Cause::Cost,
                                     "intensive fusion could merge them, but the " + kib(bytes) +
                                         " KiB between them stay in a cache of " +
                                         kib(m_cacheBytes) + " KiB anyway"};
        return true;
    }

    /// Proposes pairs to merge, each block in at most one of them; merges them in `trial`.
    std::vector<Join> proposed(BlockGraph &trial)
    {
        std::vector<Join> joins;
        std::set<Block> taken;
        for (const NodeId id : m_blocks.graph().order()) {
            const Block writer = m_blocks.blockOf(id);
            if (m_blocks.nodes(writer).front() != id || taken.contains(writer) ||
                isLocked(writer) || !isComplex(writer))
                continue;
            for (const Block reader : m_blocks.successors(writer)) {
                if (m_steps.stopped())
                    return joins;
                if (taken.contains(reader) || isLocked(reader) ||
                    m_apart.contains({writer, reader}) || readersIn({writer, reader}).empty())
                    continue;
                if (m_merger.profit(trial, writer, reader, &m_steps).refusal ||
                    staysInCache(writer, reader))
                    continue;
                trial.merge(writer, reader);
                taken.insert({writer, reader});
                joins.push_back({writer, reader});
                break;
            }
        }
        return joins;
    }

    /// Merges the pairs that share a loop nest group.
    Result<void> judge(const std::vector<Join> &joins, const BlockGraph &trial,
                       const Opsets &opsets)
    {
        const Partition partition = trial.partition("trial");
        std::vector<std::vector<NodeId>> parts;
        for (const Subgraph &part : partition.subgraphs)
            parts.push_back(part.nodes);
        GenerateOptions options;
        options.target = scheduleTargetOf(m_merger.cost().device());
        options.steps = &m_steps;
        const auto partOf = [&](const Join &join) {
            const NodeId any = m_blocks.nodes(join.writer).front();
            return PartIndex(int(partition.subgraphOf[any.index]));
        };
        options.only.emplace();
        for (const Join &join : joins)
            options.only->insert(partOf(join));
        const auto made = generateKernels(m_blocks.graph(), opsets, parts, options);
        if (m_steps.stopped())
            return {};
        if (!made)
            return tl::unexpected(made.error());
        for (const Join &join : joins) {
            const BlockIndex block = made->blockOf(partOf(join));
            const auto &kernel = made->kernels[block];
            if (kernel && sharesTiles(*kernel, join)) {
                m_blocks.merge(join.writer, join.reader);
                continue;
            }
            m_apart[{join.writer, join.reader}] = {
                BlockBorder::Cause::Generator,
                "intensive fusion could merge them, but " +
                    (kernel ? whyInTurn(*kernel)
                            : "there would be no kernel: " + made->reasons[block])};
        }
        return {};
    }

    /// Explains why the operators of a kernel do not run tile by tile.
    static std::string whyInTurn(const BlockKernel &kernel)
    {
        std::string text = "the loop nests of the kernel would still run one after the other";
        for (const StoredTensor &stored : kernel.block.stored)
            text += "; " + kernel.block.tensors[stored.tensor].name +
                    " is stored between them: " + stored.reason;
        return text;
    }

    /// Tells whether operators of both blocks run tile by tile in the same loops.
    bool sharesTiles(const BlockKernel &kernel, const Join &join) const
    {
        const Ecg &ecg = m_merger.rules().ecg();
        const auto writers = complexNodes(ecg, m_blocks.nodes(join.writer));
        const auto readers = readersIn(join);
        return std::ranges::any_of(kernel.groups, [&](const NestGroup &group) {
            const auto holds = [&](const std::vector<NodeId> &some) {
                for (const NestIndex n : group.nests())
                    for (const NodeId id : kernel.block.nests[n].nodes)
                        if (std::ranges::count(some, id))
                            return true;
                return false;
            };
            return holds(writers) && holds(readers);
        });
    }

    const BlockMerger &m_merger;
    BlockRules m_rowByRow; // without intensive fusion
    BlockGraph &m_blocks;
    const BlockMarks &m_marks;
    double m_cacheBytes;
    Steps &m_steps;
    KeptApart m_apart;
};

} // namespace

Result<KeptApart> joinIntensively(const BlockMerger &merger, BlockGraph &blocks,
                                  const BlockMarks &marks, double cacheBytes, const Opsets &opsets,
                                  Steps &steps)
{
    return Joiner(merger, blocks, marks, cacheBytes, steps).run(opsets);
}

std::vector<NodeId> complexNodes(const Ecg &ecg, std::span<const NodeId> nodes)
{
    std::vector<NodeId> complex;
    std::ranges::copy_if(nodes, std::back_inserter(complex), [&](NodeId id) {
        return ecg.node(id).operatorClass == OperatorClass::Contraction;
    });
    return complex;
}

} // namespace graphloom::ago
