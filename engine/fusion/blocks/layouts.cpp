// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/layouts.h"

#include "engine/base/min_cut.h"
#include "engine/base/typed_index.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_set>

namespace graphloom {

namespace {

/// Counts the blocks of the plan; an invalid index stands for the outside of the graph.
using PlanBlock = TypedIndex<struct PlanBlockTag>;

constexpr std::size_t leastRank = 4; // batch, channels, two spatial dimensions

/// Stand for KernelRates::pointRows and windowRows of devices that do not give them. Measured layer
/// by layer over MobileNet-V2 on a processor with AVX-512 (medians; ranges 1.1 to 1.5 and 1.8 to
/// 2.2).
constexpr double assumedPointRows = 1.3, assumedWindowRows = 2;

/// Describes an operator that slides over or contracts feature maps: dimension 1 of its first
/// operand is gathered or passed on as channels, later dimensions are spatial.
struct FeatureOperator {
    bool isOne = false;
    bool windows = false; // some spatial dimension has a window or a stride
    double innerStride = 1;
};

class LayoutChooser {
public:
    LayoutChooser(const Ecg &ecg, const FusionPlan &fusion, const Device &device,
                  Steps *steps = nullptr)
        : m_ecg(ecg), m_graph(ecg.graph()), m_fusion(fusion), m_device(device), m_steps(steps),
          m_isFeatureMap(ecg.graph().tensorBound(), 0)
    {
        findFeatureMaps();
    }

    LayoutPlan run(const FixedLayouts &fixed);
    LayoutPlan with(std::span<const Layout> layouts, const FixedLayouts &fixed);
    /// Fails with the reason if the block cannot have the layout.
    Result<void> check(PlanBlock block, Layout layout) const;

private:
    using Losses = std::array<double, 2>; // seconds, by layout

    FeatureOperator featureOperator(NodeId id) const;
    void findFeatureMaps();
    std::size_t rankOf(TensorId id) const
    {
        if (!id.valid()) // an omitted input
            return 0;
        const auto &shape = m_graph.tensor(id).shape;
        return shape ? shape->size() : 0;
    }
    double extent(TensorId id, std::size_t dim) const
    {
        const auto value = (*m_graph.tensor(id).shape)[dim].evaluate(
            [](const std::string &) { return Ecg::symbolicExtent; });
        return value ? double(*value) : 1;
    }
    Losses lossesOf(NodeId dominant) const;
    /// Determines the dominant operators of blocks, what the blocks lose and what crosses them.
    void weighBlocks();
    /// Returns the layouts of minimum total cost; if stopped, the required ones, else ONNX's.
    IndexedVector<PlanBlock, Layout> cheapest() const;
    /// Returns the layouts that the dominant operator of each block prefers.
    IndexedVector<PlanBlock, Layout> preferred() const;
    /// Returns what the block loses by a layout; unlimited if it cannot have the layout.
    double lossBy(PlanBlock block, Layout layout) const;
    LayoutPlan planOf(const IndexedVector<PlanBlock, Layout> &chosen) const;
    std::optional<Layout> wish(PlanBlock block) const
    {
        return m_wishes.contains(block) ? m_wishes[block] : std::nullopt;
    }
    /// Returns the seconds of reading a tensor in another order than that in which it is stored:
    /// neighbours on one side are no neighbours on the other one, whoever moves them.
    double reorderSeconds(TensorId id) const
    {
        const double bytes = m_ecg.estimatedBytes(id);
        return kernelSeconds(m_device, {.bytes = 2 * bytes, .strided = bytes});
    }
    const std::vector<NodeId> &nodesOf(PlanBlock block) const
    {
        return m_fusion.partition.subgraphs[std::size_t(block.number())].nodes;
    }
    const FusionBlock &fused(PlanBlock block) const
    {
        return m_fusion.blocks[std::size_t(block.number())];
    }
    /// Returns the block of a node; an invalid one for an invalid node.
    PlanBlock blockOf(NodeId id) const
    {
        return id.valid() ? PlanBlock(m_fusion.blockOf(id)) : PlanBlock();
    }
    /// Returns the blocks that read the tensor; also an invalid one if the graph outputs it.
    std::vector<PlanBlock> readersOf(TensorId id) const;
    double costOf(const IndexedVector<PlanBlock, Layout> &layouts,
                  std::vector<LayoutPlan::Transformation> *transformations) const;

