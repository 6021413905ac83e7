// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/call_work.h"

#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

/// Returns the value of an extent or of a count, with all symbols taken as `symbolic`.
double number(const Dim &value, double symbolic)
{
    const auto known = value.evaluate([&](const std::string &) { return std::int64_t(symbolic); });
    return known ? double(*known) : symbolic;
}

double elementBytes(DataType type)
{
    return std::max(1.0, bitsOf(type) / 8.0);
}

/// Returns the share of the whole that cuts of this split leave.
double shareOf(int split, std::span<const CallWork::Cut> cuts)
{
    double share = 1;
    for (const CallWork::Cut &cut : cuts)
        share *= cut.split == split ? cut.share : 1;
    return share;
}

/// Tells whether a sum of products uses each element of one operand once only.
bool usesOnce(const Stage &stage)
{
    std::set<int> loads;
    collectLoads(*stage.body, loads);
    return std::ranges::any_of(loads, [&](int read) {
        const IndexMap &map = stage.reads[std::size_t(read)].map;
        const std::set<int> axes = axesOf(stage, map);
        for (int a = 0; a < int(stage.axes.size()); ++a)
            if (!axes.contains(a) && !runsOnce(stage.axes[std::size_t(a)]))
                return false;
        return std::ranges::none_of(
            map, [&](const Index &index) { return overlaps(index, stage.axes); });
    });
}

/// Returns how Winograd's algorithm may compute the stage; nothing if it cannot: its weights must
/// be known when kernels are generated.
std::optional<WindowConvolution> winogradWindow(const Stage &stage, const Call &call)
{
    const auto window = windowConvolutionOf(stage);
    if (!window)
        return std::nullopt;
    const Operand &weights = stage.reads[std::size_t(window->weights)].operand;
    const bool isKnown = weights.kind == Operand::Kind::Input &&
                         call.has(std::size_t(weights.index)) &&
                         call.input(std::size_t(weights.index)).constant &&
                         call.type(std::size_t(weights.index)) == DataType::Float;
    return isKnown ? window : std::nullopt;
}

} // namespace

CallWork::CallWork(const Description &description, const Call &call, std::vector<Split> splits,
                   double symbolicExtent)
    : m_splits(std::move(splits))
{
    m_opaqueFlops = 2 * number(description.opaqueMacs, symbolicExtent);
    for (std::size_t s = 0; s < description.stages.size(); ++s) {
        const Stage &stage = description.stages[s];
        Nest nest;
        const StageWork done = workOf(stage);
        nest.product = sumsProducts(stage);
        nest.operations = operationsOf(done.body) + (stage.combine == Combine::None ? 0 : 1);
        nest.functions = functionsOf(done.body);
        nest.finishOperations = operationsOf(stage.finish);
        nest.finishFunctions = functionsOf(stage.finish);
        std::vector<std::set<int>> operands;
        if (nest.product) {
            nest.streams = usesOnce(stage);
            nest.window = winogradWindow(stage, call);
            std::set<int> loads;
            collectLoads(*stage.body, loads);
            for (const int read : loads)
                operands.push_back(axesOf(stage, stage.reads[std::size_t(read)].map));
        }
        for (int a = 0; a < int(stage.axes.size()); ++a) {
            const Axis &axis = stage.axes[std::size_t(a)];
            Loops loops{done.skipped.contains(a) ? 1 : number(axis.extent, symbolicExtent),
                        Loops::Role::Both, -1};
            if (axis.kind == Axis::Kind::Reduce)
                loops.role = Loops::Role::Depth;
            else if (operands.size() >= 2 && operands[0].contains(a) != operands[1].contains(a))
                loops.role = operands[0].contains(a) ? Loops::Role::Rows : Loops::Role::Columns;
            for (int k = 0; k < int(m_splits.size()); ++k)
                if (std::ranges::count(m_splits[std::size_t(k)].axes[s], a))
                    loops.split = k;
            nest.loops.push_back(loops);
        }
        m_nests.push_back(std::move(nest));
    }
    const auto splitsOfTensor = [&](auto tensors, std::size_t index) {
        std::vector<int> cutBy;
        for (int k = 0; k < int(m_splits.size()); ++k) {
            const auto &list = m_splits[std::size_t(k)].*tensors;
            if (index < list.size() && list[index].isCut())
                cutBy.push_back(k);
        }
        return cutBy;
    };
    const std::vector<Dim> read = elementsRead(description, call);
    for (std::size_t i = 0; i < read.size(); ++i) {
        const double elements = number(read[i], symbolicExtent);
        if (elements > 0)
            m_bytes.push_back(
                {elements * elementBytes(call.type(i)), splitsOfTensor(&Split::inputs, i)});
    }
    for (std::size_t o = 0; o < std::size_t(description.outputs); ++o) {
        const Value &value = description.values[o];
        if (!value.shape)
            continue;
        double elements = 1;
        for (const Dim &extent : *value.shape)
            elements *= number(extent, symbolicExtent);
        m_bytes.push_back(
            {elements * elementBytes(value.type), splitsOfTensor(&Split::outputs, o)});
    }
    addScatters(description, symbolicExtent);
}

