// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/analysis.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace graphloom {

namespace {

bool runsOnce(const Axis &axis)
{
    return axis.extent == Dim(1);
}

bool isReduction(const Axis &axis)
{
    return axis.kind == Axis::Kind::Reduce && !runsOnce(axis);
}

/// The largest value of an affine index, plus one.
Dim reachOf(const Index &index, const std::vector<Axis> &axes)
{
    Dim reach = index.offset + Dim(1);
    for (const auto &term : index.terms)
        reach += term.coefficient * (axes[std::size_t(term.axis)].extent - Dim(1));
    return reach;
}

/// All axes that an index depends on, through its lookup as well.
void collectAxes(const Stage &stage, const Index &index, std::set<int> &axes, int depth = 0)
{
    for (const auto &term : index.terms)
        axes.insert(term.axis);
    if (index.lookup >= 0 && depth < 4)
        for (const Index &inner : stage.reads[std::size_t(index.lookup)].map)
            collectAxes(stage, inner, axes, depth + 1);
}

std::set<int> axesOf(const Stage &stage, const IndexMap &map)
{
    std::set<int> axes;
    for (const Index &index : map)
        collectAxes(stage, index, axes);
    return axes;
}

/// Axes of one dimension that run more than once, outermost (largest coefficient) first.
std::vector<int> factorsOf(const Index &index, const std::vector<Axis> &axes)
{
    auto terms = index.terms;
    std::erase_if(terms, [&](const auto &term) { return runsOnce(axes[std::size_t(term.axis)]); });
    // Symbolic coefficients keep the order in which the entry wrote them: outermost first.
    if (std::ranges::all_of(terms, [](const auto &t) { return t.coefficient.isConstant(); }))
        std::ranges::stable_sort(terms, [](const auto &a, const auto &b) {
            return std::abs(a.coefficient.value()) > std::abs(b.coefficient.value());
        });
    std::vector<int> factors;
    for (const auto &term : terms)
        factors.push_back(term.axis);
    return factors;
}

/// Do two points of the axes ever share a value of this index, as sliding windows do?
bool overlaps(const Index &index, const std::vector<Axis> &axes)
{
    const auto factors = factorsOf(index, axes);
    Dim inner = 1; // values covered by the factors further in
    for (auto at = factors.rbegin(); at != factors.rend(); ++at) {
        const auto term = std::ranges::find(index.terms, *at, &Index::Term::axis);
        Dim step = term->coefficient;
        if (step.isConstant() && step.value() < 0)
            step = step * Dim(-1);
        const Dim gap = step - inner;
        if (gap.isConstant() && gap.value() < 0)
            return true;
        inner = inner + step * (axes[std::size_t(*at)].extent - Dim(1));
    }
    return false;
}

/// floor(linear / stride) mod extent in every dimension, over one row-major position: the form
/// that a Reshape without common factors takes.
bool decodesRowMajorPosition(const IndexMap &map)
{
    const Index *first = nullptr;
    bool innermost = false; // the dimension that steps with the position
    for (const Index &index : map) {
        if (index.table || index.lookup >= 0)
            return false;
        innermost = innermost || index.divide == Dim(1);
        if (index.terms.empty())
            continue; // a dimension of extent one
        if (!first)
            first = &index;
        if (index.terms.size() != first->terms.size() || !(index.offset == first->offset))
            return false;
        for (std::size_t i = 0; i < index.terms.size(); ++i)
            if (index.terms[i].axis != first->terms[i].axis ||
                !(index.terms[i].coefficient == first->terms[i].coefficient))
                return false;
    }
    return first != nullptr && innermost;
}

MappingType mappingOf(const Stage &stage, const Read &read)
{
    const auto used = axesOf(stage, read.map);
    for (const int axis : used)
        if (isReduction(stage.axes[std::size_t(axis)]))
            return MappingType::ManyToMany;
    // Written to where data say: as with a data-dependent read, any element may be reached.
    if (std::ranges::any_of(stage.write, [](const Index &index) { return index.lookup >= 0; }))
        return MappingType::OneToMany;
    const bool affine =
        std::ranges::all_of(read.map, [](const Index &index) { return index.isAffine(); });
    if (!affine && !decodesRowMajorPosition(read.map))
        return MappingType::OneToMany;
    for (int axis = 0; axis < int(stage.axes.size()); ++axis)
        if (stage.axes[std::size_t(axis)].kind == Axis::Kind::Space &&
            !runsOnce(stage.axes[std::size_t(axis)]) && !used.contains(axis))
            return MappingType::OneToMany;
    if (!affine)
        return MappingType::Reorganize;
    if (read.outside == Read::Outside::Clamp || read.outside == Read::Outside::Reflect ||
        read.outside == Read::Outside::Wrap ||
        std::ranges::any_of(read.map, [&](const Index &i) { return overlaps(i, stage.axes); }))
        return MappingType::OneToMany;

    std::vector<int> readOrder, writeOrder;
    bool sameDimensions = read.map.size() == stage.write.size();
    for (std::size_t d = 0; d < std::max(read.map.size(), stage.write.size()); ++d) {
        const auto from = d < read.map.size() ? factorsOf(read.map[d], stage.axes) : std::vector<int>{};
        const auto to = d < stage.write.size() ? factorsOf(stage.write[d], stage.axes) : std::vector<int>{};
        readOrder.insert(readOrder.end(), from.begin(), from.end());
        writeOrder.insert(writeOrder.end(), to.begin(), to.end());
        sameDimensions = sameDimensions && from == to;
    }
    if (readOrder != writeOrder)
        return MappingType::Shuffle;
    return sameDimensions ? MappingType::OneToOne : MappingType::Reorganize;
}

void collectLoads(const Expr::Node &node, std::set<int> &reads)
{
    if (node.fn == Fn::Load)
        reads.insert(node.index);
    for (const auto &argument : node.arguments)
        if (argument)
            collectLoads(*argument, reads);
}

/// The reads whose elements matter to the stage: loaded, or looked up in.
std::set<int> loadedReads(const Stage &stage)
{
    std::set<int> reads;
    if (!stage.body.empty())
        collectLoads(*stage.body, reads);
    if (!stage.finish.empty())
        collectLoads(*stage.finish, reads);
    std::vector<int> pending(reads.begin(), reads.end());
    const auto add = [&](const IndexMap &map) {
        for (const Index &index : map)
            if (index.lookup >= 0 && reads.insert(index.lookup).second)
                pending.push_back(index.lookup);
    };
    add(stage.write);
    while (!pending.empty()) {
        const int read = pending.back();
        pending.pop_back();
        add(stage.reads[std::size_t(read)].map);
    }
    return reads;
}

bool sumsProducts(const Stage &stage)
{
    if (stage.combine != Combine::Sum)
        return false;
    const Expr::Node *body = &*stage.body;
    while (body->fn == Fn::Cast)
        body = body->arguments[0].get();
    if (body->fn != Fn::Mul)
        return false;
    std::set<int> left, right;
    collectLoads(*body->arguments[0], left);
    collectLoads(*body->arguments[1], right);
    return !left.empty() && !right.empty() && left != right;
}

Dim pointsOf(const Stage &stage, bool withReductions = true)
{
    Dim points = 1;
    for (const Axis &axis : stage.axes)
        if (withReductions || axis.kind == Axis::Kind::Space)
            points *= axis.extent;
    return points;
}

int operationsOf(const Expr &expr)
{
    if (expr.empty())
        return 0;
    const auto count = [](const auto &self, const Expr::Node &node) -> int {
        const int own = arityOf(node.fn) > 0 && node.fn != Fn::Cast && node.fn != Fn::Table;
        int total = own;
        for (const auto &argument : node.arguments)
            if (argument)
                total += self(self, *argument);
        return total;
    };
    return count(count, *expr);
}

} // namespace

