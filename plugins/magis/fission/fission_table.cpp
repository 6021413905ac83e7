// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/fission/fission_table.h"

#include "engine/base/hash.h"

#include <algorithm>
#include <limits>
#include <map>

namespace graphloom::magis {

FissionFacts::FissionFacts(const MemoryGraph &memory, const Fission &fission)
{
    const Graph &graph = memory.graph();
    for (const NodeId id : fission.nodes())
        if (const StepIndex step = memory.stepOf(id); step.isValid())
            steps.push_back(step);
    leaving.assign(memory.buffers().size() / 64 + 1, 0);
    for (const TensorId output : fission.outputs()) {
        const BufferIndex buffer = memory.bufferOf(output);
        if (!buffer.isValid())
            continue;
        const auto bit = std::size_t(buffer.number());
        leaving[bit / 64] |= std::uint64_t(1) << (bit % 64);
        const TensorId base = memory.buffers()[buffer].tensor;
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

namespace {

/// Prices the steps of a fission in parts of a given number of units, in seconds.
class PartPrices {
public:
    PartPrices(const MemoryGraph &memory, const Fission &fission)
        : m_memory(memory), m_units(fission.units())
    {
        std::map<std::pair<StepKind, int>, std::size_t> known; // by kind and split
        for (const NodeId id : fission.nodes()) {
            const StepIndex step = memory.stepOf(id);
            if (!step.isValid())
                continue;
            const int split = fission.dimension().splitOf[id.index];
            const auto [at, added] =
                known.try_emplace({memory.steps()[step].kind, split}, m_calls.size());
            if (added)
                m_calls.push_back({id, split, 0});
            ++m_calls[at->second].count;
            m_whole += memory.seconds(step);
        }
    }

    double whole() const { return m_whole; }
    double of(const Cutting &cutting)
    {
        // Even parts come in one or two sizes; parts of a given size, in that size and a rest.
        const std::int64_t largest = cutting.largest(m_units), least = cutting.least(m_units);
        const std::int64_t fewer =
            cutting.size > 0 ? 1 : largest * cutting.number - m_units; // parts of the smallest size
        return double(cutting.number - fewer) * part(largest) + double(fewer) * part(least);
    }

private:
    struct Calls {
        NodeId node; // a representative of its kind
        int split;
        double count;
    };

    double part(std::int64_t units)
    {
        const auto [at, added] = m_parts.try_emplace(units, 0);
        if (added)
            for (const Calls &calls : m_calls) {
                const CallWork::Cut cut{calls.split, double(units) / double(m_units)};
                at->second += calls.count * m_memory.seconds(calls.node, {&cut, 1});
            }
        return at->second;
    }

    const MemoryGraph &m_memory;
    const std::int64_t m_units;
    std::vector<Calls> m_calls;
    double m_whole = 0;
    std::map<std::int64_t, double> m_parts;
};

std::vector<Cutting> cuttingsOf(const MemoryGraph &memory, const Fission &fission)
{
    std::vector<Cutting> all;
    for (const int number : fission.numbers())
        all.push_back({number});
    const std::int64_t units = fission.units();
    PartPrices prices(memory, fission);
    double graph = 0;
    for (const StepIndex step : memory.steps().indices())
        graph += memory.seconds(step);
    constexpr double worth = 0.02; // of the graph's seconds: below that, little can be gained
    if (fission.hasWindows() || units > std::numeric_limits<int>::max() ||
        prices.whole() < worth * graph)
        return all;
    struct Priced {
        Cutting cutting;
        std::int64_t largest;
        double seconds;
    };
    std::vector<Priced> priced;
    for (const Cutting &cutting : all)
        priced.push_back({cutting, cutting.largest(units), prices.of(cutting)});
    constexpr std::int64_t sizes = 128;
    const std::int64_t step = (units + sizes - 1) / sizes;
    for (std::int64_t size = step; size < units; size += step) {
        const Cutting cutting{int((units + size - 1) / size), int(size)};
        if (cutting.number <= fission.numbers().back())
            priced.push_back({cutting, size, prices.of(cutting)});
    }
    // Drop part sizes that are no faster than a cutting with smaller parts.
    std::ranges::stable_sort(priced, {}, &Priced::largest);
    const double margin = 1e-3 * prices.whole();
    double fastest = std::numeric_limits<double>::infinity();
    all.clear();
    for (const Priced &entry : priced) {
        if (entry.cutting.size > 0 && entry.seconds > fastest - margin)
            continue;
        fastest = std::min(fastest, entry.seconds);
        all.push_back(entry.cutting);
    }
    std::ranges::reverse(all);
    return all;
}

} // namespace

const std::vector<Cutting> &FissionTable::cuttings(FissionIndex index)
{
    if (const auto at = m_cuttings.find(index); at != m_cuttings.end())
        return *at->second;
    auto cuttings =
        std::make_unique<const std::vector<Cutting>>(cuttingsOf(m_memory, fission(index)));
    return *m_cuttings.emplace(index, std::move(cuttings)).first->second;
}

FissionIndex FissionTable::add(Fission fission)
{
    const std::lock_guard lock(m_mutex);
    const auto [at, added] = m_known.try_emplace(fission.hash(), m_fissions.size());
    if (added)
        m_fissions.push_back(std::move(fission));
    return at->second;
}

IndexRange<FissionIndex> FissionTable::indices() const
{
    const std::lock_guard lock(m_mutex);
    return firstIndices<FissionIndex>(m_fissions.size());
}

const FissionFacts &FissionTable::facts(FissionIndex index)
{
    if (const auto at = m_facts.find(index); at != m_facts.end())
        return *at->second;
    auto facts = std::make_unique<const FissionFacts>(m_memory, fission(index));
    return *m_facts.emplace(index, std::move(facts)).first->second;
}

const Parts &FissionTable::parts(FissionIndex index, const Cutting &cutting)
{
    const std::uint64_t key = scramble(std::uint64_t(std::uint32_t(index.number())) << 32 |
                                       std::uint32_t(cutting.number)) +
                              std::uint64_t(cutting.size);
    if (const auto at = m_parts.find(key); at != m_parts.end())
        return *at->second;
    auto parts = std::make_unique<const Parts>(fission(index).parts(m_memory, cutting));
    return *m_parts.emplace(key, std::move(parts)).first->second;
}

} // namespace graphloom::magis
