// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/facts/intensive_fusion.h"

#include "engine/base/typed_index.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

/// Counts the stages of the reader.
using ReaderStage = TypedIndex<struct ReaderStageTag>;
/// Counts the axes of one stage.
using StageAxis = TypedIndex<struct StageAxisTag>;

std::string joined(const std::vector<std::string> &names)
{
    std::string text;
    for (const std::string &name : names)
        text += (text.empty() ? "" : ", ") + name;
    return text;
}

} // namespace

std::string IntensiveFusion::text() const
{
    if (!isPossible())
        return "every axis of the reader uses an element again (" + joined(reused) +
               "), so that tiles would compute it again";
    if (tiled.empty())
        return "rows of " + windows.front() +
               ", each computed once and kept for the windows that read it";
    return "tiles of " + joined(tiled) +
           (reused.empty() ? "" : ", and " + joined(reused) + " whole");
}

IntensiveFusion intensiveFusionOf(const EcgNode &reader, const EcgRead &read)
{
    IntensiveFusion result;
    const Description &description = *reader.description;
    std::set<std::pair<ReaderStage, StageAxis>> reused;
    for (const ReuseAxis &axis : reuseAxes(description, int(read.slot))) {
        reused.emplace(ReaderStage(axis.stage), StageAxis(axis.axis));
        result.reused.push_back(axis.name);
    }
    ReaderStage s(0);
    for (const Stage &stage : description.stages) {
        std::set<StageAxis> used;
        for (const Read &load : stage.reads)
            if (load.operand == Operand{Operand::Kind::Input, int(read.slot)})
                for (const Index &index : load.map)
                    for (const Index::Term &term : index.terms)
                        used.insert(StageAxis(term.axis));
        for (const StageAxis a : used) {
            const Axis &axis = stage.axes[std::size_t(a.number())];
            if (axis.kind != Axis::Kind::Space || axis.extent == Dim(1))
                continue;
            (reused.contains({s, a}) ? result.windows : result.tiled).push_back(axis.name);
        }
        ++s;
    }
    return result;
}

} // namespace graphloom