std::string_view nameOf(MappingType type)
{
    constexpr std::string_view names[] = {"One-to-One",  "Reorganize",   "Shuffle",
                                          "One-to-Many", "Many-to-Many", "Opaque"};
    return names[std::size_t(type)];
}

std::string_view nameOf(OperatorClass operatorClass)
{
    constexpr std::string_view names[] = {"contraction", "window or reduction", "elementwise",
                                          "broadcast",   "data movement",       "opaque"};
    return names[std::size_t(operatorClass)];
}

Shape shapeOf(const Description &description, int value)
{
    Shape shape;
    bool first = true;
    for (const Stage &stage : description.stages) {
        if (stage.value != value || std::ranges::any_of(stage.write, [](const Index &index) {
                return !index.isAffine();
            }))
            continue; // a scattered write stays inside what an earlier stage has written
        for (std::size_t d = 0; d < stage.write.size(); ++d) {
            const Dim reach = reachOf(stage.write[d], stage.axes);
            if (first)
                shape.push_back(reach);
            else
                shape[d] = Dim::max(shape[d], reach);
        }
        first = false;
    }
    return shape;
}

std::optional<MappingType> mappingType(const Description &description, int input, int output)
{
    if (description.isOpaque())
        return MappingType::Opaque;
    std::vector<std::optional<MappingType>> ofValue(description.values.size());
    for (const Stage &stage : description.stages) {
        for (const int r : loadedReads(stage)) {
            const Read &read = stage.reads[std::size_t(r)];
            std::optional<MappingType> before = MappingType::OneToOne;
            if (read.operand.kind == Operand::Kind::Value)
                before = ofValue[std::size_t(read.operand.index)];
            else if (read.operand.index != input)
                before = std::nullopt;
            if (!before)
                continue;
            auto &type = ofValue[std::size_t(stage.value)];
            const MappingType path = std::max(*before, mappingOf(stage, read));
            type = type ? std::max(*type, path) : path;
        }
    }
    return ofValue[std::size_t(output)];
}

