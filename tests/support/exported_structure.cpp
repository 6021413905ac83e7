// SPDX-License-Identifier: Apache-2.0
#include "tests/support/exported_structure.h"

#include "engine/interpreter/fold.h"
#include "engine/onnx/import.h"
#include "engine/onnx_export/export.h"
#include "engine/ops/derive/infer.h"
#include "engine/plan/plan_check.h"

#include <algorithm>
#include <fstream>
#include <google/protobuf/repeated_field.h>
#include <map>
#include <onnx/onnx_pb.h>
#include <set>

namespace graphloom::test {

namespace {

using Defects = std::vector<std::string>;
using Names = std::set<std::string>;

std::string labelOf(const onnx::NodeProto &node)
{
    return "node \"" + node.name() + "\" (" + node.op_type() + ")";
}

/// Checks the file by itself.
class FileCheck {
public:
    FileCheck(const onnx::ModelProto &model, Defects &defects) : m_model(model), m_defects(defects)
    {
    }

    void run()
    {
        for (const auto &function : m_model.functions())
            if (!m_functions.emplace(std::pair(function.domain(), function.name()), &function)
                     .second)
                m_defects.push_back("two functions are called " + function.name());
        checkGraph(m_model.graph(), {}, domainsOf(m_model));
        for (const auto &function : m_model.functions()) {
            const Names known(function.input().begin(), function.input().end());
            const Names made = checkNodes(function.node(), known, "function " + function.name(),
                                          domainsOf(function));
            for (const std::string &output : function.output())
                if (!made.contains(output))
                    m_defects.push_back("function " + function.name() + " does not compute \"" +
                                        output + "\"");
        }
        for (const auto &[key, function] : m_functions)
            if (!m_called.contains(key))
                m_defects.push_back("nobody calls function " + function->name());
    }

private:
    template <class Part> static Names domainsOf(const Part &part)
    {
        Names domains;
        for (const auto &import : part.opset_import())
            domains.insert(import.domain() == "ai.onnx" ? "" : import.domain());
        return domains;
    }

    void checkGraph(const onnx::GraphProto &graph, Names known, const Names &domains)
    {
        for (const auto &input : graph.input())
            known.insert(input.name());
        for (const auto &constant : graph.initializer())
            known.insert(constant.name());
        const Names made =
            checkNodes(graph.node(), std::move(known), "graph " + graph.name(), domains);
        for (const auto &output : graph.output())
            if (!made.contains(output.name()))
                m_defects.push_back("nothing computes the output \"" + output.name() + "\"");
    }

    /// Returns the names that are known after the nodes.
    Names checkNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes, Names known,
                     const std::string &where, const Names &domains)
    {
        Names names;
        for (const auto &node : nodes) {
            if (node.name().empty() || !names.insert(node.name()).second)
                m_defects.push_back(labelOf(node) + " of " + where + " has no name of its own");
            for (const std::string &input : node.input())
                if (!input.empty() && !known.contains(input))
                    m_defects.push_back(labelOf(node) + " of " + where + " reads \"" + input +
                                        "\", which nothing before it computes");
            for (const auto &attribute : node.attribute()) {
                if (attribute.has_g())
                    checkGraph(attribute.g(), known, domains);
                for (const auto &graph : attribute.graphs())
                    checkGraph(graph, known, domains);
            }
            for (const std::string &output : node.output())
                if (!output.empty() && !known.insert(output).second)
                    m_defects.push_back(labelOf(node) + " of " + where + " computes \"" + output +
                                        "\" once more");
            if (!domains.contains(node.domain() == "ai.onnx" ? "" : node.domain()))
                m_defects.push_back(labelOf(node) + " of " + where +
                                    " has a domain without an operator set");
            checkCall(node, where);
        }
        return known;
    }

    void checkCall(const onnx::NodeProto &node, const std::string &where)
    {
        const std::pair key(node.domain(), node.op_type());
        const auto found = m_functions.find(key);
        if (found == m_functions.end())
            return;
        m_called.insert(key);
        if (node.input_size() != found->second->input_size() ||
            node.output_size() != found->second->output_size())
            m_defects.push_back(labelOf(node) + " of " + where +
                                " does not fit the function that it calls");
    }

    const onnx::ModelProto &m_model;
    Defects &m_defects;
    std::map<std::pair<std::string, std::string>, const onnx::FunctionProto *> m_functions;
    std::set<std::pair<std::string, std::string>> m_called;
};

std::string typeOf(const Tensor &tensor)
{
    return std::string(nameOf(tensor.type)) + " " + (tensor.shape ? text(*tensor.shape) : "?") +
           (tensor.otherType.empty() ? "" : " of another kind");
}

/// Returns the graph with constants identified by their elements: those of mapped files may be
/// identified by their place, which differs between files, and small splats are written out.
Graph byElements(const Graph &graph)
{
    GraphEditor editor(graph);
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || !graph.tensor(id).constant)
            continue;
        Tensor tensor = graph.tensor(id);
        const TensorData &data = *tensor.constant;
        constexpr std::uint64_t small = 1 << 16; // bytes
        if (data.isSplat() && bitsOf(data.type()) >= 8 && data.storedBytes() <= small) {
            std::vector<std::byte> bytes;
            for (std::int64_t e = 0; e < data.elements(); ++e)
                bytes.insert(bytes.end(), data.bytes().begin(), data.bytes().end());
            tensor.constant = std::make_shared<const TensorData>(
                TensorData::fromBytes(data.type(), data.extents(), std::move(bytes)));
            editor.setTensor(id, std::move(tensor));
            continue;
        }
        if (!data.isMapped())
            continue;
        tensor.constant = std::make_shared<const TensorData>(
            TensorData::fromMapped(data.type(), data.extents(), data.bytes(), tensor.constant));
        editor.setTensor(id, std::move(tensor));
    }
    return *std::move(editor).finish();
}

