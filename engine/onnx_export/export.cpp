// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx_export/export.h"

#include "engine/base/steps.h"
#include "engine/onnx/format/external_name.h"
#include "engine/onnx/format/proto_fields.h"
#include "engine/onnx/format/value_types.h"
#include "engine/onnx/format/wire.h"
#include "engine/onnx/nodes/graph_reader.h"
#include "engine/onnx_export/graph_writer.h"
#include "engine/onnx_export/stored_plan.h"
#include "engine/onnx_export/stored_schedule.h"
#include "engine/onnx_export/subgraph_functions.h"
#include "engine/plan/origin_map.h"
#include "engine/system/atomic_file.h"
#include "engine/system/stream_path.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::uint64_t largestMessage = (std::uint64_t{1} << 31) - 1; // protobuf's own limit
constexpr std::uint32_t graphField = 7;                                // of ModelProto
constexpr std::string_view producerKey = "graphloom.source_producer";

/// Returns the bytes of the constants that are written in full.
std::uint64_t constantBytes(const Graph &graph, std::int64_t opset)
{
    std::uint64_t total = 0;
    const auto add = [&](std::uint64_t bytes) {
        if (__builtin_add_overflow(total, bytes, &total))
            total = ~std::uint64_t{0};
    };
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || !graph.tensor(id).constant)
            continue;
        const TensorData &data = *graph.tensor(id).constant;
        if (!isWrittenAsFill(data, opset))
            add(data.storedBytes());
    }
    for (const NodeId id : graph.order())
        for (const Attribute &attribute : graph.node(id).attributes) {
            for (const GraphPointer &nested : graphsOf(attribute.value))
                add(constantBytes(*nested, opset));
            if (const auto *data = std::get_if<TensorData>(&attribute.value))
                add(data->storedBytes());
            else if (const auto *list = std::get_if<std::vector<TensorData>>(&attribute.value))
                for (const TensorData &element : *list)
                    add(element.storedBytes());
        }
    return total;
}

class Exporter {
public:
    Exporter(const Plan &plan, const std::filesystem::path &path, const ExportOptions &options)
        : m_plan(plan), m_graph(plan.graph), m_path(path), m_options(options),
          m_opset(plan.model->opset("")),
          m_weights(constantBytes(plan.graph, m_opset) > options.externalAbove
                        ? std::optional(externalDataName(path, plan.graph, options.flat))
                        : std::nullopt,
                    options.stop),
          m_writer(m_weights, m_tensorNames, m_nodeNames, m_opset)
    {
    }

    Result<void> run()
    {
        GL_TRY(writeGraph());
        writeModel();
        return save();
    }

private:
    bool stopped() const { return m_options.stop.stop_requested(); }
    Result<void> writeGraph();
    void writeCall(const ExportUnit &unit, const std::string &name);
    void writeNode(NodeId id, onnx::NodeProto &proto);
    void writeValueInfos(const std::vector<ExportUnit> &units);
    void writeModel();
    void writeOpsets(google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports,
                     bool withFunctions) const;
    Result<void> save();

    const Plan &m_plan;
    const Graph &m_graph;
    const std::filesystem::path &m_path;
    const ExportOptions &m_options;
    std::int64_t m_opset;
    NameTable m_tensorNames, m_nodeNames;
    std::vector<std::string> m_tensors; // names, by id
    std::vector<NodeId> m_written;      // in the order of the file, with those of functions
    PartNames m_names;
    onnx::ModelProto m_model; // without the graph
    onnx::GraphProto m_proto; // without large constants
    WeightWriter m_weights;
    GraphWriter m_writer;
};

void Exporter::writeOpsets(google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports,
                           bool withFunctions) const
{
    const auto add = [&](std::string_view domain, std::int64_t version) {
        auto &entry = *imports.Add();
        entry.set_domain(std::string(domain));
        entry.set_version(version);
    };
    for (const OpsetImport &import : m_plan.model->opsets)
        if (import.domain != exportDomain)
            add(import.domain, import.version);
    // Functions are in the same domain as the operators that training adds.
    const bool calls = std::ranges::any_of(
        m_graph.order(), [&](NodeId id) { return m_graph.node(id).domain == exportDomain; });
    if (withFunctions || calls)
        add(exportDomain, 1);
}

/// Also writes the names of the node's origins, unless the node is its own origin.
void Exporter::writeNode(NodeId id, onnx::NodeProto &proto)
{
    m_writer.writeNode(m_graph.node(id), m_names.nodes[id.index], m_tensors, proto);
    std::string origins;
    for (const std::string &name : originNames(m_plan, id))
        origins += (origins.empty() ? "" : "\n") + name;
    if (!origins.empty() && origins != m_names.nodes[id.index])
        addMetadata(proto, std::string(originsKey), origins);
}

