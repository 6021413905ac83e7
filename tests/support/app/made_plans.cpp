// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/app/made_plans.h"

#include "engine/onnx_export/export.h"
#include "tests/support/app/window_driver.h"
#include "tests/support/graph_maker.h"
#include "tests/support/synthetic_graphs.h"

namespace graphloom::test {

namespace {

SnapshotPointer withFusion(const SnapshotPointer &before, FusionPlan fusion)
{
    Plan plan = *before->plan;
    plan.fusion = std::make_shared<const FusionPlan>(std::move(fusion));
    return snapshotOf(std::make_shared<const Plan>(std::move(plan)), before, {});
}

FusionBlock blockOf(const Snapshot &snapshot, const std::vector<NodeId> &nodes)
{
    FusionBlock block;
    for (const NodeId id : nodes)
        block.mapping = std::max(block.mapping, snapshot.facts->of(id).mapping);
    auto [inputs, outputs] = interfaceOf(snapshot.graph(), nodes);
    block.inputs = std::move(inputs);
    block.outputs = std::move(outputs);
    if (nodes.size() > 1)
        block.decisions = {{nodes[0], nodes[1], "decided by a test"}};
    return block;
}

/// Gives both blocks a border, if an edge leads from the last node of one to another.
void addBorder(const Graph &graph, FusionPlan &plan, std::uint32_t block)
{
    const NodeId last = plan.partition.subgraphs[block].nodes.back();
    for (const Use &use : graph.uses(graph.node(last).outputs.front())) {
        const BlockBorder border{last, use.node, BlockBorder::Cause::MappingTypes,
                                 "made by a test"};
        plan.blocks[block].borders.push_back(border);
        plan.blocks[plan.blockOf(use.node)].borders.push_back(border);
    }
}

} // namespace

SnapshotPointer fused(const SnapshotPointer &before, std::size_t size)
{
    if (!before)
        return nullptr;
    const Graph &graph = before->graph();
    FusionPlan plan;
    plan.partition.method = "by hand";
    for (std::size_t i = 0; i < graph.order().size(); ++i) {
        if (i % size == 0)
            plan.partition.subgraphs.emplace_back();
        plan.partition.subgraphs.back().nodes.push_back(graph.order()[i]);
    }
    plan.partition.index(graph);
    for (const Subgraph &subgraph : plan.partition.subgraphs)
        plan.blocks.push_back(blockOf(*before, subgraph.nodes));
    for (std::uint32_t b = 0; b < plan.blocks.size(); ++b)
        addBorder(graph, plan, b);
    plan.blocks.front().pattern = "Head";
    plan.blocks.front().removedBytes = 4096;
    plan.statistics.before = {.layers = 10, .computeIntensive = 4, .irsBytes = 2048};
    plan.statistics.after = {
        .layers = std::int64_t(plan.blocks.size()), .computeIntensive = 2, .irsBytes = 1024};
    return withFusion(before, std::move(plan));
}

SnapshotPointer fusedSample(const std::string &name, std::size_t size)
{
    return fused(snapshotOfSample(name), size);
}

SnapshotPointer locked(const SnapshotPointer &before, const std::vector<std::uint32_t> &blocks)
{
    FusionPlan plan = *before->plan->fusion;
    for (const std::uint32_t block : blocks)
        plan.blocks[block].locked = true;
    return withFusion(before, std::move(plan));
}

SnapshotPointer rewritten()
{
    GraphMaker make;
    const TensorId x = make.input("x", {Dim(2), Dim(3)});
    const TensorId first = make.call("Relu", {x}, {Dim(2), Dim(3)});
    const TensorId second = make.call("Relu", {first}, {Dim(2), Dim(3)});
    const TensorId sum = make.call("Add", {second, x}, {Dim(2), Dim(3)});
    const NodeId outer = make.nodes[1], add = make.nodes[2];
    const Graph original = make.finish({sum});

    GraphEditor drop(original);
    Node reader = original.node(add);
    reader.inputs = {first, x};
    drop.replaceNode(add, std::move(reader));
    drop.removeNode(outer);
    auto dropped = std::move(drop).finish();
    if (!dropped)
        qFatal("%s", dropped.error().text().c_str());
    Node difference = dropped->node(add);
    difference.op = "Sub";
    auto replaced = dropped->with(add, std::move(difference));
    if (!replaced)
        qFatal("%s", replaced.error().text().c_str());

    auto log = std::make_shared<RewriteLog>();
    log->strategy = "greedy";
    log->flopsBefore = 18;
    log->flopsAfter = 12;
    log->steps = {{"drop-relu", "cleanup", "Relu", 6, {outer}, {}, {}, {}},
                  {"add-to-sub", "commutative", "Add", 0, {add}, {add}, {}, {}}};
    log->steps[0].setParts(original, *dropped);
    log->steps[1].setParts(*dropped, *replaced);
    Plan plan;
    plan.model = modelOf(original);
    plan.original = original;
    plan.graph = *replaced;
    plan.rewrite = std::move(log);
    return snapshotOf(std::make_shared<const Plan>(std::move(plan)), nullptr, {});
}

} // namespace graphloom::test
