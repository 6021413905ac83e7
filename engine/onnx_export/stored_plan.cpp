// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx_export/stored_plan.h"

#include "engine/base/steps.h"
#include "engine/cost/device.h"
#include "engine/cost/machine_text.h"
#include "engine/fusion/blocks/fusion_facts.h"
#include "engine/fusion/blocks/layouts.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/ops/derive/infer.h"
#include "engine/system/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace graphloom {

namespace {

using Json = nlohmann::json;

constexpr int schema = 1;
constexpr std::size_t longestText = std::size_t{1} << 26;

/// Returns a member of an object, if it exists and has the kind.
const Json *member(const Json &object, const char *key, bool (Json::*isKind)() const noexcept)
{
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(key);
    return found != object.end() && ((*found).*isKind)() ? &*found : nullptr;
}

tl::unexpected<Error> unreadable()
{
    return fail(Error::Kind::Model, "the stored plan has an unknown format");
}

Json store(const Partition &partition, const std::vector<std::string> &names,
           const std::vector<std::string> &nodeNames)
{
    Json subgraphs = Json::array();
    for (std::size_t s = 0; s < partition.subgraphs.size(); ++s) {
        Json nodes = Json::array();
        for (const NodeId id : partition.subgraphs[s].nodes)
            nodes.push_back(nodeNames[id.index]);
        subgraphs.push_back({{"name", names[s]},
                             {"weight", partition.subgraphs[s].weight},
                             {"nodes", std::move(nodes)}});
        if (partition.subgraphs[s].locked)
            subgraphs.back()["locked"] = true;
    }
    return {{"method", partition.method},
            {"threshold", partition.threshold},
            {"subgraphs", std::move(subgraphs)}};
}

constexpr std::string_view contractionNames[] = {"one", "apart", "intensive"};

Json store(const FusionPlan &fusion, const LayoutPlan *layouts, const PartNames &names)
{
    Json stored = store(fusion.partition, names.blocks, names.nodes);
    for (std::size_t b = 0; b < fusion.blocks.size(); ++b) {
        if (!fusion.blocks[b].pattern.empty())
            stored["subgraphs"][b]["pattern"] = fusion.blocks[b].pattern;
        if (fusion.blocks[b].locked)
            stored["subgraphs"][b]["locked"] = true;
        if (layouts && layouts->blocks[b].locked)
            stored["subgraphs"][b]["layout"] = nameOf(layouts->blocks[b].layout);
    }
    const auto &before = fusion.statistics.before;
    stored["before"] = {{"layers", before.layers},
                        {"compute_intensive", before.computeIntensive},
                        {"irs_bytes", before.irsBytes},
                        {"unsized", before.unsized}};
    stored["device"] = fusion.device;
    stored["contractions"] = contractionNames[std::size_t(fusion.limits.contractions)];
    return stored;
}

/// Restores the parts of a graph; `entries` receives the stored entry of each.
Result<Partition> restorePartition(const Json &stored, const Graph &graph,
                                   std::vector<const Json *> &entries)
{
    const Json *method = member(stored, "method", &Json::is_string);
    const Json *threshold = member(stored, "threshold", &Json::is_number);
    const Json *subgraphs = member(stored, "subgraphs", &Json::is_array);
    if (!method || !threshold || !subgraphs)
        return unreadable();
    std::unordered_map<std::string_view, NodeId> byName;
    for (const NodeId id : graph.order())
        byName.emplace(graph.node(id).name, id);
    Partition partition;
    partition.method = method->get<std::string>();
    partition.threshold = threshold->get<double>();
    std::size_t placed = 0;
    for (const Json &entry : *subgraphs) {
        const Json *weight = member(entry, "weight", &Json::is_number);
        const Json *nodes = member(entry, "nodes", &Json::is_array);
        if (!weight || !nodes)
            return unreadable();
        Subgraph subgraph;
        subgraph.weight = weight->get<double>();
        subgraph.locked = member(entry, "locked", &Json::is_boolean) != nullptr;
        for (const Json &name : *nodes) {
            if (!name.is_string())
                return unreadable();
            const auto found = byName.find(name.get_ref<const std::string &>());
            if (found == byName.end())
                continue; // constant folding has removed it since
            subgraph.nodes.push_back(found->second);
            byName.erase(found);
        }
        placed += subgraph.nodes.size();
        std::ranges::sort(subgraph.nodes, {}, [&](NodeId id) { return graph.position(id); });
        if (subgraph.nodes.empty())
            continue;
        partition.subgraphs.push_back(std::move(subgraph));
        entries.push_back(&entry);
    }
    if (placed != graph.nodeCount())
        return fail(Error::Kind::Model, "the stored plan lacks nodes of the model");
    partition.index(graph);
    if (auto valid = checkPartition(graph, partition); !valid)
        return fail(Error::Kind::Model,
                    "the stored plan does not match the model: " + valid.error().message);
    return partition;
}

/// Restores the device of the plan; one that is no longer described is left out.
Result<void> restoreDevice(const Json &stored, Plan &plan)
{
    const Json *device = member(stored, "device", &Json::is_object);
    if (!device)
        return {};
    if (const Json *name = member(*device, "name", &Json::is_string)) {
        if (const Device *described = findDevice(name->get<std::string>()))
            plan.device = sharedDevice(*described);
        return {};
    }
    const Json *target = member(*device, "target", &Json::is_string);
    const Json *description = member(*device, "description", &Json::is_object);
    if (!target || !description)
        return unreadable();
    GL_TRY_RESULT(made, parseDevice(description->dump()));
    made->target = target->get<std::string>();
    plan.device = std::make_shared<const Device>(*std::move(made));
    return {};
}

Result<void> restoreFusion(const Json &stored, Plan &plan, const std::stop_token &stop)
{
    std::vector<const Json *> entries;
    GL_TRY_RESULT(partition, restorePartition(stored, plan.graph, entries));
    const Json *before = member(stored, "before", &Json::is_object);
    const Json *deviceName = member(stored, "device", &Json::is_string);
    if (!before || !deviceName)
        return unreadable();
    const Opsets opsets = opsetsOf(*plan.model);
    BlockLimits limits; // those of the plan, if they are stored
    if (const Json *contractions = member(stored, "contractions", &Json::is_string)) {
        const auto known = std::ranges::find(contractionNames, contractions->get<std::string>());
        if (known == std::end(contractionNames))
            return unreadable();
        limits.contractions = BlockLimits::Contractions(known - std::begin(contractionNames));
    }
    const bool bound = member(stored, "within_subgraphs", &Json::is_boolean) != nullptr;
    if (bound && !plan.partition)
        return unreadable();
    GL_TRY_CONST(facts, FusionFacts::of(plan.graph, opsets, limits,
                                        *deviceOfFigures(plan, deviceName->get<std::string>()), {},
                                        bound ? plan.partition : nullptr, stop));
    std::vector<BlockGraph::Block> blockNames;
    const BlockGraph blocks((*facts)->ecg().graph(), *partition, blockNames);
    BlockMarks marks;
    for (std::size_t b = 0; b < entries.size(); ++b) {
        const Json *pattern = member(*entries[b], "pattern", &Json::is_string);
        const bool locked = member(*entries[b], "locked", &Json::is_boolean) != nullptr;
        if (pattern || locked)
            marks[blockNames[b]] = {pattern ? pattern->get<std::string>() : "", locked};
    }
    Steps steps(stop);
    FusionPlan fusion = planOf((*facts)->merger(), blocks, partition->method, marks, {}, &steps);
    if (steps.stopped()) // the statistics are incomplete
        return stoppedError();
    auto &side = fusion.statistics.before;
    for (const auto &[key, field] : {std::pair{"layers", &side.layers},
                                     {"compute_intensive", &side.computeIntensive},
                                     {"irs_bytes", &side.irsBytes},
                                     {"unsized", &side.unsized}}) {
        const Json *value = member(*before, key, &Json::is_number_integer);
        if (!value)
            return unreadable();
        *field = value->get<std::int64_t>();
    }
    if (bound)
        if (auto valid = checkFusionPlan(plan.graph, opsets, fusion); !valid)
            return fail(Error::Kind::Model,
                        "the stored plan does not match the model: " + valid.error().message);
    FixedLayouts fixed(fusion.blocks.size());
    for (std::size_t b = 0; b < fixed.size(); ++b) {
        const NodeId first = fusion.partition.subgraphs[b].nodes.front();
        const Json &entry = *entries[partition->subgraphOf[first.index]];
        const Json *layout = member(entry, "layout", &Json::is_string);
        for (const Layout one : {Layout::ChannelsFirst, Layout::ChannelsLast})
            if (layout && *layout == nameOf(one))
                fixed[b] = one;
    }
    plan.layouts = std::make_shared<const LayoutPlan>(
        chooseLayouts((*facts)->ecg(), fusion, (*facts)->merger().cost().device(), fixed, &steps));
    plan.fusion = std::make_shared<const FusionPlan>(std::move(fusion));
    return {};
}

} // namespace