/// Returns the types and shapes of all results, by the hashes of their computations.
std::multimap<std::uint64_t, std::string> computed(const Graph &graph)
{
    std::multimap<std::uint64_t, std::string> all;
    for (const NodeId id : graph.order())
        for (const TensorId output : graph.node(id).outputs)
            if (output.valid())
                all.emplace(graph.hash(output), typeOf(graph.tensor(output)));
    return all;
}

/// Returns the computations of each part that are left in the graph.
std::multiset<std::vector<std::uint64_t>> contentsOf(const Graph &graph, const Partition &parts)
{
    std::multiset<std::vector<std::uint64_t>> contents;
    for (const Subgraph &part : parts.subgraphs) {
        std::vector<std::uint64_t> content;
        for (const NodeId id : part.nodes)
            if (graph.contains(id))
                for (const TensorId output : graph.node(id).outputs)
                    if (output.valid())
                        content.push_back(graph.hash(output));
        std::ranges::sort(content);
        if (!content.empty())
            contents.insert(std::move(content));
    }
    return contents;
}

/// Describes the first node of the graph whose result the other graph does not compute.
std::string firstWithout(const Graph &graph, const Graph &other)
{
    const auto there = computed(other);
    for (const NodeId id : graph.order())
        for (const TensorId output : graph.node(id).outputs)
            if (output.valid() && !there.contains(graph.hash(output))) {
                std::string label = graph.node(id).label() + " of";
                for (const TensorId input : graph.node(id).inputs)
                    if (input.valid())
                        label += " \"" + graph.tensor(input).name + "\" " +
                                 typeOf(graph.tensor(input)) +
                                 (graph.tensor(input).constant ? " constant" : "");
                return label;
            }
    return "no node";
}

void compareBorders(const Graph &graph, std::span<const TensorId> ids, const Graph &other,
                    std::span<const TensorId> others, const std::string &what, Defects &defects)
{
    if (ids.size() != others.size()) {
        defects.push_back("it has " + std::to_string(others.size()) + " " + what + " instead of " +
                          std::to_string(ids.size()));
        return;
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Tensor &here = graph.tensor(ids[i]), &there = other.tensor(others[i]);
        if (here.name != there.name || typeOf(here) != typeOf(there))
            defects.push_back("of its " + what + ", \"" + here.name + "\" " + typeOf(here) +
                              " is \"" + there.name + "\" " + typeOf(there));
    }
}

void compare(const Plan &plan, const Plan &again, Defects &defects)
{
    for (const auto *graph : {&plan.model->graph, &plan.graph}) {
        compareBorders(*graph, graph->inputs(), again.model->graph, again.model->graph.inputs(),
                       "inputs", defects);
        compareBorders(*graph, graph->outputs(), again.model->graph, again.model->graph.outputs(),
                       "outputs", defects);
    }
    // Compare before folding: the plan may hold nodes that depend on constants alone.
    const Graph read = byElements(again.model->graph), planned = byElements(plan.graph);
    if (read.nodeCount() != planned.nodeCount())
        defects.push_back("it has " + std::to_string(read.nodeCount()) + " nodes instead of " +
                          std::to_string(planned.nodeCount()));
    else if (read.hash() != planned.hash())
        defects.push_back("it computes something else, first " + firstWithout(planned, read) +
                          " instead of " + firstWithout(read, planned));
    else if (computed(read) != computed(planned))
        defects.push_back("other types or shapes are inferred");
    if (bool(plan.fusion) != bool(again.fusion) || bool(plan.partition) != bool(again.partition)) {
        defects.push_back("blocks or subgraphs are not read back");
        return;
    }
    // Reading a plan folds nodes that depend on constants alone.
    const auto folded = foldConstants(plan.graph, opsetsOf(*plan.model));
    if (!folded)
        return defects.push_back("the plan's graph cannot be folded: " + folded.error().text());
    const Graph left = byElements(*folded), leftThere = byElements(again.graph);
    const auto differ = [&](const Partition &here, const Partition &there) {
        return contentsOf(left, here) != contentsOf(leftThere, there);
    };
    if (plan.fusion && differ(plan.fusion->partition, again.fusion->partition))
        defects.push_back("the blocks hold other computations");
    if (plan.partition && differ(*plan.partition, *again.partition))
        defects.push_back("the subgraphs hold other computations");
}

} // namespace

std::vector<std::string> structuralDefects(const Plan &plan, const std::filesystem::path &exported)
{
    Defects defects;
    onnx::ModelProto proto;
    std::ifstream stream(exported, std::ios::binary);
    if (!proto.ParseFromIstream(&stream))
        return {"the file cannot be parsed"};
    FileCheck(proto, defects).run();
    auto model = importOnnx(exported);
    if (!model)
        return {"it cannot be read: " + model.error().text()};
    const std::set<std::string> before(plan.model->warnings.begin(), plan.model->warnings.end());
    for (const std::string &warning : model->warnings)
        if (!before.contains(warning))
            defects.push_back("reading it warns: " + warning);
    const auto again = importPlan(std::make_shared<const Model>(*std::move(model)));
    if (!again)
        return {"its plan cannot be read: " + again.error().text()};
    if (auto checked = checkPlan(*again); !checked)
        defects.push_back(checked.error().text());
    compare(plan, *again, defects);
    return defects;
}

} // namespace graphloom::test
