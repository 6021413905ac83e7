// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/merged_state.h"

#include "engine/tuning/reformer/composed_schedules.h"

#include <algorithm>
#include <utility>

namespace graphloom {

namespace {

/// Returns which convolutions of a joined block use Winograd's algorithm: those that did in its
/// parts. Returns "" if that is as estimated.
std::string composedAlgorithm(const TuningState &state, const Neighbours &neighbours,
                              const TuningState &joined)
{
    const BlockKernel *kernel = joined.kernelOf(neighbours.first);
    if (!kernel)
        return {};
    const auto nodesOf = [](const TuningState &of, TuningState::Block block, NestIndex nest) {
        return (*of.kernels.nests[of.indexOf(block)]).nests[nest].nodes;
    };
    BlockAlgorithm algorithm{kernel->algorithm.winograd, {}};
    for (auto &[nest, m] : algorithm.winograd)
        for (const TuningState::Block part : neighbours.all())
            for (const auto &[before, known] : state.kernelOf(part)->algorithm.winograd)
                if (const auto same = nodesOf(state, part, before);
                    std::ranges::any_of(nodesOf(joined, neighbours.first, nest), [&](NodeId id) {
                        return std::ranges::count(same, id) > 0;
                    }))
                    m = known;
    return algorithm.winograd == kernel->algorithm.winograd ? std::string() : algorithm.text();
}

/// Returns the algorithm of a kernel without Winograd's, whose transforms hinder nests from sliding
/// along rows; "" if it does not use that.
std::string directAlgorithm(const BlockKernel &kernel)
{
    BlockAlgorithm algorithm{kernel.algorithm.winograd, {}};
    bool changes = false;
    for (auto &[nest, m] : algorithm.winograd)
        changes = std::exchange(m, 0) > 0 || changes;
    return changes ? algorithm.text() : std::string();
}

/// Returns the algorithm of a kernel with all its nests in one group; "" if they are.
std::string groupedAlgorithm(const BlockKernel &kernel)
{
    if (kernel.groups.size() == 1)
        return {};
    BlockAlgorithm algorithm = kernel.algorithm;
    algorithm.groups = {{NestIndex(0), int(kernel.block.nests.size()), {}}};
    return algorithm.text();
}

} // namespace

Result<std::optional<MergedState>> mergedState(const StateGenerator &generator,
                                               const TuningState &state,
                                               std::span<const Neighbours> neighbours,
                                               const std::string &algorithm,
                                               const std::stop_token &stop)
{
    BlockGraph blocks = state.blocks;
    for (const Neighbours &each : neighbours)
        for (const TuningState::Block other : each.others)
            blocks.merge(each.first, other);
    const auto parts = partsOf(blocks);
    PartAlgorithms algorithms(parts.size());
    PartSchedules schedules(parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
        const PartIndex part(p), before = state.partOf[state.blocks.blockOf(parts[p].front())];
        if (state.parts[std::size_t(before.number())] != parts[p]) {
            algorithms[part] = algorithm;
            continue;
        }
        if (state.algorithms.contains(before))
            algorithms[part] = state.algorithms[before];
        if (state.schedules.contains(before))
            schedules[part] = state.schedules[before];
    }
    GL_TRY_RESULT(plain, generator.state(blocks, algorithms, schedules, &state.kernels, stop));
    if (algorithm.empty())
        if (const std::string composed = composedAlgorithm(state, neighbours.front(), *plain);
            !composed.empty())
            return mergedState(generator, state, neighbours, composed, stop);
    for (const Neighbours &each : neighbours) {
        const BlockKernel *joined = plain->kernelOf(each.first);
        std::vector<const BlockKernel *> before;
        std::size_t phases = 0;
        for (const TuningState::Block part : each.all()) {
            before.push_back(state.kernelOf(part));
            phases += before.back()->phases.size();
        }
        if (!joined)
            return std::optional<MergedState>();
        if (joined->phases.size() + each.others.size() > phases) {
            std::string other = directAlgorithm(*joined);
            if (other.empty() && each.siblings)
                other = groupedAlgorithm(*joined);
            return other.empty() ? std::optional<MergedState>()
                                 : mergedState(generator, state, neighbours, other, stop);
        }
        schedules[plain->partOf[each.first]] =
            composedSchedules(before, *joined, generator.target());
    }
    GL_TRY_RESULT(composed, generator.state(std::move(blocks), std::move(algorithms),
                                            std::move(schedules), &plain->kernels, stop));
    std::map<std::string, std::string> initial;
    for (const Neighbours &each : neighbours) {
        const BlockKernel &byDefault = *plain->kernelOf(each.first);
        const BlockKernel &begun = *composed->kernelOf(each.first);
        for (const PhaseIndex p : byDefault.phases.indices())
            initial.emplace(byDefault.phases[p].symbol, textOf(schedulesOf(begun, p)));
    }
    return MergedState{*std::move(composed), std::move(initial)};
}

} // namespace graphloom
