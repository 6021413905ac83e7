// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/merged_state.h"

#include "engine/tuning/reformer/composed_schedules.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Returns which convolutions of a joined block use Winograd's algorithm: those that did in its
/// parts. Returns "" if that is as estimated.
std::string composedAlgorithm(const TuningState &state, const BlockPair &pair,
                              const TuningState &joined)
{
    const BlockKernel *kernel = joined.kernelOf(pair.writer);
    if (!kernel)
        return {};
    const auto nodesOf = [](const TuningState &of, TuningState::Block block, NestIndex nest) {
        return (*of.kernels.nests[of.indexOf(block)]).nests[nest].nodes;
    };
    BlockAlgorithm algorithm{kernel->algorithm.winograd, {}};
    for (auto &[nest, m] : algorithm.winograd)
        for (const TuningState::Block part : {pair.writer, pair.reader})
            for (const auto &[before, known] : state.kernelOf(part)->algorithm.winograd)
                if (const auto same = nodesOf(state, part, before);
                    std::ranges::any_of(nodesOf(joined, pair.writer, nest), [&](NodeId id) {
                        return std::ranges::count(same, id) > 0;
                    }))
                    m = known;
    return algorithm.winograd == kernel->algorithm.winograd ? std::string() : algorithm.text();
}

} // namespace

Result<std::optional<MergedState>> mergedState(const StateGenerator &generator,
                                               const TuningState &state,
                                               std::span<const BlockPair> pairs,
                                               const std::string &algorithm,
                                               const std::stop_token &stop)
{
    BlockGraph blocks = state.blocks;
    for (const BlockPair &pair : pairs)
        blocks.merge(pair.writer, pair.reader);
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
        if (const std::string composed = composedAlgorithm(state, pairs.front(), *plain);
            !composed.empty())
            return mergedState(generator, state, pairs, composed, stop);
    for (const BlockPair &pair : pairs) {
        const BlockKernel *joined = plain->kernelOf(pair.writer);
        const BlockKernel *writer = state.kernelOf(pair.writer);
        const BlockKernel *reader = state.kernelOf(pair.reader);
        if (!joined || joined->phases.size() >= writer->phases.size() + reader->phases.size())
            return std::optional<MergedState>();
        const BlockKernel *const both[] = {writer, reader};
        schedules[plain->partOf[pair.writer]] =
            composedSchedules(both, *joined, generator.target());
    }
    GL_TRY_RESULT(composed, generator.state(std::move(blocks), std::move(algorithms),
                                            std::move(schedules), &plain->kernels, stop));
    std::map<std::string, std::string> initial;
    for (const BlockPair &pair : pairs) {
        const BlockKernel &byDefault = *plain->kernelOf(pair.writer);
        const BlockKernel &begun = *composed->kernelOf(pair.writer);
        for (const PhaseIndex p : byDefault.phases.indices())
            initial.emplace(byDefault.phases[p].symbol, textOf(schedulesOf(begun, p)));
    }
    return MergedState{*std::move(composed), std::move(initial)};
}

} // namespace graphloom
