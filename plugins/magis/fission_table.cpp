// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/fission_table.h"

#include <algorithm>

namespace graphloom::magis {

FissionFacts::FissionFacts(const MemoryGraph &memory, const Fission &fission)
{
    const Graph &graph = memory.graph();
    for (const NodeId id : fission.nodes())
        if (const int step = memory.stepOf(id); step >= 0)
            steps.push_back(step);
    leaving.assign(memory.buffers().size() / 64 + 1, 0);
    for (const TensorId output : fission.outputs()) {
        const int buffer = memory.bufferOf(output);
        if (buffer < 0)
            continue;
        leaving[std::size_t(buffer) / 64] |= std::uint64_t(1) << (std::size_t(buffer) % 64);
        const TensorId base = memory.buffers()[std::size_t(buffer)].tensor;
        const NodeId producer = graph.producer(base);
        if (producer.valid() && fission.contains(producer) &&
            std::ranges::find(given, base) == given.end())
            given.push_back(base);
    }
    if (fission.hasWindows())
        return;
    for (const TensorId input : fission.inputs()) {
        Parts::Piece piece{input, -1, 0, {}};
        for (const Use &use : graph.uses(input)) {
            if (!fission.contains(use.node))
                continue;
            const SplitTensor &cut = cutOf(fission.splitOf(memory, use.node).inputs, use.slot);
            if (!cut.isCut())
                continue;
            piece.dim = cut.dim;
            piece.readers.push_back(use.node);
        }
        if (!piece.readers.empty())
            taken.push_back(std::move(piece));
    }
}

int FissionTable::add(Fission fission)
{
    const std::lock_guard lock(m_mutex);
    const auto [at, added] = m_known.try_emplace(fission.hash(), int(m_fissions.size()));
    if (added)
        m_fissions.push_back(std::move(fission));
    return at->second;
}

const Fission &FissionTable::fission(int number) const
{
    return m_fissions[std::size_t(number)];
}

int FissionTable::count() const
{
    const std::lock_guard lock(m_mutex);
    return int(m_fissions.size());
}

const FissionFacts &FissionTable::facts(int fission)
{
    if (const auto at = m_facts.find(fission); at != m_facts.end())
        return *at->second;
    auto facts = std::make_unique<const FissionFacts>(m_memory, m_fissions[std::size_t(fission)]);
    return *m_facts.emplace(fission, std::move(facts)).first->second;
}

const Parts &FissionTable::parts(int fission, int number)
{
    const auto key = std::uint64_t(std::uint32_t(fission)) << 32 | std::uint32_t(number);
    if (const auto at = m_parts.find(key); at != m_parts.end())
        return *at->second;
    auto parts =
        std::make_unique<const Parts>(m_fissions[std::size_t(fission)].parts(m_memory, number));
    return *m_parts.emplace(key, std::move(parts)).first->second;
}

} // namespace graphloom::magis