MappingType mappingType(const Description &description, const std::vector<bool> &constantInputs)
{
    if (description.isOpaque())
        return MappingType::Opaque;
    const bool allConstant = std::ranges::all_of(constantInputs, std::identity{});
    MappingType type = MappingType::OneToOne;
    for (int input = 0; input < int(constantInputs.size()); ++input) {
        if (constantInputs[std::size_t(input)] && !allConstant)
            continue;
        for (int output = 0; output < description.outputs; ++output)
            if (const auto pair = mappingType(description, input, output))
                type = std::max(type, *pair);
    }
    return type;
}

OperatorClass classOf(const Description &description, const std::vector<bool> &constantInputs)
{
    if (std::ranges::any_of(description.stages, sumsProducts))
        return OperatorClass::Contraction;
    switch (mappingType(description, constantInputs)) {
    case MappingType::OneToOne:
        return OperatorClass::Elementwise;
    case MappingType::Reorganize:
    case MappingType::Shuffle:
        return OperatorClass::Movement;
    case MappingType::OneToMany: {
        // Elementwise with a broadcast operand computes; Expand, Gather and Resize only repeat.
        const bool computes = std::ranges::any_of(description.stages, [](const Stage &stage) {
            return stage.reads.size() > 1 && operationsOf(stage.body) > 0;
        });
        return computes ? OperatorClass::Elementwise : OperatorClass::Broadcast;
    }
    case MappingType::ManyToMany:
        return OperatorClass::Window;
    case MappingType::Opaque:
        break;
    }
    return OperatorClass::Opaque;
}

Dim macsOf(const Description &description)
{
    Dim macs = 0;
    for (const Stage &stage : description.stages)
        if (sumsProducts(stage))
            macs += pointsOf(stage);
    return macs;
}

Dim flopsOf(const Description &description)
{
    Dim flops = 0;
    for (const Stage &stage : description.stages)
        flops += pointsOf(stage) *
                     Dim(operationsOf(stage.body) + (stage.combine == Combine::None ? 0 : 1)) +
                 pointsOf(stage, false) * Dim(operationsOf(stage.finish));
    return flops;
}

Traffic trafficOf(const Description &description, const Call &call)
{
    Traffic traffic{0, 0};
    std::vector<Dim> distinct(call.inputCount(), Dim(0));
    const auto bytes = [](DataType type) { return Dim(std::max(1, bitsOf(type) / 8)); };
    for (const Stage &stage : description.stages) {
        for (const int r : loadedReads(stage)) {
            const Read &read = stage.reads[std::size_t(r)];
            const auto input = std::size_t(read.operand.index);
            if (read.operand.kind != Operand::Kind::Input || !call.has(input) ||
                !call.input(input).shape)
                continue;
            Dim elements = 1;
            for (std::size_t d = 0; d < read.map.size(); ++d) {
                std::set<int> axes;
                collectAxes(stage, read.map[d], axes);
                Dim points = 1;
                for (const int axis : axes)
                    points *= stage.axes[std::size_t(axis)].extent;
                elements *= Dim::min(points, call.shape(input)[d]);
            }
            distinct[input] = Dim::max(distinct[input], elements);
        }
    }
    for (std::size_t i = 0; i < distinct.size(); ++i)
        if (call.has(i))
            traffic.read += distinct[i] * bytes(call.type(i));
    if (description.isOpaque())
        for (std::size_t i = 0; i < call.inputCount(); ++i)
            if (call.has(i) && call.input(i).shape)
                traffic.read += elementsOf(call.shape(i)) * bytes(call.type(i));
    for (int v = 0; v < description.outputs; ++v) {
        const Value &value = description.values[std::size_t(v)];
        if (value.shape)
            traffic.written += elementsOf(*value.shape) * bytes(value.type);
    }
    return traffic;
}

