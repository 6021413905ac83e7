// SPDX-License-Identifier: Apache-2.0
// Models what fissions copy: parts of tensors that are not contiguous, and sums of parts.
#include "plugins/magis/simulation/arrangement.h"

#include <algorithm>
#include <array>

namespace graphloom::magis {

namespace {

const SplitTensor *cutOfTensor(const std::vector<TensorId> &tensors,
                               const std::vector<SplitTensor> &cuts, TensorId tensor)
{
    for (std::size_t i = 0; i < tensors.size() && i < cuts.size(); ++i)
        if (tensors[i] == tensor)
            return &cuts[i];
    return nullptr;
}

/// Tells whether parts along this dimension are contiguous.
bool isContiguous(const Shape &shape, int dim)
{
    return std::all_of(shape.begin(), shape.begin() + dim,
                       [](const Dim &extent) { return extent == Dim(1); });
}

/// Tells whether the node's kernel adds each part to the sum of those before it.
bool addsInKernel(const MemoryGraph &memory, NodeId node, const Fission &fission)
{
    return memory.steps()[memory.stepOf(node)].addsToSum &&
           fission.splitOf(memory, node).combine == Combine::Sum;
}

} // namespace

/// Returns the share of a tensor that the enclosing fissions leave to the nodes of a region.
double Arrangement::sharesAround(FissionTable &table, RegionIndex region, TensorId tensor,
                                 std::span<const NodeId> nodes) const
{
    const MemoryGraph &memory = table.memory();
    const RegionIndex scope = m_scope[memory.bufferOf(tensor)];
    double share = 1;
    for (RegionIndex outer = m_regions[region].parent; outer.isValid() && outer != scope;
         outer = m_regions[outer].parent) {
        const Fission &fission = fissionOf(table, outer);
        double largest = 0;
        for (const NodeId id : nodes) {
            const Node &node = memory.graph().node(id);
            const Split &split = fission.splitOf(memory, id);
            const SplitTensor *cut = cutOfTensor(node.inputs, split.inputs, tensor);
            if (!cut)
                cut = cutOfTensor(node.outputs, split.outputs, tensor);
            largest = std::max(
                largest, cut && cut->isCut() ? largestTaken(table, outer, id, tensor, *cut) : 1);
        }
        share *= largest > 0 ? largest : 1;
    }
    return share;
}

/// Returns the largest share of a tensor that a part of a node accesses, with its halo.
double Arrangement::largestTaken(const FissionTable &table, RegionIndex region, NodeId node,
                                 TensorId tensor, const SplitTensor &cut) const
{
    const MemoryGraph &memory = table.memory();
    const Fission &fission = fissionOf(table, region);
    const double steps =
        largestShare(table, region, node) * double(fission.splitOf(memory, node).extent);
    const Dim &extent = (*memory.graph().tensor(tensor).shape)[std::size_t(cut.dim)];
    return std::min(1.0, (double(cut.step) * steps + double(cut.before + cut.after)) /
                             double(extent.value()));
}

/// Tells whether a region is the other one or inside of it.
bool Arrangement::isWithin(RegionIndex region, RegionIndex outer) const
{
    while (region.isValid() && region != outer)
        region = m_regions[region].parent;
    return region == outer;
}

/// Returns how often a region's parts run, over all parts of the enclosing regions.
double Arrangement::runsOf(RegionIndex region) const
{
    double runs = 1;
    for (; region.isValid(); region = m_regions[region].parent)
        runs *= m_fissions[region].number;
    return runs;
}

/// Adds copies of parts that are not contiguous, and the summation of partial sums. Contiguous
/// parts are read and written in place.
void Arrangement::addCopies(FissionTable &table)
{
    for (const RegionIndex r : m_regions.indices()) {
        addInputCopies(table, r);
        addOutputCopies(table, r);
    }
    std::ranges::stable_sort(m_copies, {}, &Copy::position);
}

/// Returns the pieces of tensors that a region reads while larger pieces are in memory.
std::vector<Parts::Piece> Arrangement::piecesOf(FissionTable &table, RegionIndex r) const
{
    if (const Parts &parts = *m_parts[r]; !parts.shares.empty())
        return parts.pieces;
    const MemoryGraph &memory = table.memory();
    const Graph &graph = memory.graph();
    const Fission &fission = fissionOf(table, r);
    // Shares matter only for pieces that are copied.
    std::vector<Parts::Piece> pieces;
    for (const Parts::Piece &taken : m_facts[r]->taken) {
        if (isContiguous(*graph.tensor(taken.tensor).shape, taken.dim))
            continue;
        Parts::Piece &piece = pieces.emplace_back(taken);
        for (const NodeId reader : piece.readers) {
            const auto &inputs = graph.node(reader).inputs;
            const auto &cuts = fission.splitOf(memory, reader).inputs;
            for (std::size_t i = 0; i < inputs.size(); ++i)
                if (inputs[i] == piece.tensor && cutOf(cuts, i).isCut())
                    piece.share = std::max(piece.share,
                                           largestTaken(table, r, reader, piece.tensor, cuts[i]));
        }
    }
    return pieces;
}

void Arrangement::addInputCopies(FissionTable &table, RegionIndex r)
{
    const MemoryGraph &memory = table.memory();
    const Graph &graph = memory.graph();
    const Region &region = m_regions[r];
    for (const Parts::Piece &piece : piecesOf(table, r)) {
        const BufferIndex buffer = memory.bufferOf(piece.tensor);
        if (!buffer.isValid() || isContiguous(*graph.tensor(piece.tensor).shape, piece.dim))
            continue;
        Position first = region.end, last = region.begin;
        for (const NodeId reader : piece.readers) {
            const StepIndex step = memory.stepOf(reader);
            const Position p = step.isValid() ? position(step) : region.begin;
            const RegionIndex below = outermostBelow(m_regionAt[p], r);
            first = std::min(first, below.isValid() ? m_regions[below].begin : p);
            last = std::max(last, step.isValid() ? endOfUse(p, r) : region.end);
        }
        double bytes = double(m_bytes[buffer]) * piece.share;
        const NodeId producer = graph.producer(piece.tensor);
        if (isWithin(m_scope[buffer], r))
            bytes /= largestShare(table, r, producer); // these are a part's bytes already
        else
            bytes *= sharesAround(table, r, piece.tensor, piece.readers);
        m_extras.push_back({first, last, std::int64_t(bytes)});
        const double seconds =
            runsOf(r) * (memory.device().launchSeconds + 2 * bytes / memory.device().bandwidth);
        m_seconds[first] += seconds;
        for (const NodeId reader : piece.readers)
            if (const StepIndex step = memory.stepOf(reader); step.isValid())
                m_copies.push_back(
                    {position(step), std::int64_t(bytes), position(step) == first ? 0 : seconds});
    }
}

void Arrangement::addOutputCopies(FissionTable &table, RegionIndex r)
{
    const MemoryGraph &memory = table.memory();
    const Graph &graph = memory.graph();
    const Device &device = memory.device();
    const Fission &fission = fissionOf(table, r);
    for (const TensorId output : m_facts[r]->given) {
        const NodeId producer = graph.producer(output);
        const Position p = position(memory.stepOf(producer));
        const auto cutBy = [&](RegionIndex region) {
            const Fission &other = fissionOf(table, region);
            const SplitTensor *cut = cutOfTensor(graph.node(producer).outputs,
                                                 other.splitOf(memory, producer).outputs, output);
            return cut && cut->isCut() ? cut->dim : -1;
        };
        const int dim = cutBy(r);
        const RegionIndex below = outermostBelow(m_regionAt[p], r);
        const bool sum = dim < 0;
        if (sum && !m_regions[r].parent.isValid())
            m_isSum[memory.bufferOf(output)] = true;
        if (!sum && isContiguous(*graph.tensor(output).shape, dim))
            continue;
        // A fission inside that adds to the same sum does so for this one, too.
        if (sum && below.isValid() && cutBy(below) < 0)
            continue;
        const double runs = runsOf(r);
        const double whole = double(m_bytes[memory.bufferOf(output)]) *
                             sharesAround(table, r, output, std::array{producer});
        const double bytes = sum ? whole : whole * largestShare(table, r, producer);
        if (sum && !below.isValid() &&
            addsInKernel(memory, producer, fission)) { // the kernel reads the sum, too
            m_seconds[p] += (runs - 1) * whole / device.bandwidth;
            continue;
        }
        // Readers inside read the part, not its copy in the whole; a part that a fission inside
        // assembles takes memory while that fission runs.
        const Position first = below.isValid() ? m_regions[below].begin : p;
        Position last = below.isValid() ? m_regions[below].end : p;
        for (const StepIndex reader : memory.buffers()[memory.bufferOf(output)].readers)
            if (!sum && fission.containsStep(reader))
                last = std::max(last, endOfUse(position(reader), r));
        m_extras.push_back({first, last, std::int64_t(bytes)});
        // The first part becomes the sum; each later one is read, and the sum is read and written.
        m_seconds[p] += (sum ? runs - 1 : runs) *
                        (device.launchSeconds + (sum ? 3 : 2) * bytes / device.bandwidth);
    }
}

} // namespace graphloom::magis
