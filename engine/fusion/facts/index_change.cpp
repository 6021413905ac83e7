// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/facts/index_change.h"

#include "engine/base/typed_index.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <unordered_set>

namespace graphloom {

namespace {

/// Counts the axes of the copy.
using CopyAxis = TypedIndex<struct CopyAxisTag>;
/// Counts the dimensions of the copy's result.
using ResultDimension = TypedIndex<struct ResultDimensionTag>;

bool isConstantZero(const Index &index)
{
    return index.terms.empty() && index.offset == Dim(0);
}

/// Tells whether the index is just the axis.
bool isAxis(const Index &index, int axis)
{
    return index.isAffine() && index.terms.size() == 1 && index.terms[0].axis == axis &&
           index.terms[0].coefficient == Dim(1) && index.offset == Dim(0);
}

/// Describes how to compute the value of an axis of the copy from the index of one dimension of the
/// result: floor(index / divide) mod modulo.
struct AxisSource {
    ResultDimension dim;
    Dim divide = 1, modulo = 0;
};

using AxisSources = IndexedVector<CopyAxis, AxisSource>;

/// Returns nullopt unless every index of the write is a mixed-radix number of axes of its own.
std::optional<AxisSources> inverseOf(const Stage &copy)
{
    AxisSources sources(copy.axes.size());
    for (std::size_t d = 0; d < copy.write.size(); ++d) {
        const Index &index = copy.write[d];
        if (!index.isAffine() || !(index.offset == Dim(0)))
            return std::nullopt;
        // Innermost factor first: each coefficient is the product of the extents inside it.
        Dim radix = 1;
        for (std::size_t found = 0; found < index.terms.size(); ++found) {
            const auto isNext = [&](const Index::Term &candidate) {
                return candidate.coefficient == radix &&
                       !sources[CopyAxis(candidate.axis)].dim.isValid();
            };
            const auto term = std::ranges::find_if(index.terms, isNext);
            if (term == index.terms.end())
                return std::nullopt;
            const Axis &axis = copy.axes[std::size_t(term->axis)];
            const bool outermost = found + 1 == index.terms.size();
            sources[CopyAxis(term->axis)] = {ResultDimension(d), radix,
                                             outermost ? Dim(0) : axis.extent};
            radix *= axis.extent;
        }
    }
    for (std::size_t a = 0; a < sources.size(); ++a)
        if (!sources[CopyAxis(a)].dim.isValid() && !(copy.axes[a].extent == Dim(1)))
            return std::nullopt;
    return sources;
}

/// Returns an index of the copy's read with the copy's axes replaced according to the consumer's
/// map of the copy's result.
std::optional<Index> substituted(const Index &index, const AxisSources &sources,
                                 const IndexMap &map)
{
    if (index.table || index.lookup >= 0)
        return std::nullopt;
    if (isConstantZero(index))
        return index;
    const auto valueOf = [&](ResultDimension dim) -> const Index & {
        return map[std::size_t(dim.number())];
    };
    // A dimension that is passed on unchanged may have any index.
    if (index.terms.size() == 1) {
        const AxisSource &source = sources[CopyAxis(index.terms[0].axis)];
        if (source.dim.isValid() && isAxis(index, index.terms[0].axis)) {
            Index whole = valueOf(source.dim);
            if (source.divide == Dim(1) && source.modulo == Dim(0))
                return whole;
            if (!whole.isAffine())
                return std::nullopt;
            whole.divide = source.divide;
            whole.modulo = source.modulo;
            return whole;
        }
    }
    Index result = index;
    result.terms.clear();
    for (const Index::Term &term : index.terms) {
        const AxisSource &source = sources[CopyAxis(term.axis)];
        if (!source.dim.isValid())
            continue; // extent 1
        const Index &value = valueOf(source.dim);
        if (!value.isAffine() || !(source.divide == Dim(1)) || !(source.modulo == Dim(0)))
            return std::nullopt;
        for (const Index::Term &inner : value.terms) {
            const auto same = std::ranges::find(result.terms, inner.axis, &Index::Term::axis);
            if (same != result.terms.end())
                same->coefficient += term.coefficient * inner.coefficient;
            else
                result.terms.push_back({inner.axis, term.coefficient * inner.coefficient});
        }
        result.offset += term.coefficient * value.offset;
    }
    return result;
}

/// Returns the only stage of a call if it copies elements of its input, else null.
const Stage *copyStage(const Description &movement)
{
    if (movement.isOpaque() || movement.outputs != 1 || movement.stages.size() != 1)
        return nullptr;
    const Stage &stage = movement.stages.front();
    if (stage.combine != Combine::None || !stage.finish.empty() || stage.body->fn != Fn::Load)
        return nullptr;
    const Read &read = stage.reads[std::size_t(stage.body->index)];
    const bool looksUp = std::ranges::any_of(
        stage.axes, [](const Axis &axis) { return axis.kind == Axis::Kind::Reduce; });
    if (looksUp || read.operand.kind != Operand::Kind::Input ||
        read.outside != Read::Outside::Never)
        return nullptr;
    return &stage;
}

/// Tells whether the copy only permutes dimensions: then indices outside of one tensor are outside
/// of the other.
bool permutes(const Stage &copy, const Read &read)
{
    return std::ranges::all_of(read.map,
                               [&](const Index &index) {
                                   return isConstantZero(index) ||
                                          (index.terms.size() == 1 &&
                                           isAxis(index, index.terms[0].axis));
                               }) &&
           std::ranges::all_of(copy.write, [&](const Index &index) {
               return isConstantZero(index) ||
                      (index.terms.size() == 1 && isAxis(index, index.terms[0].axis));
           });
}

} // namespace

std::optional<Description> withIndexChange(const Description &consumer, int input,
                                           const Description &movement)
{
    const Stage *copy = copyStage(movement);
    if (!copy || consumer.isOpaque())
        return std::nullopt;
    const Read &from = copy->reads[std::size_t(copy->body->index)];
    const auto sources = inverseOf(*copy);
    if (!sources)
        return std::nullopt;
    Description result = consumer;
    for (Stage &stage : result.stages)
        for (Read &read : stage.reads) {
            if (read.operand != Operand{Operand::Kind::Input, input})
                continue;
            if (read.outside != Read::Outside::Never && !permutes(*copy, from))
                return std::nullopt;
            IndexMap map;
            for (const Index &index : from.map) {
                auto changed = substituted(index, *sources, read.map);
                if (!changed)
                    return std::nullopt;
                map.push_back(std::move(*changed));
            }
            read.map = std::move(map);
        }
    return result;
}

std::vector<NodeId> indexChangesOf(const Ecg &ecg, std::span<const NodeId> nodes)
{
    const Graph &graph = ecg.graph();
    const std::unordered_set<NodeId> members(nodes.begin(), nodes.end());
    std::vector<NodeId> result;
    for (const NodeId id : nodes) {
        const Description &movement = *ecg.node(id).description;
        const Stage *copy = copyStage(movement);
        if (!copy || nodes.size() < 2)
            continue;
        const TensorId output = graph.node(id).outputs.front();
        bool readInside = false, changes = true;
        for (const Use &use : graph.uses(output)) {
            if (!members.contains(use.node))
                continue;
            readInside = true;
            changes = changes &&
                      withIndexChange(*ecg.node(use.node).description, int(use.slot), movement);
        }
        // At the end of a block, the producer writes every element directly to its final place.
        const bool producedInside =
            std::ranges::any_of(ecg.node(id).reads, [&](const EcgRead &read) {
                return read.producer.valid() && members.contains(read.producer);
            });
        const bool rearranges = ecg.node(id).mapping == MappingType::Reorganize ||
                                ecg.node(id).mapping == MappingType::Shuffle;
        if (readInside ? changes : producedInside && rearranges)
            result.push_back(id);
    }
    return result;
}

} // namespace graphloom