namespace {

/// How a dimension of a tensor follows an axis of a stage: as its outermost factor, possibly
/// with a window of reduction axes around it.
struct Follows {
    int axis;
    Dim step, before = 0, after = 0;
};

std::optional<Follows> followedAxis(const Index &index, const Stage &stage)
{
    if (!index.isAffine())
        return std::nullopt;
    const auto factors = factorsOf(index, stage.axes);
    if (factors.empty())
        return std::nullopt;
    std::optional<Follows> found;
    Dim below = 0, above = 0; // span of the window around the axis
    const bool anySpace = std::ranges::any_of(factors, [&](int axis) {
        return stage.axes[std::size_t(axis)].kind == Axis::Kind::Space;
    });
    for (const int axis : factors) {
        const auto term = std::ranges::find(index.terms, axis, &Index::Term::axis);
        const Axis &loop = stage.axes[std::size_t(axis)];
        if (!found && (loop.kind == Axis::Kind::Space || !anySpace)) {
            found = Follows{axis, term->coefficient, 0, 0};
        } else if (loop.kind == Axis::Kind::Reduce && anySpace) {
            const Dim span = term->coefficient * (loop.extent - Dim(1));
            (span.isConstant() && span.value() < 0 ? below : above) += span;
        }
    }
    if (found && anySpace && (!(below == Dim(0)) || !(above == Dim(0)))) {
        found->before = Dim(0) - index.offset - below;
        found->after = index.offset + above;
    }
    return found;
}

/// An edge into a value that may be an intermediate result.
struct ValueEdge {
    int input, inputDim, dim;
    Dim inputStep, step, stride, before, after;
};

} // namespace

int reductionAxes(const Description &description)
{
    int count = 0;
    for (const Stage &stage : description.stages)
        count += int(std::ranges::count_if(stage.axes, isReduction));
    return count;
}

std::vector<DimensionEdge> dimensionEdges(const Description &description)
{
    std::vector<DimensionEdge> edges;
    std::vector<std::vector<ValueEdge>> into(description.values.size());
    const auto add = [&](DimensionEdge edge) {
        const auto same = [&](const DimensionEdge &other) {
            return other.input == edge.input && other.inputDim == edge.inputDim &&
                   other.output == edge.output && other.outputDim == edge.outputDim;
        };
        if (std::ranges::none_of(edges, same))
            edges.push_back(std::move(edge));
    };
    int reductionsBefore = 0;
    for (const Stage &stage : description.stages) {
        std::vector<int> number(stage.axes.size(), 0); // -k of each reduction axis
        int k = reductionsBefore;
        for (std::size_t a = 0; a < stage.axes.size(); ++a)
            if (isReduction(stage.axes[a]))
                number[a] = -++k;
        reductionsBefore = k;
        for (const int r : loadedReads(stage)) {
            const Read &read = stage.reads[std::size_t(r)];
            for (int d = 0; d < int(read.map.size()); ++d) {
                const auto from = followedAxis(read.map[std::size_t(d)], stage);
                if (!from)
                    continue;
                // What flows into this dimension: an input's own, or what reached a value.
                std::vector<ValueEdge> sources;
                if (read.operand.kind == Operand::Kind::Input)
                    sources.push_back({read.operand.index, d, d, from->step, 1, 1, 0, 0});
                else
                    for (ValueEdge edge : into[std::size_t(read.operand.index)])
                        if (edge.dim == d)
                            sources.push_back(edge);
                const bool window = !(from->before == Dim(0)) || !(from->after == Dim(0));
                for (const ValueEdge &source : sources) {
                    if (const int reduction = number[std::size_t(from->axis)]; reduction < 0) {
                        for (int output = 0; output < description.outputs; ++output)
                            add({source.input, source.inputDim, output, reduction,
                                 source.inputStep, 1, 1, 0, 0});
                        continue;
                    }
                    for (int w = 0; w < int(stage.write.size()); ++w) {
                        const auto to = followedAxis(stage.write[std::size_t(w)], stage);
                        if (!to || to->axis != from->axis)
                            continue;
                        ValueEdge edge{source.input, source.inputDim, w,
                                       window ? Dim(1) : source.inputStep, to->step,
                                       window ? from->step : source.stride, from->before,
                                       from->after};
                        into[std::size_t(stage.value)].push_back(edge);
                        if (stage.value < description.outputs)
                            add({edge.input, edge.inputDim, stage.value, w, edge.inputStep,
                                 edge.step, edge.stride, edge.before, edge.after});
                    }
                }
            }
        }
    }
    return edges;
}

