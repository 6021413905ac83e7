// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/facts/row_fusion.h"

#include "engine/base/typed_index.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>

namespace graphloom {

namespace {

/// Counts the dimensions of a tensor.
using Dimension = TypedIndex<struct RowDimensionTag>;
/// Counts the loops over rows.
using RowLoop = TypedIndex<struct RowLoopTag>;

bool isPlain(const DimensionEdge &edge)
{
    return edge.outputDim >= 0 && edge.inputStep == Dim(1) && edge.outputStep == Dim(1) &&
           edge.stride == Dim(1) && edge.before == Dim(0) && edge.after == Dim(0);
}

/// Tells whether positions of the result read windows that go along with them.
bool isWindow(const DimensionEdge &edge)
{
    return edge.outputDim >= 0 && edge.inputStep == Dim(1) && edge.outputStep == Dim(1) &&
           edge.stride.isConstant() && edge.before.isConstant() && edge.after.isConstant();
}

/// Finds the rows of a block. The label of a dimension is the loop over rows that runs along it; a
/// dimension without a label is inside a row.
class Rows {
public:
    /// The kinds of rows: independent ones, or those along which windows slide, each with the
    /// dimensions outside of it or alone.
    enum class Kind { Independent, SlidingInside, Sliding };

    /// `inside` is a dimension that stays inside of the rows although it could be outside; none if
    /// it is invalid.
    Rows(const Ecg &ecg, std::span<const NodeId> nodes, Kind kind, Dimension inside = {})
        : m_ecg(ecg), m_graph(ecg.graph()), m_nodes(nodes), m_members(nodes.begin(), nodes.end()),
          m_kind(kind), m_inside(inside)
    {
    }

    RowFusion run(std::span<const RowRead> rowReads)
    {
        if (!start(rowReads))
            return std::move(m_result);
        while (m_result.refusal.empty() && pass())
            ;
        if (m_result.refusal.empty())
            checkReads(rowReads);
        if (m_result.refusal.empty())
            measure(rowReads);
        return std::move(m_result);
    }
    /// Returns the dimensions outside of the rows, of the tensor whose reduction they follow.
    const std::vector<Dimension> &outside() const { return m_outside; }

private:
    bool start(std::span<const RowRead> rowReads);
    /// Labels the dimensions that a reduction reads. Returns false if it should slide, but does
    /// not.
    bool follow(NodeId anchor, std::uint32_t slot);
    bool pass();
    bool label(TensorId tensor, Dimension dim, RowLoop value);
    void checkReads(std::span<const RowRead> rowReads);
    void measure(std::span<const RowRead> rowReads);
    bool carries(const EcgNode &facts, const EcgRead &read, NodeId id) const;
    /// Tells whether a loop over rows may go along with an edge.
    bool goesAlong(const DimensionEdge &edge, RowLoop loop) const
    {
        return isPlain(edge) || (loop == m_sliding && loop.isValid() && isWindow(edge));
    }
    /// Returns how many rows of a tensor a point of the loops over rows reads.
    double rowsRead(const RowRead &row) const;
    /// Returns the bytes of a tensor at one point of the loops over rows.
    double insideBytes(TensorId tensor) const;
    double rowsOf(TensorId tensor) const;
    double slicesOf(const EcgNode &facts, const EcgRead &read, const Node &node) const;

    using Labels = IndexedVector<Dimension, RowLoop>;

    Labels &labels(TensorId tensor)
    {
        auto &list = m_labels[tensor];
        if (list.empty() && m_graph.tensor(tensor).shape)
            list.resize(m_graph.tensor(tensor).shape->size());
        return list;
    }
    bool isInside(TensorId tensor) const
    {
        const NodeId producer = m_graph.producer(tensor);
        return producer.valid() && m_members.contains(producer);
    }
    double extent(TensorId tensor, Dimension dim) const
    {
        const auto &shape = *m_graph.tensor(tensor).shape;
        const auto value = shape[std::size_t(dim.number())].evaluate(
            [](const std::string &) { return Ecg::symbolicExtent; });
        return value ? double(*value) : 1;
    }

