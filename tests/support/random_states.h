// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/search_space.h"

#include <random>

/// Makes random states of a search.
namespace graphloom::test {

class RandomStates {
public:
    RandomStates(magis::SearchSpace &space, std::uint64_t seed)
        : m_space(space), m_memory(space.memory()), m_random(seed)
    {
    }

    struct Wanted {
        int fissions = 2;     // at most
        double evicted = 0.3; // greatest share of all evictions
        bool swaps = true;
        bool halos = true;
    };

    /// Returns a state, or nothing if the random choices do not fit together.
    std::optional<magis::State> next(magis::Simulator &simulator, const Wanted &wanted)
    {
        std::vector<magis::EnabledFission> fissions;
        const int count = below(wanted.fissions + 1);
        for (int f = 0; f < count; ++f)
            if (const auto fission = randomFission(fissions, wanted.halos))
                fissions.push_back(*fission);
        const magis::OrderIndex order(below(int(m_space.orders().size())));
        auto arrangement = m_space.arrange(order, fissions);
        if (!arrangement)
            return std::nullopt;
        magis::Policies policies = m_space.keepAll();
        const double share = wanted.evicted * below(100) / 100;
        for (auto &policy : policies)
            if (below(1000) < int(1000 * share))
                policy =
                    wanted.swaps && below(3) == 0 ? magis::Policy::Swap : magis::Policy::Recompute;
        return m_space.evaluate(simulator, order, std::move(arrangement), std::move(policies));
    }

private:
    int below(int bound) { return int(m_random() % std::uint64_t(bound)); }

    /// Returns a fission somewhere, or inside one of those around.
    std::optional<magis::EnabledFission>
    randomFission(const std::vector<magis::EnabledFission> &around, bool halos)
    {
        const magis::Fission *outer =
            !around.empty() && below(3) > 0
                ? &m_space.fissions().fission(
                      around[std::size_t(below(int(around.size())))].fission)
                : nullptr;
        for (int attempt = 0; attempt < 30; ++attempt) {
            const auto &buffer =
                m_memory.buffers()[magis::BufferIndex(below(int(m_memory.buffers().size())))];
            const auto rank = int(m_memory.graph().tensor(buffer.tensor).shape->size());
            if (rank == 0)
                continue;
            auto dimension = std::make_shared<magis::GraphDimension>(magis::dimensionThrough(
                m_memory, buffer.tensor, below(rank), halos && below(2) == 0));
            std::vector<NodeId> nodes = dimension->nodes.elements();
            if (outer)
                std::erase_if(nodes, [&](NodeId id) { return !outer->contains(id); });
            if (auto fission = randomPiece(dimension, std::move(nodes)))
                return fission;
        }
        return std::nullopt;
    }

    std::optional<magis::EnabledFission>
    randomPiece(const std::shared_ptr<const magis::GraphDimension> &dimension,
                std::vector<NodeId> nodes)
    {
        for (int attempt = 0; attempt < 12 && nodes.size() > 1; ++attempt) {
            if (attempt > 0 || below(3) > 0) {
                const auto first = std::size_t(below(int(nodes.size()) - 1));
                const auto last = first + 2 + std::size_t(below(int(nodes.size() - first) - 1));
                nodes = {nodes.begin() + std::ptrdiff_t(first),
                         nodes.begin() + std::ptrdiff_t(last)};
            }
            auto fission = magis::Fission::of(m_memory, dimension, nodes);
            if (!fission)
                continue;
            const auto &numbers = fission->numbers();
            const int number = numbers[std::size_t(below(int(numbers.size())))];
            if (number < 2)
                continue;
            magis::Cutting cutting{number};
            if (!fission->hasWindows() && below(3) == 0) { // parts of one size, and a remainder
                const int size = 1 + below(int(fission->units()) - 1);
                cutting = {(int(fission->units()) + size - 1) / size, size};
            }
            return magis::EnabledFission{m_space.fissions().add(*std::move(fission)),
                                         cutting.number, cutting.size};
        }
        return std::nullopt;
    }

    magis::SearchSpace &m_space;
    const magis::MemoryGraph &m_memory;
    std::mt19937_64 m_random;
};

} // namespace graphloom::test