/// Adds the elements that a scatter writes after the stage that wrote all of them, and those that
/// it reads if it adds to them: one for each of its points.
void CallWork::addScatters(const Description &description, double symbolicExtent)
{
    for (std::size_t s = 0; s < description.stages.size(); ++s) {
        const Stage &stage = description.stages[s];
        if (!scatters(stage) || stage.value >= description.outputs)
            continue;
        double points = 1;
        Bytes touched;
        for (const Axis &axis : stage.axes)
            points *= number(axis.extent, symbolicExtent);
        for (int k = 0; k < int(m_splits.size()); ++k)
            if (!m_splits[std::size_t(k)].axes[s].empty())
                touched.splits.push_back(k);
        touched.bytes = (accumulationOf(stage) ? 2 : 1) * points *
                        elementBytes(description.values[std::size_t(stage.value)].type);
        m_bytes.push_back(std::move(touched));
    }
}

double CallWork::extentOf(const Nest &nest, int axis, std::span<const Cut> cuts) const
{
    const Loops &loop = nest.loops[std::size_t(axis)];
    return loop.extent * shareOf(loop.split, cuts);
}

std::optional<WinogradWork> CallWork::winogradOf(const Nest &nest, std::span<const Cut> cuts) const
{
    if (!nest.window)
        return std::nullopt;
    WinogradWork work{extentOf(nest, nest.window->inputs, cuts),
                      extentOf(nest, nest.window->outputs, cuts), 1, 1};
    for (const int axis : nest.window->batch) {
        work.tiles2 *= extentOf(nest, axis, cuts);
        work.tiles4 *= extentOf(nest, axis, cuts);
    }
    for (const int axis : nest.window->position) {
        work.tiles2 *= std::ceil(extentOf(nest, axis, cuts) / 2);
        work.tiles4 *= std::ceil(extentOf(nest, axis, cuts) / 4);
    }
    return work;
}

KernelWork CallWork::work(std::span<const Cut> cuts) const
{
    KernelWork work;
    work.flops = m_opaqueFlops;
    for (const Nest &nest : m_nests) {
        MatrixWork product;
        product.streams = nest.streams;
        product.winograd = winogradOf(nest, cuts);
        double space = 1;
        for (int a = 0; a < int(nest.loops.size()); ++a) {
            const Loops::Role role = nest.loops[std::size_t(a)].role;
            const double extent = extentOf(nest, a, cuts);
            switch (role) {
            case Loops::Role::Rows:
                product.rows *= extent;
                break;
            case Loops::Role::Columns:
                product.columns *= extent;
                break;
            case Loops::Role::Both:
                product.count *= extent;
                break;
            case Loops::Role::Depth:
                product.depth *= extent;
                break;
            }
            space *= role == Loops::Role::Depth ? 1 : extent;
        }
        work.flops += space * nest.finishOperations;
        work.functions += space * nest.finishFunctions;
        if (nest.product) {
            work.products.push_back(product);
        } else {
            work.flops += space * product.depth * nest.operations;
            work.functions += space * product.depth * nest.functions;
        }
    }
    for (const Bytes &tensor : m_bytes) {
        double bytes = tensor.bytes;
        for (const int split : tensor.splits)
            bytes *= shareOf(split, cuts);
        work.bytes += bytes;
    }
    return work;
}

} // namespace graphloom