    const Ecg &m_ecg;
    const Graph &m_graph;
    std::span<const NodeId> m_nodes;
    std::unordered_set<NodeId> m_members;
    std::unordered_map<TensorId, Labels> m_labels;
    IndexedVector<RowLoop, double> m_extents;
    Kind m_kind;
    Dimension m_inside;
    std::vector<Dimension> m_outside;
    RowLoop m_sliding;
    RowFusion m_result;
};

/// Takes the dimensions that the first reduction reads and passes on unchanged as the loops over
/// rows, or those of the first one that slides. Returns false if there is no such reduction.
bool Rows::start(std::span<const RowRead> rowReads)
{
    bool isAny = false;
    for (const NodeId id : m_nodes) {
        const EcgNode &facts = m_ecg.node(id);
        for (const EcgRead &read : facts.reads) {
            const bool kept = std::ranges::any_of(rowReads, [&](const RowRead &row) {
                return row.kept && row.consumer == id && row.tensor == read.tensor;
            });
            if (!kept && (facts.operatorClass != OperatorClass::Window || read.constant ||
                          read.mapping != MappingType::ManyToMany))
                continue;
            if (follow(id, read.slot))
                return true;
            isAny = true;
        }
    }
    m_result.refusal = isAny ? "there are no windows that the block could slide along"
                             : "there is no reduction whose rows the block could follow";
    return false;
}

bool Rows::follow(NodeId anchor, std::uint32_t slot)
{
    m_labels.clear();
    m_extents.clear();
    const TensorId tensor = m_graph.node(anchor).inputs[slot];
    const auto &edges = m_ecg.node(anchor).dimensions;
    auto &list = labels(tensor);
    for (const Dimension dim : list.indices()) {
        bool passed = false, slides = false, reduced = false, strange = false;
        for (const DimensionEdge &edge : edges) {
            if (edge.input != int(slot) || Dimension(edge.inputDim) != dim)
                continue;
            passed = passed || isPlain(edge);
            slides = slides || (!isPlain(edge) && isWindow(edge));
            reduced = reduced || edge.outputDim < 0;
            strange = strange || !(isWindow(edge) || edge.outputDim < 0);
        }
        // The reduction over the window itself stays inside.
        if (m_kind != Kind::Independent && slides && !strange) {
            m_sliding = list[dim] = m_extents.append(extent(tensor, dim));
            return true;
        }
        if (m_kind == Kind::Sliding || !passed || slides || reduced || strange || dim == m_inside)
            continue;
        list[dim] = m_extents.append(extent(tensor, dim));
        m_outside.push_back(dim);
    }
    return m_kind == Kind::Independent;
}

bool Rows::label(TensorId tensor, Dimension dim, RowLoop value)
{
    auto &list = labels(tensor);
    if (!list.contains(dim) || list[dim] == value)
        return false;
    if (list[dim].isValid() || std::ranges::count(list, value)) {
        m_result.refusal = "rows of \"" + m_graph.tensor(tensor).name +
                           "\" would be split in two incompatible ways";
        return false;
    }
    list[dim] = value;
    return true;
}

/// Propagates labels through every node in both directions. Tells whether something changed.
bool Rows::pass()
{
    bool changed = false;
    for (const NodeId id : m_nodes) {
        const Node &node = m_graph.node(id);
        const auto &edges = m_ecg.node(id).dimensions;
        for (const DimensionEdge &edge : edges) {
            if (!(isPlain(edge) || isWindow(edge)) || !m_result.refusal.empty())
                continue;
            const TensorId from = node.inputs[std::size_t(edge.input)];
            const TensorId to = node.outputs[std::size_t(edge.output)];
            if (!from.valid() || !to.valid() || m_graph.tensor(from).constant)
                continue;
            const Dimension read(edge.inputDim), written(edge.outputDim);
            if (!labels(from).contains(read) || !labels(to).contains(written))
                continue; // the rank of a tensor is unknown
            const RowLoop known = labels(from)[read];
            if (known.isValid() && goesAlong(edge, known))
                changed = label(to, written, known) || changed;
            else if (const RowLoop back = labels(to)[written];
                     !known.isValid() && back.isValid() && goesAlong(edge, back))
                changed = label(from, read, back) || changed;
        }
    }
    return changed;
}

/// Tells whether every loop over rows passes through this read unchanged.
bool Rows::carries(const EcgNode &facts, const EcgRead &read, NodeId id) const
{
    const Node &node = m_graph.node(id);
    const auto found = m_labels.find(read.tensor);
    for (const TensorId output : node.outputs) {
        const auto outputLabels = output.valid() ? m_labels.find(output) : m_labels.end();
        if (outputLabels == m_labels.end())
            continue;
        for (const RowLoop label : outputLabels->second)
            if (label.isValid() &&
                (found == m_labels.end() || !std::ranges::count(found->second, label)))
                return false;
    }
    if (found == m_labels.end())
        return true;
    for (const Dimension dim : found->second.indices()) {
        const RowLoop label = found->second[dim];
        if (!label.isValid())
            continue;
        bool passed = false;
        for (const DimensionEdge &edge : facts.dimensions) {
            if (edge.input != int(read.slot) || Dimension(edge.inputDim) != dim)
                continue;
            if (label == m_sliding && edge.outputDim < 0)
                continue; // the reduction over a window
            if (!goesAlong(edge, label))
                return false;
            const auto out = m_labels.find(node.outputs[std::size_t(edge.output)]);
            const Dimension written(edge.outputDim);
            passed = passed || (out != m_labels.end() && out->second.contains(written) &&
                                out->second[written] == label);
        }
        if (!passed)
            return false;
    }
    return true;
}

void Rows::checkReads(std::span<const RowRead> rowReads)
{
    // A node that moves elements to other rows may end a block, but nothing may gather after it.
    std::unordered_set<TensorId> moved;
    for (const NodeId id : m_nodes) {
        const EcgNode &facts = m_ecg.node(id);
        bool movesOn = false;
        for (const EcgRead &read : facts.reads) {
            const bool needsRow = std::ranges::any_of(rowReads, [&](const RowRead &row) {
                return row.consumer == id && row.tensor == read.tensor;
            });
            if (!(isInside(read.tensor) || needsRow) || !read.mapping)
                continue;
            const bool gathers = read.mapping == MappingType::ManyToMany || needsRow;
            const bool clean = !moved.contains(read.tensor) && carries(facts, read, id);
            if (gathers && !clean) {
                m_result.refusal = m_graph.node(id).label() + " needs several rows of \"" +
                                   m_graph.tensor(read.tensor).name + "\" at once";
                return;
            }
            movesOn = movesOn || !clean;
        }
        if (movesOn)
            for (const TensorId output : m_graph.node(id).outputs)
                moved.insert(output);
    }
}

double Rows::rowsOf(TensorId tensor) const
{
    const auto found = m_labels.find(tensor);
    double rows = 1;
    if (found != m_labels.end())
        for (const Dimension dim : found->second.indices())
            if (found->second[dim].isValid())
                rows *= extent(tensor, dim);
    return rows;
}

double Rows::rowsRead(const RowRead &row) const
{
    const auto found = m_labels.find(row.tensor);
    double rows = 1;
    const EcgNode &facts = m_ecg.node(row.consumer);
    for (const EcgRead &read : facts.reads)
        for (const DimensionEdge &edge : facts.dimensions)
            if (read.tensor == row.tensor && edge.input == int(read.slot) && edge.outputDim >= 0 &&
                found != m_labels.end() && found->second.contains(Dimension(edge.inputDim)) &&
                found->second[Dimension(edge.inputDim)].isValid() && isWindow(edge))
                rows = std::max(rows, double(edge.before.value() + edge.after.value() + 1));
    return rows;
}

/// Counts the slices of an operand from outside: one for each point of the loops over rows that the
/// read moves with, even in windows, since the overlap of windows is in the cache.
double Rows::slicesOf(const EcgNode &facts, const EcgRead &read, const Node &node) const
{
    std::set<RowLoop> moving;
    if (const auto found = m_labels.find(read.tensor); found != m_labels.end())
        moving.insert(found->second.begin(), found->second.end());
    for (const DimensionEdge &edge : facts.dimensions) {
        if (edge.input != int(read.slot) || edge.outputDim < 0)
            continue;
        const auto out = m_labels.find(node.outputs[std::size_t(edge.output)]);
        const Dimension written(edge.outputDim);
        if (out != m_labels.end() && out->second.contains(written))
            moving.insert(out->second[written]);
    }
    double slices = 1;
    for (const RowLoop label : moving)
        if (label.isValid())
            slices *= m_extents[label];
    return std::max(1.0, slices);
}

double Rows::insideBytes(TensorId tensor) const
{
    return m_ecg.estimatedBytes(tensor) / std::max(1.0, rowsOf(tensor));
}

void Rows::measure(std::span<const RowRead> rowReads)
{
    for (const double extent : m_extents)
        m_result.rows *= extent;
    std::unordered_map<TensorId, double> kept; // and how many of its rows
    for (const RowRead &row : rowReads) {
        if (!row.producer.valid())
            continue;
        if (row.kept) {
            double &rows = kept[row.tensor];
            rows = std::max(rows, rowsRead(row));
            continue;
        }
        // Operands beside a broadcast result wait in scratch memory until the row is reduced.
        for (const EcgRead &read : m_ecg.node(row.consumer).reads)
            if (read.tensor != row.tensor && isInside(read.tensor))
                kept.try_emplace(read.tensor, 1);
    }
    for (const auto &[tensor, rows] : kept)
        m_result.keptBytes += rows * insideBytes(tensor);
    for (const NodeId id : m_nodes) {
        if (m_ecg.node(id).operatorClass != OperatorClass::Contraction)
            continue;
        for (const EcgRead &read : m_ecg.node(id).reads)
            if (!isInside(read.tensor) && read.mapping) {
                const double slices = slicesOf(m_ecg.node(id), read, m_graph.node(id));
                m_result.operands.push_back(
                    {read.tensor, m_ecg.estimatedBytes(read.tensor) / slices, slices});
            }
    }
}

} // namespace

double RowFusion::rereadBytes(double tileRows) const
{
    double bytes = 0;
    for (const Operand &operand : operands) {
        const double rowsOfSlice = std::max(1.0, rows / operand.slices);
        bytes += operand.bytes * operand.slices *
                 (std::ceil(rowsOfSlice / std::max(1.0, std::min(tileRows, rowsOfSlice))) - 1);
    }
    return bytes;
}

std::vector<RowFusion> rowFusionsOf(const Ecg &ecg, std::span<const NodeId> nodes,
                                    std::span<const RowRead> rowReads, bool joinsContractions)
{
    Rows independent(ecg, nodes, Rows::Kind::Independent);
    std::vector<RowFusion> ways{independent.run(rowReads)};
    if (!joinsContractions)
        return ways;
    const auto add = [&](Rows rows) {
        if (RowFusion way = rows.run(rowReads); way.refusal.empty())
            ways.push_back(std::move(way));
    };
    if (!ways.front().refusal.empty())
        for (const Dimension dim : independent.outside())
            add(Rows(ecg, nodes, Rows::Kind::Independent, dim));
    for (const Rows::Kind kind : {Rows::Kind::SlidingInside, Rows::Kind::Sliding})
        add(Rows(ecg, nodes, kind));
    return ways;
}

} // namespace graphloom
