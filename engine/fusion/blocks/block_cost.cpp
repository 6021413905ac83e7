// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/block_cost.h"

#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>
#include <unordered_set>

namespace graphloom {

namespace {

/// Returns "2.16 ms".
std::string timeText(double value)
{
    const bool seconds = value >= 1, milliseconds = value >= 1e-3;
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s",
                  value * (seconds        ? 1
                           : milliseconds ? 1e3
                                          : 1e6),
                  seconds        ? "s"
                  : milliseconds ? "ms"
                                 : "us");
    return text;
}

/// Tells whether neighbours in the rows of the result are neighbours in what is read, as in the
/// transpositions around attention heads.
bool keepsRows(const Description &description)
{
    return std::ranges::all_of(description.stages, [](const Stage &stage) {
        return stage.reads.size() == 1 && !stage.write.empty() && !stage.reads[0].map.empty() &&
               sameMap({stage.write.back()}, {stage.reads[0].map.back()});
    });
}

std::string sourceText(const BlockSeconds &cost, const Device &device)
{
    switch (cost.provenance) {
    case Provenance::Modelled:
        return "modelled for " + device.name;
    case Provenance::Host:
        return "measured here";
    case Provenance::Device:
        return "measured on " + device.name;
    case Provenance::Emulated:
    case Provenance::Simulated:
        return std::string(nameOf(cost.provenance)) + " for " + device.name;
    }
    return "";
}

} // namespace

std::string comparisonOf(std::span<const BlockSeconds> costs, const Device &device,
                         std::string_view first, std::string_view others)
{
    // What is least certain of them is said of all.
    BlockSeconds weakest = costs.front();
    double apart = 0;
    for (const BlockSeconds &cost : costs.subspan(1)) {
        apart += cost.seconds;
        weakest.provenance = std::max(weakest.provenance, cost.provenance);
        weakest.runs = std::min(weakest.runs, cost.runs);
    }
    const std::string runs = weakest.runs == 0   ? ""
                             : weakest.runs == 1 ? ", 1 run"
                                                 : ", " + std::to_string(weakest.runs) + " runs";
    return std::string(first) + " " + timeText(costs.front().seconds) + ", " + std::string(others) +
           " " + timeText(apart) + " (" + sourceText(weakest, device) + runs + ")";
}

std::vector<TensorId> placeableOperands(const Ecg &ecg, std::span<const NodeId> nodes)
{
    const Graph &graph = ecg.graph();
    const std::unordered_set<NodeId> members(nodes.begin(), nodes.end());
    const auto isPlaced = [&](NodeId node, TensorId tensor) {
        return std::ranges::any_of(ecg.node(node).reads, [&](const EcgRead &read) {
            return read.placeable && read.tensor == tensor;
        });
    };
    // A result that stays inside the block is not in memory, so nothing can be written into it.
    const auto leaves = [&](NodeId id) {
        return std::ranges::any_of(graph.node(id).outputs, [&](TensorId output) {
            return output.valid() && (graph.isOutput(output) ||
                                      std::ranges::any_of(graph.uses(output), [&](const Use &use) {
                                          return !members.contains(use.node);
                                      }));
        });
    };
    std::vector<TensorId> tensors;
    for (const NodeId id : nodes)
        for (const EcgRead &read : ecg.node(id).reads) {
            if (!read.placeable || !leaves(id) || !read.producer.valid() ||
                members.contains(read.producer) || graph.isOutput(read.tensor) ||
                std::ranges::count(tensors, read.tensor))
                continue;
            // An operand is placed only once: in the first concatenation in the graph's order.
            const auto uses = graph.uses(read.tensor);
            const bool wanted = std::ranges::any_of(uses, [&](const Use &use) {
                return (use.node != id && graph.position(use.node) < graph.position(id) &&
                        isPlaced(use.node, read.tensor)) ||
                       (use.node == id && use.slot < read.slot);
            });
            if (!wanted)
                tensors.push_back(read.tensor);
        }
    return tensors;
}

double BlockCost::bytesMoved(std::span<const NodeId> nodes) const
{
    const BlockInterface crossing = interfaceOf(m_ecg.graph(), {nodes.begin(), nodes.end()});
    std::unordered_map<TensorId, double> read; // the most that any node reads
    std::unordered_map<TensorId, double> constants;
    for (const NodeId id : nodes)
        for (const EcgRead &of : m_ecg.node(id).reads) {
            double &bytes = (of.constant ? constants : read)[of.tensor];
            bytes = std::max(bytes, of.bytes);
        }
    double bytes = 0;
    for (const TensorId tensor : crossing.inputs)
        bytes += read[tensor];
    for (const TensorId tensor : crossing.outputs)
        bytes += m_ecg.estimatedBytes(tensor);
    // Placed operands are neither read nor written again.
    for (const TensorId tensor : placeableOperands(m_ecg, nodes))
        bytes -= 2 * m_ecg.estimatedBytes(tensor);
    // Rates of products include what reading their weights takes.
    if (!m_device.rates())
        for (const auto &[tensor, ofConstant] : constants)
            bytes += ofConstant;
    return bytes;
}