/// Writes a function for the subgraph and the node that calls it.
void Exporter::writeCall(const ExportUnit &unit, const std::string &name)
{
    auto &function = *m_model.add_functions();
    function.set_domain(std::string(exportDomain));
    function.set_name(name);
    auto &call = *m_proto.add_node();
    call.set_op_type(name);
    call.set_domain(std::string(exportDomain));
    call.set_name(m_nodeNames.take(name, {}));
    for (const TensorId id : unit.inputs) {
        function.add_input(m_tensors[id.index]);
        call.add_input(m_tensors[id.index]);
    }
    for (const TensorId id : unit.outputs) {
        function.add_output(m_tensors[id.index]);
        call.add_output(m_tensors[id.index]);
    }
    for (const NodeId id : unit.nodes)
        writeNode(id, *function.add_node());
    const auto declare = [&](TensorId id) {
        onnx::ValueInfoProto info;
        writeValueInfo(m_tensors[id.index], m_graph.tensor(id), info);
        if (info.has_type())
            addValueInfo(function, info);
    };
    for (const TensorId id : unit.inputs)
        declare(id);
    for (const NodeId id : unit.nodes)
        for (const TensorId output : m_graph.node(id).outputs)
            if (output.valid())
                declare(output);
    writeOpsets(*function.mutable_opset_import(), false);
}

Result<void> Exporter::writeGraph()
{
    for (const NodeId id : m_graph.order())
        if (m_plan.model->opset(m_graph.node(id).domain) == 0)
            return fail(Error::Kind::Fault,
                        "the model imports no operator set of domain \"" + m_graph.node(id).domain +
                            "\"",
                        "node \"" + m_graph.node(id).name + "\"");
    // Fusion blocks become one kernel each; without them, subgraphs do.
    const Partition *partition = m_plan.fusion ? &m_plan.fusion->partition : m_plan.partition.get();
    // The check of the partition must not depend on how it is written.
    GL_TRY_RESULT(units, unitsOf(m_graph, partition));
    if (m_options.flat)
        units = unitsOf(m_graph, nullptr);

    m_tensors = nameTensors(m_graph, m_tensorNames);
    m_names.nodes = nameNodes(m_graph, m_nodeNames);
    if (m_plan.partition)
        m_names.subgraphs = nameSubgraphs(m_graph, *m_plan.partition);
    if (m_plan.fusion)
        m_names.blocks = nameSubgraphs(m_graph, m_plan.fusion->partition, "block");
    const std::vector<std::string> &parts = m_plan.fusion ? m_names.blocks : m_names.subgraphs;
    m_proto.set_name(m_graph.name().empty() ? "graph" : m_graph.name());
    m_writer.writeInterface(m_graph, m_tensors, m_proto);
    m_writer.writeConstants(m_graph, m_tensors, true, m_proto);

    for (const ExportUnit &unit : *units) {
        if (stopped())
            return stoppedError();
        m_written.insert(m_written.end(), unit.nodes.begin(), unit.nodes.end());
        if (unit.isCall())
            writeCall(unit, parts[unit.subgraph]);
        else
            writeNode(unit.nodes[0], *m_proto.add_node());
    }
    if (m_options.flat && partition) {
        std::vector<std::string> subgraphOf(m_graph.nodeBound());
        for (std::size_t s = 0; s < partition->subgraphs.size(); ++s)
            for (const NodeId id : partition->subgraphs[s].nodes)
                subgraphOf[id.index] = parts[s];
        const int nodes = int(m_graph.nodeCount());
        const int fills = m_proto.node_size() - nodes; // nodes of constants come first
        for (int i = 0; i < nodes; ++i)
            addMetadata(*m_proto.mutable_node(fills + i), std::string(exportedSubgraphKey),
                        subgraphOf[m_graph.order()[std::size_t(i)].index]);
    }
    writeValueInfos(*units);
    return {};
}

/// Writes the types of all results of the main graph, so that the file contains all sizes.
void Exporter::writeValueInfos(const std::vector<ExportUnit> &units)
{
    std::vector<char> visible(m_graph.tensorBound(), 0);
    for (const ExportUnit &unit : units)
        for (const TensorId id : unit.isCall() ? unit.outputs : m_graph.node(unit.nodes[0]).outputs)
            if (id.valid())
                visible[id.index] = 1;
    for (std::uint32_t i = 0; i < m_graph.tensorBound(); ++i)
        if (const TensorId id{i}; m_graph.contains(id) && m_graph.tensor(id).constant &&
                                  isWrittenAsFill(*m_graph.tensor(id).constant, m_opset) &&
                                  !m_graph.uses(id).empty())
            visible[i] = 1; // a node fills it
    for (const TensorId id : m_graph.outputs())
        visible[id.index] = 0; // described as outputs already
    for (std::uint32_t i = 0; i < m_graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!visible[i])
            continue;
        onnx::ValueInfoProto info;
        writeValueInfo(m_tensors[i], m_graph.tensor(id), info);
        if (info.has_type())
            *m_proto.add_value_info() = std::move(info);
    }
}