std::string storePlan(const Plan &plan, const PartNames &names)
{
    if (!plan.partition && !plan.fusion)
        return {};
    Json stored = {{"schema", schema}};
    if (plan.device && plan.device->machine && !findDevice(plan.device->name))
        stored["device"] = {{"target", plan.device->target},
                            {"description", jsonOf(*plan.device->machine)}};
    else if (plan.device)
        stored["device"] = {{"name", plan.device->name}};
    if (plan.partition)
        stored["partition"] = store(*plan.partition, names.subgraphs, names.nodes);
    if (plan.fusion)
        stored["fusion"] = store(*plan.fusion, plan.layouts.get(), names);
    if (plan.fusion && plan.fusion->within && plan.fusion->within == plan.partition)
        stored["fusion"]["within_subgraphs"] = true;
    return jsonText(stored);
}

Result<void> restorePlan(std::string_view text, Plan &plan, const std::stop_token &stop)
{
    if (text.size() > longestText)
        return fail(Error::Kind::Model, "the stored plan exceeds the maximum length");
    const Json stored = jsonOf(text);
    const Json *version = member(stored, "schema", &Json::is_number_integer);
    if (!version)
        return unreadable();
    if (version->get<std::int64_t>() != schema)
        return fail(Error::Kind::Model,
                    "the stored plan has a newer format, schema " + version->dump());
    const Json *partition = member(stored, "partition", &Json::is_object);
    const Json *fusion = member(stored, "fusion", &Json::is_object);
    if (!partition && !fusion)
        return unreadable();
    Plan restored = plan; // all or nothing
    GL_TRY(restoreDevice(stored, restored));
    if (partition) {
        std::vector<const Json *> entries;
        GL_TRY_RESULT(parts, restorePartition(*partition, plan.graph, entries));
        restored.partition = std::make_shared<const Partition>(std::move(*parts));
    }
    if (fusion)
        GL_TRY(restoreFusion(*fusion, restored, stop));
    plan = std::move(restored);
    return {};
}

} // namespace graphloom