    const Ecg &m_ecg;
    const Graph &m_graph;
    const FusionPlan &m_fusion;
    const Device &m_device;
    Steps *m_steps;
    std::vector<char> m_isFeatureMap;                  // by tensor id
    IndexedVector<PlanBlock, Losses> m_losses;         // of all its operators
    IndexedVector<PlanBlock, Losses> m_dominantLosses; // of the dominant one
    IndexedVector<PlanBlock, NodeId> m_dominant;
    IndexedVector<PlanBlock, char> m_fixed; // blocks that only support ONNX's order
    std::vector<TensorId> m_crossing;
    IndexedVector<PlanBlock, std::optional<Layout>> m_wishes;
};

FeatureOperator LayoutChooser::featureOperator(NodeId id) const
{
    FeatureOperator result;
    const EcgNode &facts = m_ecg.node(id);
    const Node &node = m_graph.node(id);
    if (facts.operatorClass != OperatorClass::Contraction &&
        facts.operatorClass != OperatorClass::Window)
        return result;
    if (node.inputs.empty() || !node.outputs[0].valid() || rankOf(node.inputs[0]) < leastRank ||
        rankOf(node.outputs[0]) != rankOf(node.inputs[0]))
        return result;
    const int rank = int(rankOf(node.inputs[0]));
    bool channels = false, others = false;
    int space = 0;
    for (const DimensionEdge &edge : facts.dimensions) {
        if (edge.input != 0 || edge.output != 0)
            continue;
        const bool window =
            !(edge.stride == Dim(1)) || !(edge.before == Dim(0)) || !(edge.after == Dim(0));
        if (edge.inputDim == 1)
            channels = channels || edge.outputDim == 1 || edge.outputDim < 0;
        else if (edge.inputDim >= 2 && edge.outputDim == edge.inputDim) {
            ++space;
            result.windows = result.windows || window;
            if (edge.inputDim == rank - 1)
                result.innerStride = double(edge.stride.constant().value_or(1));
        } else if (edge.inputDim >= 2) {
            others = true;
        }
    }
    // A matrix product contracts its last dimension, a normalization passes its channels through.
    const bool contracts = facts.operatorClass == OperatorClass::Contraction;
    result.isOne = channels && !others && space > 0 && (contracts || result.windows);
    return result;
}

void LayoutChooser::findFeatureMaps()
{
    std::vector<TensorId> open; // marked, but neighbours not visited yet
    const auto mark = [&](TensorId id) {
        const bool isNew = id.valid() && rankOf(id) >= leastRank && !m_isFeatureMap[id.index] &&
                           !m_graph.tensor(id).constant;
        if (isNew) {
            m_isFeatureMap[id.index] = 1;
            open.push_back(id);
        }
    };
    for (const NodeId id : m_graph.order())
        if (featureOperator(id).isOne) {
            mark(m_graph.node(id).inputs[0]);
            mark(m_graph.node(id).outputs[0]);
        }
    // Operators that keep the dimensions pass feature maps on, in both directions.
    const auto spread = [&](NodeId id) {
        for (const EcgRead &read : m_ecg.node(id).reads) {
            if (read.mapping != MappingType::OneToOne || read.constant)
                continue;
            for (const TensorId output : m_graph.node(id).outputs) {
                if (!output.valid() || rankOf(output) != rankOf(read.tensor))
                    continue;
                if (m_isFeatureMap[read.tensor.index])
                    mark(output);
                else if (m_isFeatureMap[output.index])
                    mark(read.tensor);
            }
        }
    };
    while (!open.empty()) {
        const TensorId id = open.back();
        open.pop_back();
        if (const NodeId producer = m_graph.producer(id); producer.valid())
            spread(producer);
        for (const Use &use : m_graph.uses(id))
            spread(use.node);
    }
}

LayoutChooser::Losses LayoutChooser::lossesOf(NodeId dominant) const
{
    const FeatureOperator feature = featureOperator(dominant);
    const TensorId output = m_graph.node(dominant).outputs[0];
    double width = extent(output, rankOf(output) - 1);
    if (!feature.windows) // rows follow one another without a gap
        for (std::size_t d = 2; d + 1 < rankOf(output); ++d)
            width *= extent(output, d);
    const auto idle = [&](double points) {
        const double lanes = double(m_device.lanes);
        return std::ceil(points / lanes) * lanes / std::max(1.0, points) - 1;
    };
    double seconds = 0;
    for (const MatrixWork &product : m_ecg.node(dominant).work.products)
        seconds += productSeconds(m_device, product);
    if (m_ecg.node(dominant).work.products.empty()) // pooling
        seconds = kernelSeconds(m_device, m_ecg.node(dominant).work) - m_device.launchSeconds;
    const double gather = std::min(double(m_device.lanes), feature.innerStride);
    const KernelRates *rates = m_device.rates();
    const double point = rates ? rates->pointRows.value : assumedPointRows;
    const double window = rates ? rates->windowRows.value : assumedWindowRows;
    const double rows = feature.windows ? window : point;
    return {seconds * ((1 + idle(width)) * gather * rows - 1), seconds * idle(extent(output, 1))};
}

std::vector<PlanBlock> LayoutChooser::readersOf(TensorId id) const
{
    std::vector<PlanBlock> readers;
    for (const Use &use : m_graph.uses(id)) {
        const PlanBlock block = blockOf(use.node);
        if (!std::ranges::count(readers, block))
            readers.push_back(block);
    }
    if (m_graph.isOutput(id))
        readers.push_back(PlanBlock());
    return readers;
}

double LayoutChooser::costOf(const IndexedVector<PlanBlock, Layout> &layouts,
                             std::vector<LayoutPlan::Transformation> *transformations) const
{
    const auto layoutOf = [&](PlanBlock block) {
        return block.isValid() ? layouts[block] : Layout::ChannelsFirst;
    };
    double seconds = 0;
    for (const PlanBlock b : layouts.indices())
        seconds += m_losses[b][std::size_t(layouts[b])];
    for (const TensorId id : m_crossing) {
        const Layout own = layoutOf(blockOf(m_graph.producer(id)));
        const auto differs = [&](PlanBlock reader) { return layoutOf(reader) != own; };
        if (!std::ranges::any_of(readersOf(id), differs))
            continue;
        seconds += reorderSeconds(id);
        if (transformations)
            transformations->push_back({id, own, otherThan(own), reorderSeconds(id) * 1e3});
    }
    return seconds;
}

Result<void> LayoutChooser::check(PlanBlock block, Layout layout) const
{
    const std::vector<NodeId> &nodes = nodesOf(block);
    const auto refuse = [&](const char *reason, std::span<const NodeId> cause) {
        auto refusal = fail(Error::Kind::Usage, reason, "block " + std::to_string(block.number()));
        for (const NodeId id : cause)
            refusal.value().nodes.push_back(id.index);
        return refusal;
    };
    const FusionBlock &of = fused(block);
    const auto isFeatureMap = [&](TensorId id) { return m_isFeatureMap[id.index] != 0; };
    if (std::ranges::none_of(of.inputs, isFeatureMap) &&
        std::ranges::none_of(of.outputs, isFeatureMap))
        return refuse("it has no feature maps (batch, channels, space); other tensors always keep "
                      "the ONNX layout",
                      nodes);
    for (const NodeId id : nodes)
        if (layout != Layout::ChannelsFirst && m_ecg.node(id).isOpaque())
            return refuse("its operator is opaque: only its ONNX layout is known", {&id, 1});
    return {};
}

LayoutPlan LayoutChooser::run(const FixedLayouts &fixed)
{
    m_wishes = IndexedVector<PlanBlock, std::optional<Layout>>(fixed);
    weighBlocks();
    return planOf(cheapest());
}

LayoutPlan LayoutChooser::with(std::span<const Layout> layouts, const FixedLayouts &fixed)
{
    m_wishes = IndexedVector<PlanBlock, std::optional<Layout>>(fixed);
    weighBlocks();
    IndexedVector<PlanBlock, Layout> chosen;
    for (std::size_t b = 0; b < layouts.size(); ++b)
        chosen.push_back(b < fixed.size() && fixed[b] ? *fixed[b] : layouts[b]);
    return planOf(chosen);
}

void LayoutChooser::weighBlocks()
{
    const std::size_t count = m_fusion.blocks.size();
    m_losses.assign(count, {0, 0});
    m_dominantLosses.assign(count, {0, 0});
    m_dominant.assign(count, NodeId());
    m_fixed.assign(count, 0);
    for (const PlanBlock b : m_losses.indices()) {
        double most = -1;
        bool isOpaque = false;
        for (const NodeId id : nodesOf(b)) {
            const EcgNode &facts = m_ecg.node(id);
            isOpaque = isOpaque || facts.isOpaque();
            if (!featureOperator(id).isOne)
                continue;
            // In a block of several, such as a pointwise and a depthwise convolution, each counts.
            const Losses losses = lossesOf(id);
            for (std::size_t layout = 0; layout < losses.size(); ++layout)
                m_losses[b][layout] += losses[layout];
            if (facts.flops > most) {
                most = facts.flops;
                m_dominant[b] = id;
                m_dominantLosses[b] = losses;
            }
        }
        m_fixed[b] = isOpaque && !m_dominant[b].valid();
        for (const TensorId id : fused(b).outputs)
            if (m_isFeatureMap[id.index])
                m_crossing.push_back(id);
    }
    for (const TensorId id : m_graph.inputs())
        if (m_isFeatureMap[id.index])
            m_crossing.push_back(id);
}

double LayoutChooser::lossBy(PlanBlock block, Layout layout) const
{
    const std::optional<Layout> wanted = wish(block);
    const bool isOut =
        (wanted && *wanted != layout) || (m_fixed[block] && layout == Layout::ChannelsLast);
    return isOut ? MinCut::unlimited : m_losses[block][std::size_t(layout)];
}

IndexedVector<PlanBlock, Layout> LayoutChooser::cheapest() const
{
    // The source side stands for channels last. An arc is cut if only its tail is on that side.
    MinCut cut;
    constexpr std::uint32_t last = 0, first = 1;
    IndexedVector<PlanBlock, std::uint32_t> nodes; // in the flow network
    for (const PlanBlock b : m_losses.indices()) {
        nodes.push_back(cut.addNode());
        cut.addArc(last, nodes[b], lossBy(b, Layout::ChannelsFirst));
        cut.addArc(nodes[b], first, lossBy(b, Layout::ChannelsLast));
    }
    const auto nodeOf = [&](PlanBlock block) { return block.isValid() ? nodes[block] : first; };
    for (const TensorId id : m_crossing) {
        const std::uint32_t own = nodeOf(blockOf(m_graph.producer(id)));
        // A tensor is reordered once for all its readers: one node for each direction.
        const std::uint32_t toFirst = cut.addNode(), toLast = cut.addNode();
        cut.addArc(own, toFirst, reorderSeconds(id));
        cut.addArc(toLast, own, reorderSeconds(id));
        for (const PlanBlock reader : readersOf(id)) {
            cut.addArc(toFirst, nodeOf(reader), MinCut::unlimited);
            cut.addArc(nodeOf(reader), toLast, MinCut::unlimited);
        }
    }
    cut.run(m_steps);
    const bool isStopped = m_steps && m_steps->stopped();

    IndexedVector<PlanBlock, Layout> chosen(nodes.size(), Layout::ChannelsFirst);
    for (const PlanBlock b : chosen.indices())
        if (isStopped)
            chosen[b] = wish(b).value_or(Layout::ChannelsFirst);
        else if (cut.onSourceSide(nodes[b]))
            chosen[b] = Layout::ChannelsLast;
    return chosen;
}

IndexedVector<PlanBlock, Layout> LayoutChooser::preferred() const
{
    IndexedVector<PlanBlock, Layout> layouts;
    for (const auto &[channelsFirst, channelsLast] : m_dominantLosses)
        layouts.push_back(channelsLast < channelsFirst ? Layout::ChannelsLast
                                                       : Layout::ChannelsFirst);
    return layouts;
}

LayoutPlan LayoutChooser::planOf(const IndexedVector<PlanBlock, Layout> &chosen) const
{
    LayoutPlan plan;
    for (const PlanBlock b : chosen.indices()) {
        const auto at = std::size_t(chosen[b]);
        plan.blocks.push_back({chosen[b], m_dominant[b],
                               (m_losses[b][1 - at] - m_losses[b][at]) * 1e3, wish(b).has_value()});
    }
    for (const TensorId id : m_crossing)
        if (const NodeId producer = m_graph.producer(id); producer.valid() && !m_graph.isOutput(id))
            plan.tensors[id] = chosen[blockOf(producer)];
    plan.ms = costOf(chosen, &plan.transformations) * 1e3;
    std::vector<LayoutPlan::Transformation> ofHeuristic;
    plan.heuristicMs = costOf(preferred(), &ofHeuristic) * 1e3;
    plan.heuristicTransformations = ofHeuristic.size();
    const IndexedVector<PlanBlock, Layout> unchanged(chosen.size(), Layout::ChannelsFirst);
    plan.unchangedMs = costOf(unchanged, nullptr) * 1e3;
    return plan;
}

} // namespace

LayoutPlan chooseLayouts(const Ecg &ecg, const FusionPlan &fusion, const Device &device,
                         const FixedLayouts &fixed, Steps *steps)
{
    return LayoutChooser(ecg, fusion, device, steps).run(fixed);
}

LayoutPlan layoutsOf(const Ecg &ecg, const FusionPlan &fusion, const Device &device,
                     std::span<const Layout> layouts, const FixedLayouts &fixed)
{
    return LayoutChooser(ecg, fusion, device).with(layouts, fixed);
}

std::vector<char> changeableBlocks(const Ecg &ecg, const FusionPlan &fusion)
{
    const Device any; // which one does not matter
    const LayoutChooser chooser(ecg, fusion, any);
    std::vector<char> changeable;
    for (std::uint32_t b = 0; b < fusion.blocks.size(); ++b)
        changeable.push_back(chooser.check(PlanBlock(b), Layout::ChannelsLast) ? 1 : 0);
    return changeable;
}

FixedLayouts keptLayouts(const FusionPlan &before, const LayoutPlan &layouts, const FusionPlan &now)
{
    FixedLayouts fixed(now.blocks.size());
    for (std::size_t b = 0; b < layouts.blocks.size(); ++b)
        if (layouts.blocks[b].locked)
            for (const NodeId id : before.partition.subgraphs[b].nodes)
                if (id.index < now.partition.subgraphOf.size())
                    if (const std::uint32_t block = now.blockOf(id); block < fixed.size())
                        fixed[block] = layouts.blocks[b].layout;
    return fixed;
}

Result<LayoutPlan> withLayout(const Ecg &ecg, const FusionPlan &fusion, const LayoutPlan &layouts,
                              const Device &device, std::span<const std::uint32_t> blocks,
                              std::optional<Layout> layout)
{
    FixedLayouts fixed = keptLayouts(fusion, layouts, fusion);
    for (const std::uint32_t block : blocks) {
        if (layout)
            GL_TRY(LayoutChooser(ecg, fusion, device).check(PlanBlock(block), *layout));
        fixed[block] = layout;
    }
    return chooseLayouts(ecg, fusion, device, fixed);
}

} // namespace graphloom
