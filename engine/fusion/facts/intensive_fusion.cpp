// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/facts/intensive_fusion.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

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
    return "tiles of " + joined(tiled) +
           (reused.empty() ? "" : ", and " + joined(reused) + " whole");
}

IntensiveFusion intensiveFusionOf(const EcgNode &reader, const EcgRead &read)
{
    IntensiveFusion result;
    const Description &description = *reader.description;
    std::set<std::pair<int, int>> reused;
    for (const ReuseAxis &axis : reuseAxes(description, int(read.slot))) {
        reused.emplace(axis.stage, axis.axis);
        result.reused.push_back(axis.name);
    }
    for (int s = 0; s < int(description.stages.size()); ++s) {
        const Stage &stage = description.stages[std::size_t(s)];
        std::set<int> used;
        for (const Read &load : stage.reads)
            if (load.operand == Operand{Operand::Kind::Input, int(read.slot)})
                for (const Index &index : load.map)
                    for (const Index::Term &term : index.terms)
                        used.insert(term.axis);
        for (const int a : used) {
            const Axis &axis = stage.axes[std::size_t(a)];
            if (axis.kind == Axis::Kind::Space && !(axis.extent == Dim(1)) &&
                !reused.contains({s, a}))
                result.tiled.push_back(axis.name);
        }
    }
    return result;
}

} // namespace graphloom