std::vector<ReuseAxis> reuseAxes(const Description &description, int input)
{
    std::vector<ReuseAxis> result;
    for (int s = 0; s < int(description.stages.size()); ++s) {
        const Stage &stage = description.stages[std::size_t(s)];
        std::set<int> reused;
        for (const int r : loadedReads(stage)) {
            const Read &read = stage.reads[std::size_t(r)];
            if (read.operand != Operand{Operand::Kind::Input, input})
                continue;
            const auto used = axesOf(stage, read.map);
            for (int a = 0; a < int(stage.axes.size()); ++a)
                if (!used.contains(a) && stage.axes[std::size_t(a)].kind == Axis::Kind::Space &&
                    !runsOnce(stage.axes[std::size_t(a)]))
                    reused.insert(a);
            for (const Index &index : read.map) {
                const bool window = std::ranges::any_of(index.terms, [&](const auto &term) {
                    return isReduction(stage.axes[std::size_t(term.axis)]);
                });
                for (const auto &term : index.terms)
                    if (window && stage.axes[std::size_t(term.axis)].kind == Axis::Kind::Space &&
                        !runsOnce(stage.axes[std::size_t(term.axis)]) && overlaps(index, stage.axes))
                        reused.insert(term.axis);
            }
        }
        for (const int a : reused)
            result.push_back({s, a, stage.axes[std::size_t(a)].name, stage.axes[std::size_t(a)].extent});
    }
    return result;
}

Dim iterationSpace(const Description &description)
{
    Dim points = 0;
    for (const Stage &stage : description.stages)
        points += pointsOf(stage);
    return points;
}

std::vector<std::vector<Dim>> loopExtents(const Description &description)
{
    std::vector<std::vector<Dim>> extents;
    for (const Stage &stage : description.stages) {
        auto &loops = extents.emplace_back();
        for (const Axis &axis : stage.axes)
            if (!runsOnce(axis))
                loops.push_back(axis.extent);
    }
    return extents;
}

double tuningWeight(const Description &description, double slope, double bias,
                    double symbolicExtent)
{
    double sum = 0;
    for (const auto &loops : loopExtents(description)) {
        double product = loops.empty() ? 0 : 1;
        for (const Dim &extent : loops) {
            const double size = extent.isConstant() ? double(extent.value()) : symbolicExtent;
            product *= size > 1 ? std::log2(size) : 0;
        }
        sum += product;
    }
    return slope * sum + bias;
}

std::vector<AxisRole> axisRoles(const Description &description, int stageIndex, int feature,
                                int parameter)
{
    const Stage &stage = description.stages[std::size_t(stageIndex)];
    const auto axesOfInput = [&](int input) {
        std::set<int> axes;
        for (const int r : loadedReads(stage))
            if (stage.reads[std::size_t(r)].operand == Operand{Operand::Kind::Input, input})
                axes.merge(axesOf(stage, stage.reads[std::size_t(r)].map));
        return axes;
    };
    const auto inFeature = axesOfInput(feature), inParameter = axesOfInput(parameter);
    std::vector<AxisRole> roles;
    for (int a = 0; a < int(stage.axes.size()); ++a) {
        const bool reads = inFeature.contains(a), weighs = inParameter.contains(a);
        if (stage.axes[std::size_t(a)].kind == Axis::Kind::Reduce)
            roles.push_back(weighs ? AxisRole::ParameterReduction : AxisRole::Other);
        else if (weighs)
            roles.push_back(AxisRole::OutputChannel); // a group axis is read by both
        else if (reads)
            roles.push_back(a == 0 ? AxisRole::Batch : AxisRole::FeatureSpace);
        else
            roles.push_back(AxisRole::Other);
    }
    return roles;
}

} // namespace graphloom
