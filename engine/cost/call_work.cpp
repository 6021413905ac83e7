// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/call_work.h"

#include "engine/ops/derive/analysis.h"
#include "engine/ops/describe/stage_facts.h"

#include <algorithm>

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

} // namespace

CallWork::CallWork(const Description &description, const Call &call, double symbolicExtent)
    : m_splits(splitsOf(description))
{
    m_opaqueFlops = 2 * number(description.opaqueMacs, symbolicExtent);
    for (std::size_t s = 0; s < description.stages.size(); ++s) {
        const Stage &stage = description.stages[s];
        Nest nest;
        nest.product = sumsProducts(stage);
        nest.operations = operationsOf(stage.body) + (stage.combine == Combine::None ? 0 : 1);
        nest.finishOperations = operationsOf(stage.finish);
        std::vector<std::set<int>> operands;
        if (nest.product) {
            std::set<int> loads;
            collectLoads(*stage.body, loads);
            for (const int read : loads)
                operands.push_back(axesOf(stage, stage.reads[std::size_t(read)].map));
        }
        for (int a = 0; a < int(stage.axes.size()); ++a) {
            const Axis &axis = stage.axes[std::size_t(a)];
            Loops loops{number(axis.extent, symbolicExtent), Loops::Role::Both, -1};
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

KernelWork CallWork::work(std::span<const Cut> cuts) const
{
    const auto shareOf = [&](int split) {
        double share = 1;
        for (const Cut &cut : cuts)
            share *= cut.split == split ? cut.share : 1;
        return share;
    };
    KernelWork work;
    work.flops = m_opaqueFlops;
    for (const Nest &nest : m_nests) {
        MatrixWork product;
        double space = 1;
        for (const Loops &loop : nest.loops) {
            const double extent = loop.extent * shareOf(loop.split);
            switch (loop.role) {
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
            space *= loop.role == Loops::Role::Depth ? 1 : extent;
        }
        work.flops += space * nest.finishOperations;
        if (nest.product)
            work.products.push_back(product);
        else
            work.flops += space * product.depth * nest.operations;
    }
    for (const Bytes &tensor : m_bytes) {
        double bytes = tensor.bytes;
        for (const int split : tensor.splits)
            bytes *= shareOf(split);
        work.bytes += bytes;
    }
    return work;
}

} // namespace graphloom