double BlockCost::strideBytes(std::span<const NodeId> nodes) const
{
    const Graph &graph = m_ecg.graph();
    const std::unordered_set<NodeId> members(nodes.begin(), nodes.end());
    double bytes = 0;
    for (const NodeId id : nodes) {
        const EcgNode &facts = m_ecg.node(id);
        if (facts.mapping != MappingType::Shuffle || keepsRows(*facts.description))
            continue;
        // A reader that repeats the elements reads them with a stride each time.
        double loads = m_ecg.resultBytes(id);
        for (const TensorId output : graph.node(id).outputs)
            for (const Use &use : output.valid() ? graph.uses(output) : std::span<const Use>()) {
                if (!members.contains(use.node))
                    continue;
                for (const EcgRead &read : m_ecg.node(use.node).reads)
                    if (read.tensor == output && read.mapping == MappingType::OneToMany)
                        loads = std::max(loads, m_ecg.resultBytes(use.node));
            }
        const int bits = bitsOf(graph.tensor(graph.node(id).outputs[0]).type);
        const double lineShare = m_device.cacheLineBytes / (std::max(8, bits) / 8.0);
        if (m_device.rates()) {
            bytes += loads;
            continue;
        }
        // A strip of lines stays in the cache while its neighbours are used: about one line in four
        // is reloaded. Only a measurement is more accurate.
        constexpr double missed = 0.25;
        bytes += loads * std::max(0.0, missed * lineShare - 1);
    }
    return bytes;
}

double BlockCost::stagedBytes(std::span<const NodeId> nodes) const
{
    const std::unordered_set<NodeId> members(nodes.begin(), nodes.end());
    std::unordered_set<TensorId> staged;
    double bytes = 0;
    for (const NodeId id : nodes)
        for (const EcgRead &read : m_ecg.node(id).reads)
            if (read.mapping == MappingType::ManyToMany && !read.once && read.producer.valid() &&
                members.contains(read.producer) && staged.insert(read.tensor).second)
                bytes += 2 * m_ecg.estimatedBytes(read.tensor);
    return bytes;
}

BlockSeconds BlockCost::of(std::span<const NodeId> nodes, const BlockAnswer &answer) const
{
    if (m_measured.lookup)
        if (const auto measured = m_measured.lookup(nodes, KernelForm::Any))
            return *measured;
    return modelled(nodes, answer);
}

BlockSeconds BlockCost::modelled(std::span<const NodeId> nodes, const BlockAnswer &answer) const
{
    KernelWork work;
    for (const NodeId id : nodes) {
        const KernelWork &of = m_ecg.node(id).work;
        work.flops += of.flops;
        work.functions += of.functions;
        work.products.insert(work.products.end(), of.products.begin(), of.products.end());
    }
    work.bytes = bytesMoved(nodes);
    (m_device.rates() ? work.strided : work.bytes) += strideBytes(nodes);
    // Operands fit into a cache if they are read again (BlockLimits::operandBytes).
    work.cacheBytes = stagedBytes(nodes) + answer.rereadBytes;
    return {kernelSeconds(m_device, work), Provenance::Modelled};
}

std::vector<BlockSeconds> BlockCost::comparable(std::span<const CostedBlock> blocks) const
{
    std::vector<BlockSeconds> costs;
    for (const KernelForm form : {KernelForm::Tuned, KernelForm::ByDefault, KernelForm::Any}) {
        costs.clear();
        for (const CostedBlock &block : blocks)
            if (const auto measured =
                    m_measured.lookup ? m_measured.lookup(block.nodes, form) : std::nullopt)
                costs.push_back(*measured);
            else
                break;
        if (costs.size() == blocks.size())
            break;
    }
    const bool measured = costs.size() == blocks.size();
    if (m_measured.compared)
        m_measured.compared(blocks, measured);
    if (measured)
        return costs;
    costs.clear();
    for (const CostedBlock &block : blocks)
        costs.push_back(modelled(block.nodes, block.answer));
    return costs;
}

} // namespace graphloom