void Exporter::writeModel()
{
    const Model &model = *m_plan.model;
    // The file format that belongs to the operator set, or the one that the types need.
    const std::int64_t ofOpset = m_opset >= 21 ? 10 : m_opset >= 19 ? 9 : 8;
    m_model.set_ir_version(std::max(ofOpset, m_writer.irVersion()));
    m_model.set_producer_name(std::string(exportDomain));
    m_model.set_doc_string(model.documentation);
    writeOpsets(*m_model.mutable_opset_import(), m_model.functions_size() > 0);
    const auto add = [&](std::string_view key, const std::string &value) {
        auto &entry = *m_model.add_metadata_props();
        entry.set_key(std::string(key));
        entry.set_value(value);
    };
    bool producerKept = model.producer.empty() || model.producer == exportDomain;
    for (const auto &[key, value] : model.metadata) {
        if (key != storedPlanKey && key != storedScheduleKey)
            add(key, value);
        producerKept = producerKept || key == producerKey;
    }
    if (!producerKept)
        add(producerKey, model.producer);
    if (const std::string stored = storePlan(m_plan, m_names); !stored.empty())
        add(storedPlanKey, stored);
    // The order differs if blocks are written contiguously, which changes the memory.
    if (const MemorySchedule *schedule = scheduleOf(m_plan);
        schedule && std::ranges::equal(m_written, schedule->order))
        add(storedScheduleKey, storeSchedule(*schedule, m_graph, m_names.nodes, m_tensors));
}

Result<void> Exporter::save()
{
    if (m_weights.problem())
        return tl::unexpected(*m_weights.problem());
    if (stopped())
        return stoppedError();
    const auto intact = [&](Result<void> written) -> Result<void> {
        if (const auto shrunk = m_weights.shrunkFile())
            return fail(Error::Kind::Model, "has been truncated since the model was opened",
                        shrunk->string());
        if (!written && stopped())
            return stoppedError();
        return written;
    };
    const std::uint64_t graphBytes = m_proto.ByteSizeLong() + m_weights.fieldBytes();
    if (m_model.ByteSizeLong() + graphBytes + 16 > largestMessage)
        return fail(Error::Kind::Fault,
                    "the model exceeds 2 GiB, the limit of protobuf; its constants must be stored "
                    "as external data",
                    m_path.string());
    if (m_weights.hasExternal()) {
        const auto data = m_path.parent_path() / m_weights.externalName();
        const auto write = [&](std::ostream &stream) {
            m_weights.writeExternal(stream);
            return bool(stream) && !m_weights.shrunkFile() && !stopped();
        };
        GL_TRY_RESULT(written, intact(writeFileAtomically(data, write, Links::Replace)));
    }
    const bool hasData =
        m_weights.hasExternal(); // the destination has changed: little is left to write
    auto written = intact(writeFileAtomically(m_path, [&](std::ostream &stream) {
        std::string head = m_model.SerializeAsString();
        appendTag(head, graphField, WireField::Kind::Bytes);
        appendVarint(head, graphBytes);
        stream.write(head.data(), std::streamsize(head.size()));
        m_proto.SerializeToOstream(&stream);
        m_weights.writeFields(stream);
        return bool(stream) && !m_weights.shrunkFile() && (hasData || !stopped());
    }));
    if (written && !isStream(m_path))
        removeOldData(m_path, m_weights.hasExternal() ? m_weights.externalName() : "");
    return written;
}

} // namespace

Result<void> exportOnnx(const Plan &plan, const std::filesystem::path &path,
                        const ExportOptions &options)
{
    return Exporter(plan, path, options).run();
}

Result<Plan> importPlan(std::shared_ptr<const Model> model, const std::stop_token &stop)
{
    GL_TRY_RESULT(plan, initialPlan(model, stop));
    // The model may have changed since, but is usable without its old plan.
    const auto ignore = [&](const char *what, const Error &error) {
        plan->history.push_back({what, 0, {}, {{"ignored", error.message}}});
    };
    for (const auto &[key, value] : model->metadata) {
        if (key != storedScheduleKey)
            continue;
        auto schedule = readSchedule(value, model->graph);
        if (!schedule) {
            ignore("stored memory schedule", schedule.error());
            continue;
        }
        // The schedule refers to the present nodes, which were folded before.
        plan->graph = plan->original = model->graph;
        plan->schedule = std::make_shared<const MemorySchedule>(*std::move(schedule));
    }
    for (const auto &[key, value] : model->metadata)
        if (key == storedPlanKey)
            if (auto restored = restorePlan(value, *plan, stop); !restored)
                ignore("stored plan", restored.error());
    if (stop.stop_requested())
        return stoppedError();
    return plan;
}

} // namespace graphloom
