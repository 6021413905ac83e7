// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fission/fission_edits.h"

#include "app/fission/fission_model.h"

#include <algorithm>
#include <unordered_set>

namespace graphloom {

namespace {

tl::unexpected<Error> refuseFission(const Snapshot &snapshot, std::string reason, int cause = -1)
{
    auto refusal = fail(Error::Kind::Usage, std::move(reason));
    if (const Item region = cause < 0 ? Item() : itemOfFission(snapshot, cause))
        for (const NodeId id : snapshot.nodesOf(region))
            refusal.value().nodes.push_back(id.index);
    return refusal;
}

/// Returns the enabled regions that share nodes with this one, except proper subsets and supersets
/// of it.
std::vector<int> inTheWayOf(const std::vector<MemoryPlan::Fission> &fissions, int fission)
{
    const auto &names = fissions[std::size_t(fission)].names;
    const std::unordered_set<std::string> own(names.begin(), names.end());
    std::vector<int> found;
    for (int other = 0; other < int(fissions.size()); ++other) {
        const MemoryPlan::Fission &one = fissions[std::size_t(other)];
        if (other == fission || one.number < 2)
            continue;
        const auto shared = std::size_t(std::ranges::count_if(
            one.names, [&](const std::string &name) { return own.contains(name); }));
        const bool nested = shared == one.names.size() || shared == names.size();
        if (shared > 0 && (!nested || one.names.size() == names.size()))
            found.push_back(other);
    }
    return found;
}

std::string nameOfRegion(const MemoryPlan::Fission &fission)
{
    return fission.first + " … " + fission.last;
}

} // namespace

FissionEdits fissionEditsFor(const Snapshot &snapshot, int fission)
{
    FissionEdits edits;
    const auto refuseAll = [&](const FissionEdits::Outcome &outcome) {
        edits.enable = edits.disable = edits.lift = edits.more = edits.fewer = edits.lock = outcome;
        return edits;
    };
    const auto &memory = snapshot.plan->memory;
    if (!memory || memory->fissions.empty())
        return refuseAll(
            refuseFission(snapshot, "the plan has no F-Tree; run magis to create one"));
    if (memory->state.empty())
        return refuseAll(
            refuseFission(snapshot, "this plan has no record of its search; run magis again"));
    if (fission < 0 || fission >= int(memory->fissions.size()))
        return refuseAll(refuseFission(snapshot, "select a region of the F-Tree"));
    const MemoryPlan::Fission &chosen = memory->fissions[std::size_t(fission)];
    const bool enabled = chosen.number > 1;
    edits.locked = chosen.locked;
    edits.lock = Context::FissionEdit{fission, chosen.number, false, !chosen.locked};

    const std::vector<int> obstacles = inTheWayOf(memory->fissions, fission);
    const auto locked = std::ranges::find_if(
        obstacles, [&](int other) { return memory->fissions[std::size_t(other)].locked; });
    // Manual choices are locked, so that searches keep them.
    const auto inParts = [&](int number, bool lift) -> FissionEdits::Outcome {
        if (chosen.locked)
            return refuseFission(snapshot, "it is locked; unlock it first", fission);
        if (number > 1 && !lift && !obstacles.empty()) {
            const MemoryPlan::Fission &other = memory->fissions[std::size_t(obstacles.front())];
            return refuseFission(snapshot,
                                 "it shares nodes with " + nameOfRegion(other) +
                                     ", which is enabled; lift this fission instead",
                                 obstacles.front());
        }
        return Context::FissionEdit{fission, number, lift, true};
    };
    for (const int number : chosen.numbers)
        if (number > 1)
            edits.numbers.emplace_back(number, inParts(number, false));
    const auto next = std::ranges::upper_bound(chosen.numbers, chosen.number);
    const auto at = std::ranges::lower_bound(chosen.numbers, chosen.number);
    const bool possible = chosen.numbers.size() > 1;
    edits.enable = enabled     ? refuseFission(snapshot, "it is already enabled")
                   : !possible ? refuseFission(snapshot, "it cannot be split into parts")
                   : obstacles.empty() && !chosen.changed.origin.empty()
                       ? refuseFission(snapshot, chosen.changed.origin) // the reason of the pass
                       : inParts(chosen.numbers[1], false);
    edits.disable = enabled ? inParts(1, false)
                            : FissionEdits::Outcome(refuseFission(snapshot, "it is not enabled"));
    edits.more = next == chosen.numbers.end()
                     ? refuseFission(snapshot, "it already has the largest number of parts")
                     : inParts(*next, false);
    edits.fewer = !enabled || at == chosen.numbers.begin()
                      ? refuseFission(snapshot, "it is not split into parts")
                      : inParts(*std::prev(at), false);
    edits.lift = !possible ? refuseFission(snapshot, "it cannot be split into parts")
                 : obstacles.empty()
                     ? refuseFission(snapshot, "no enabled region overlaps it; enable it instead")
                 : locked != obstacles.end()
                     ? refuseFission(snapshot,
                                     nameOfRegion(memory->fissions[std::size_t(*locked)]) +
                                         " overlaps it and is locked; unlock that region first",
                                     *locked)
                     : inParts(enabled ? chosen.number : chosen.numbers[1], true);
    return edits;
}

} // namespace graphloom
