// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/graph_reader.h"

#include "engine/onnx/attribute_reader.h"
#include "engine/onnx/call_check.h"
#include "engine/onnx/constant_nodes.h"
#include "engine/onnx/graph_build.h"
#include "engine/onnx/proto_fields.h"
#include "engine/onnx/utf8.h"
#include "engine/onnx/value_types.h"
#include "engine/ops/upgrade.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_set>

namespace graphloom {

namespace {

using NodeProtos = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
using Declarations = std::unordered_map<std::string_view, const onnx::ValueInfoProto *>;

class GraphReader {
public:
    GraphReader(const GraphReaderInput &input, TensorReader &tensors, Warnings &warnings)
        : m_input(input), m_tensors(tensors), m_warnings(warnings), m_place{input.path}
    {
    }

    Result<Graph> readMain()
    {
        GraphBuild build;
        Region region{build, nullptr, nullptr, {}};
        for (const auto &node : m_input.model.graph().node())
            m_usedNodeNames.insert(node.name());
        return readGraph(m_input.model.graph(), region);
    }

private:
    Result<Graph> readGraph(const onnx::GraphProto &proto, Region &region);
    Result<void> readInitializers(const onnx::GraphProto &proto, Region &region,
                                  const Declarations &inputs);
    Result<std::vector<TensorId>> readInputs(const onnx::GraphProto &proto, Region &region,
                                             bool nested);
    Result<std::vector<TensorId>> readOutputs(const onnx::GraphProto &proto, Region &region,
                                              bool nested);
    Result<void> declareOutputs(const NodeProtos &nodes, Region &region,
                                const Declarations &declarations);
    Result<void> readNodes(const NodeProtos &nodes, Region &region);
    Result<void> readNode(const onnx::NodeProto &proto, Region &region);
    Result<std::int64_t> opsetOf(const std::string &domain, const Region &region) const;
    Result<std::vector<TensorId>> inputsOf(const onnx::NodeProto &proto, const Region &region);
    std::vector<TensorId> outputsOf(const onnx::NodeProto &proto, const Region &region);
    struct Given {
        std::vector<GivenAttribute> list;
        std::vector<const Region *> regions; // in which graphs in the attributes find names
    };
    Result<Given> attributesOf(const onnx::NodeProto &proto, const Region &region);
    Result<void> readAttributes(const Given &given, const Region &region, Node &node);
    Result<void> inlineCall(const onnx::NodeProto &proto, const ModelFunction &function,
                            Region &region);
    Result<void> readConstant(const onnx::NodeProto &proto, Region &region, TensorId output);
    Result<void> emitPending(GraphBuild &build, const std::vector<TensorId> &outputs);

    Result<TensorId> declare(Region &region, const std::string &name, Tensor tensor);
    Result<Tensor> declared(const onnx::ValueInfoProto &info) const;
    Result<void> checkName(const std::string &name, std::string_view what) const;
    std::string unused(std::unordered_set<std::string> &used, const std::string &candidate);
    std::string where(const std::string &more = {}) const;
    std::string where(const onnx::NodeProto &proto) const;
    tl::unexpected<Error> refuse(std::string reason, const std::string &more = {}) const
    {
        return fail(Error::Kind::Model, std::move(reason), where(more));
    }
    tl::unexpected<Error> at(Error error, const std::string &more) const
    {
        error.where = where(more);
        return tl::unexpected(std::move(error));
    }
    Result<void> charge(std::uint64_t bytes);

    const GraphReaderInput &m_input;
    TensorReader &m_tensors;
    Warnings &m_warnings;
    std::vector<std::string> m_place; // file, then the nodes whose attribute or body is read
    std::unordered_set<std::string> m_usedNames, m_usedNodeNames;
    std::uint64_t m_suffix = 0;
    std::uint64_t m_nodes = 0, m_tensorCount = 0, m_expanded = 0;
    int m_depth = 0;
};

std::string labelOf(const onnx::NodeProto &node)
{
    std::string text = "node ";
    if (!node.name().empty())
        text += "\"" + node.name() + "\" ";
    else if (node.output_size() > 0)
        text += "of \"" + node.output(0) + "\" ";
    return toUtf8(text + "(" + node.op_type() + ")");
}

std::string GraphReader::where(const std::string &more) const
{
    std::string text;
    for (const std::string &part : m_place)
        text += (text.empty() ? "" : ", ") + part;
    return more.empty() ? text : text + ", " + more;
}

std::string GraphReader::where(const onnx::NodeProto &proto) const
{
    return where(labelOf(proto));
}

Result<void> GraphReader::checkName(const std::string &name, std::string_view what) const
{
    if (!isUtf8(name))
        return refuse("the name of a " + std::string(what) + " is not valid UTF-8");
    return {};
}

Result<void> GraphReader::charge(std::uint64_t bytes)
{
    m_expanded += bytes;
    if (m_expanded > m_input.options.maxExpandedBytes || m_nodes > m_input.options.maxNodes ||
        m_tensorCount > m_input.options.maxTensors)
        return refuse("its functions and nested graphs expand to more than " +
                      std::to_string(m_input.options.maxNodes) + " nodes, " +
                      std::to_string(m_input.options.maxTensors) + " tensors or " +
                      std::to_string(m_input.options.maxExpandedBytes >> 20) + " MiB");
    if (m_input.options.stop.stop_requested())
        return fail(Error::Kind::Model, "reading was stopped", m_input.path);
    return {};
}

/// The name, with a number behind it when it is in use already.
std::string GraphReader::unused(std::unordered_set<std::string> &used, const std::string &candidate)
{
    std::string name = candidate;
    while (!used.insert(name).second)
        name = candidate + "_" + std::to_string(++m_suffix);
    return name;
}

Result<TensorId> GraphReader::declare(Region &region, const std::string &name, Tensor tensor)
{
    if (auto valid = checkName(name, "tensor"); !valid)
        return tl::unexpected(valid.error());
    const auto [found, added] = region.names.try_emplace(name);
    if (!added)
        return refuse("tensor \"" + name + "\" is defined twice");
    for (const Region *outer = region.outer; outer; outer = outer->outer)
        if (outer->names.contains(name)) {
            m_warnings.add(where() + ": tensor \"" + name +
                           "\" hides one of the same name in a graph around it");
            break;
        }
    m_usedNames.insert(name);
    ++m_tensorCount;
    return found->second = region.build.editor.addTensor(std::move(tensor));
}

Result<Tensor> GraphReader::declared(const onnx::ValueInfoProto &info) const
{
    auto tensor = declaredTensor(info.name(), info.type());
    if (!tensor)
        return at(tensor.error(), "tensor \"" + info.name() + "\"");
    return tensor;
}

Result<void> GraphReader::readInitializers(const onnx::GraphProto &proto, Region &region,
                                           const Declarations &inputs)
{
    const auto add = [&](const std::string &name, Result<TensorData> data) -> Result<void> {
        const std::string label = "initializer \"" + name + "\"";
        if (!data)
            return at(data.error(), label);
        if (name.empty())
            return refuse("an initializer has no name");
        if (const auto input = inputs.find(name); input != inputs.end()) {
            const auto type = declared(*input->second);
            if (!type)
                return tl::unexpected(type.error());
            if (!compatible(*type, Tensor::of(name, *data)))
                return refuse("is declared with another type or shape as a graph input", label);
        }
        auto id = declare(region, name, Tensor::of(name, std::move(*data)));
        return id ? Result<void>() : tl::unexpected(id.error());
    };
    for (const auto &tensor : proto.initializer())
        if (auto added = add(tensor.name(), m_tensors.read(tensor)); !added)
            return added;
    for (const auto &tensor : proto.sparse_initializer())
        if (auto added = add(tensor.values().name(), m_tensors.readSparse(tensor)); !added)
            return added;
    return {};
}

Result<std::vector<TensorId>> GraphReader::readInputs(const onnx::GraphProto &proto, Region &region,
                                                      bool nested)
{
    std::vector<TensorId> inputs;
    std::unordered_set<std::string_view> seen;
    for (const auto &info : proto.input()) {
        if (info.name().empty())
            return refuse("a graph input has no name");
        if (!seen.insert(info.name()).second)
            return refuse("graph input \"" + info.name() + "\" is listed twice");
        if (region.names.contains(info.name()))
            continue; // an initializer: the input's default value, which makes it a constant
        auto tensor = declared(info);
        if (!tensor)
            return tl::unexpected(tensor.error());
        if (!nested && tensor->type == DataType::Undefined && tensor->otherType.empty())
            return refuse("graph input \"" + info.name() + "\" has no type");
        const auto id = declare(region, info.name(), std::move(*tensor));
        if (!id)
            return tl::unexpected(id.error());
        inputs.push_back(*id);
    }
    return inputs;
}

Result<std::vector<TensorId>> GraphReader::readOutputs(const onnx::GraphProto &proto,
                                                       Region &region, bool nested)
{
    std::vector<TensorId> outputs;
    std::unordered_set<std::string_view> seen;
    for (const auto &info : proto.output()) {
        const auto id = region.find(info.name());
        if (!id)
            return refuse("graph output \"" + info.name() + "\" is defined nowhere");
        if (!id->valid())
            return refuse("graph output \"" + info.name() + "\" is an omitted input");
        if (!seen.insert(info.name()).second && !nested)
            return refuse("graph output \"" + info.name() + "\" is listed twice");
        outputs.push_back(*id);
    }
    return outputs;
}

Result<void> GraphReader::declareOutputs(const NodeProtos &nodes, Region &region,
                                         const Declarations &declarations)
{
    for (const auto &node : nodes) {
        for (const std::string &name : node.output()) {
            if (name.empty())
                continue;
            Tensor tensor;
            if (const auto found = declarations.find(name); found != declarations.end()) {
                auto known = declared(*found->second);
                if (!known)
                    return tl::unexpected(known.error());
                tensor = std::move(*known);
            }
            tensor.name = name;
            if (auto id = declare(region, name, std::move(tensor)); !id)
                return tl::unexpected(id.error());
        }
    }
    return {};
}

Result<Graph> GraphReader::readGraph(const onnx::GraphProto &proto, Region &region)
{
    GraphBuild &build = region.build;
    const bool nested = build.parent;
    if (auto affordable = charge(0); !affordable)
        return tl::unexpected(affordable.error());
    build.editor.setName(isUtf8(proto.name()) ? proto.name() : std::string());

    Declarations inputDeclarations, declarations;
    for (const auto &info : proto.input())
        inputDeclarations.emplace(info.name(), &info);
    for (const auto *list : {&proto.output(), &proto.value_info()})
        for (const auto &info : *list)
            declarations.emplace(info.name(), &info);
    if (auto read = readInitializers(proto, region, inputDeclarations); !read)
        return tl::unexpected(read.error());
    const auto inputs = readInputs(proto, region, nested);
    if (!inputs)
        return tl::unexpected(inputs.error());
    if (auto done = declareOutputs(proto.node(), region, declarations); !done)
        return tl::unexpected(done.error());
    if (auto done = readNodes(proto.node(), region); !done)
        return tl::unexpected(done.error());
    const auto outputs = readOutputs(proto, region, nested);
    if (!outputs)
        return tl::unexpected(outputs.error());
    if (proto.quantization_annotation_size() > 0)
        m_warnings.add(where() + ": quantization annotations are not kept");

    if (auto emitted = emitPending(build, *outputs); !emitted)
        return tl::unexpected(emitted.error());
    build.editor.setInputs(*inputs);
    build.editor.setCaptured(build.captured);
    build.editor.setOutputs(*outputs);
    auto graph = std::move(build.editor).finish();
    if (!graph)
        return at(graph.error(), graph.error().where);
    return graph;
}

Result<void> GraphReader::readNodes(const NodeProtos &nodes, Region &region)
{
    const auto isConstant = [&](const onnx::NodeProto &node) {
        return isConstantNode(node) && node.output_size() > 0 && !node.output(0).empty() &&
               std::all_of(node.output().begin() + 1, node.output().end(),
                           std::mem_fn(&std::string::empty)) &&
               !m_input.functions.find(node);
    };
    // Constants first: other nodes, and nested graphs, want to see their values.
    for (const auto &node : nodes)
        if (isConstant(node))
            if (auto read = readConstant(node, region, outputsOf(node, region)[0]); !read)
                return read;
    for (const auto &node : nodes)
        if (!isConstant(node))
            if (auto read = readNode(node, region); !read)
                return read;
    return {};
}

Result<std::int64_t> GraphReader::opsetOf(const std::string &domain, const Region &region) const
{
    const auto &imports = region.call ? region.call->function.opsets : m_input.opsets;
    for (const OpsetImport &import : imports)
        if (import.domain == domain)
            return import.version;
    return refuse("uses domain \"" + (domain.empty() ? "ai.onnx" : domain) +
                  "\", of which no operator set is imported");
}

Result<std::vector<TensorId>> GraphReader::inputsOf(const onnx::NodeProto &proto,
                                                    const Region &region)
{
    std::vector<TensorId> inputs;
    for (const std::string &name : proto.input()) {
        const auto id = name.empty() ? TensorId() : region.find(name);
        if (!id)
            return fail(Error::Kind::Model,
                        "reads tensor \"" + name + "\", which is defined nowhere", where(proto));
        inputs.push_back(*id);
    }
    return inputs;
}

std::vector<TensorId> GraphReader::outputsOf(const onnx::NodeProto &proto, const Region &region)
{
    std::vector<TensorId> outputs;
    for (const std::string &name : proto.output())
        outputs.push_back(name.empty() ? TensorId() : region.names.at(name));
    return outputs;
}

/// The node's attributes; references to attributes of the function around it are replaced by
/// what the caller gave, and left out where the caller gave nothing.
Result<GraphReader::Given> GraphReader::attributesOf(const onnx::NodeProto &proto,
                                                     const Region &region)
{
    Given given;
    std::unordered_set<std::string_view> seen;
    for (const auto &attribute : proto.attribute()) {
        const std::string label = labelOf(proto) + ", attribute \"" + attribute.name() + "\"";
        if (auto valid = checkName(attribute.name(), "attribute"); !valid)
            return tl::unexpected(valid.error());
        if (!seen.insert(attribute.name()).second)
            return refuse("is given twice", label);
        if (attribute.ref_attr_name().empty()) {
            given.list.push_back({attribute.name(), &attribute});
            given.regions.push_back(&region);
            continue;
        }
        if (!region.call)
            return refuse("refers to an attribute of a function, but is in none", label);
        const auto found = region.call->attributes.find(attribute.ref_attr_name());
        if (found == region.call->attributes.end())
            continue;
        if (auto affordable = charge(found->second.value->ByteSizeLong()); !affordable)
            return tl::unexpected(affordable.error());
        given.list.push_back({attribute.name(), found->second.value});
        given.regions.push_back(found->second.region);
    }
    return given;
}

Result<void> GraphReader::readAttributes(const Given &given, const Region &region, Node &node)
{
    std::vector<Attribute> list;
    std::map<const Graph *, std::vector<TensorId>> capturedBy;
    for (std::size_t i = 0; i < given.list.size(); ++i) {
        const std::string name(given.list[i].name);
        const auto readNested = [&](const onnx::GraphProto &proto) -> Result<GraphPointer> {
            // Functions can nest graphs deeper than the file does.
            if (m_depth == 2 * m_input.options.maxDepth)
                return refuse("graphs and functions are nested too deep");
            ++m_depth;
            m_place.push_back("graph \"" + name + "\"");
            GraphBuild build;
            build.parent = &region.build;
            Region inner{build, given.regions[i], given.regions[i]->call, {}};
            auto graph = readGraph(proto, inner);
            m_place.pop_back();
            --m_depth;
            if (!graph)
                return tl::unexpected(graph.error());
            auto pointer = std::make_shared<const Graph>(std::move(*graph));
            capturedBy.emplace(pointer.get(), std::move(build.capturedFrom));
            return pointer;
        };
        auto value = readAttribute(*given.list[i].value, m_tensors, readNested);
        if (!value)
            return value.error().where.empty() ? at(value.error(), "attribute \"" + name + "\"")
                                               : tl::unexpected(value.error());
        list.push_back({name, std::move(*value)});
    }
    node.attributes = Attributes(std::move(list));
    for (const Attribute &attribute : node.attributes)
        for (const GraphPointer &graph : graphsOf(attribute.value)) {
            const auto &from = capturedBy.at(graph.get());
            node.captures.insert(node.captures.end(), from.begin(), from.end());
        }
    return {};
}

Result<void> GraphReader::readNode(const onnx::NodeProto &proto, Region &region)
{
    ++m_nodes;
    if (auto affordable = charge(0); !affordable)
        return affordable;
    for (const auto *text : {&proto.name(), &proto.op_type(), &proto.domain()})
        if (auto valid = checkName(*text, "node, operator or domain"); !valid)
            return valid;
    if (proto.op_type().empty())
        return fail(Error::Kind::Model, "has no operator", where(proto));
    Node node;
    node.domain = normalDomain(proto.domain());
    node.op = proto.op_type();
    node.name = proto.name();
    m_place.push_back(labelOf(proto));
    struct Leave {
        std::vector<std::string> &place;
        ~Leave() { place.pop_back(); }
    } leave{m_place};

    const auto opset = opsetOf(node.domain, region);
    if (!opset)
        return tl::unexpected(opset.error());
    if (const ModelFunction *function = m_input.functions.find(proto))
        return inlineCall(proto, *function, region);
    const auto given = attributesOf(proto, region);
    if (!given)
        return tl::unexpected(given.error());
    if (const auto defect =
            defectOfCall(proto, node.domain, *opset,
                         node.domain.empty() ? m_input.targetOpset : *opset, given->list))
        return refuse(*defect);
    auto inputs = inputsOf(proto, region);
    if (!inputs)
        return tl::unexpected(inputs.error());
    node.inputs = std::move(*inputs);
    node.outputs = outputsOf(proto, region);
    if (node.domain.empty()) {
        // Omitted ones at the end mean the same as none; but a node has an output.
        while (!node.inputs.empty() && !node.inputs.back().valid())
            node.inputs.pop_back();
        while (node.outputs.size() > 1 && !node.outputs.back().valid())
            node.outputs.pop_back();
    }
    if (auto read = readAttributes(*given, region, node); !read)
        return read;

    const auto addMetadata = [&](std::string_view key, const std::string &value) {
        if (std::ranges::find(node.metadata, key, &Metadata::value_type::first) ==
            node.metadata.end())
            node.metadata.emplace_back(std::string(key), toUtf8(value));
    };
    for (const auto &[key, value] : metadataOf(proto))
        addMetadata(toUtf8(key), value);
    if (!proto.doc_string().empty())
        addMetadata(documentationKey, proto.doc_string());
    if (region.call) {
        const ModelFunction &function = region.call->function;
        const bool exported = function.domain == exportDomain;
        addMetadata(exported ? exportedSubgraphKey : inlinedFromKey, function.name());
        node.name = unused(m_usedNodeNames, region.call->prefix + node.name);
    }
    const std::int64_t follows = node.domain.empty() ? *opset : 0;
    region.build.pending.push_back({std::move(node), follows});
    return {};
}

Result<void> GraphReader::readConstant(const onnx::NodeProto &proto, Region &region,
                                       TensorId output)
{
    ++m_nodes;
    m_place.push_back(labelOf(proto));
    const auto given = attributesOf(proto, region);
    if (!given)
        return tl::unexpected(given.error());
    if (const auto opset = opsetOf("", region); !opset)
        return tl::unexpected(opset.error());
    auto data = constantValue(given->list, m_tensors);
    if (!data)
        return data.error().where.empty() ? at(data.error(), {}) : tl::unexpected(data.error());
    m_place.pop_back();
    const Tensor &known = region.build.editor.graph().tensor(output);
    Tensor tensor = Tensor::of(known.name, std::move(*data));
    if (!compatible(known, tensor))
        m_warnings.add(where() + ": tensor \"" + known.name +
                       "\" is declared with another type or shape than its constant has");
    region.build.editor.setTensor(output, std::move(tensor));
    return {};
}

Result<void> GraphReader::inlineCall(const onnx::NodeProto &proto, const ModelFunction &function,
                                     Region &region)
{
    const onnx::FunctionProto &body = *function.proto;
    if (region.call && region.call->depth == m_input.options.maxDepth)
        return refuse("functions call each other more than " +
                      std::to_string(m_input.options.maxDepth) + " deep");
    if (auto affordable = charge(function.bytes); !affordable)
        return affordable;
    if (proto.input_size() > body.input_size() || proto.output_size() > body.output_size())
        return refuse("passes more inputs or outputs than function \"" + function.name() +
                      "\" has");
    const auto inputs = inputsOf(proto, region);
    if (!inputs)
        return tl::unexpected(inputs.error());
    const auto outputs = outputsOf(proto, region);
    auto given = attributesOf(proto, region);
    if (!given)
        return tl::unexpected(given.error());

    FunctionCall call{function, {}, region.call ? region.call->depth + 1 : 1, {}};
    if (function.domain != exportDomain) {
        call.prefix = proto.name().empty() ? function.name() : proto.name();
        if (region.call)
            call.prefix = region.call->prefix + call.prefix;
        call.prefix += "/";
    }
    for (std::size_t i = 0; i < given->list.size(); ++i)
        call.attributes.emplace(given->list[i].name,
                                FunctionCall::Bound{given->list[i].value, given->regions[i]});
    Region inside{region.build, nullptr, &call, {}};
    for (const auto &attribute : function.defaults)
        call.attributes.emplace(attribute.name(), FunctionCall::Bound{&attribute, &inside});
    for (int i = 0; i < body.input_size(); ++i)
        inside.names.emplace(body.input(i),
                             i < proto.input_size() ? (*inputs)[std::size_t(i)] : TensorId());

    // Outputs of the body are tensors of the caller where the caller asked for them.
    std::unordered_map<std::string_view, TensorId> results;
    for (int i = 0; i < proto.output_size(); ++i)
        if (outputs[std::size_t(i)].valid())
            results.emplace(body.output(i), outputs[std::size_t(i)]);
    for (const auto &node : body.node()) {
        for (const std::string &name : node.output()) {
            if (name.empty())
                continue;
            if (auto valid = checkName(name, "tensor"); !valid)
                return valid;
            const auto [found, added] = inside.names.try_emplace(name);
            if (!added)
                return refuse("tensor \"" + name + "\" is defined twice in function \"" +
                              function.name() + "\"");
            if (const auto result = results.find(name); result != results.end()) {
                found->second = result->second;
                continue;
            }
            Tensor tensor;
            tensor.name = unused(m_usedNames, call.prefix + name);
            ++m_tensorCount;
            found->second = region.build.editor.addTensor(std::move(tensor));
        }
    }
    if (auto read = readNodes(body.node(), inside); !read)
        return read;

    // A result that no node of the body writes is one of its inputs.
    for (const auto &[name, result] : results) {
        const auto source = inside.names.find(name);
        if (source == inside.names.end() || !source->second.valid())
            return refuse("output \"" + std::string(name) + "\" of function \"" + function.name() +
                          "\" is defined nowhere");
        if (source->second == result)
            continue;
        Node identity;
        identity.op = "Identity";
        identity.name = unused(m_usedNodeNames, call.prefix + std::string(name));
        identity.inputs = {source->second};
        identity.outputs = {result};
        ++m_nodes;
        region.build.pending.push_back({std::move(identity), m_input.targetOpset});
    }
    return {};
}

/// Adds the pending nodes to the graph, in order and in the form of the target opset.
Result<void> GraphReader::emitPending(GraphBuild &build, const std::vector<TensorId> &outputs)
{
    const auto moved = build.sortPending();
    if (!moved)
        return at(moved.error(), {});
    if (*moved)
        m_warnings.add(where() + ": nodes stand before the nodes that they read from; sorted");
    std::vector<char> read(build.editor.graph().tensorBound(), 0);
    for (const TensorId output : outputs)
        read[output.index] = 1;
    for (const auto &pending : build.pending)
        forEachRead(pending.node, [&](TensorId id, std::uint32_t) { read[id.index] = 1; });
    const auto isRead = [&](TensorId id) { return id.index < read.size() && read[id.index] != 0; };

    std::vector<TensorId> shapes;
    for (auto &pending : build.pending) {
        Node &node = pending.node;
        if (isConstantFill(node) && !node.inputs.empty() && node.inputs[0].valid()) {
            const TensorData *extents = build.constantOf(node.inputs[0]);
            if (extents) {
                auto filled = filledConstant(node, *extents);
                if (!filled)
                    return at(filled.error(), node.label());
                const TensorId output = node.outputs[0];
                build.editor.setTensor(output, Tensor::of(build.editor.graph().tensor(output).name,
                                                          std::move(*filled)));
                shapes.push_back(node.inputs[0]);
                continue;
            }
        }
        if (!node.domain.empty() || pending.opset == m_input.targetOpset) {
            build.editor.addNode(std::move(node));
            continue;
        }
        auto nodes =
            upgradeNode(build.editor, std::move(node), pending.opset, m_input.targetOpset, isRead);
        if (!nodes)
            return at(nodes.error(), nodes.error().where);
        for (Node &upgraded : *nodes)
            build.editor.addNode(std::move(upgraded));
    }
    // A shape that only served to fill constants has no purpose any more.
    for (const TensorId shape : shapes) {
        const Graph &graph = build.editor.graph();
        if (graph.contains(shape) && graph.tensor(shape).constant && graph.uses(shape).empty() &&
            std::ranges::find(outputs, shape) == outputs.end())
            build.editor.removeTensor(shape);
    }
    build.pending.clear();
    return {};
}

} // namespace

Result<Graph> readGraph(const GraphReaderInput &input, TensorReader &tensors, Warnings &warnings)
{
    return GraphReader(input, tensors, warnings).readMain();
}

void Warnings::add(std::string text)
{
    constexpr std::size_t most = 100;
    if (m_texts.size() == most) {
        ++m_left;
        return;
    }
    if (m_seen.insert(text).second)
        m_texts.push_back(std::move(text));
}

std::vector<std::string> Warnings::take()
{
    if (m_left > 0)
        m_texts.push_back("and " + std::to_string(m_left) + " more");
    m_seen.clear();
    m_left = 0;
    return std::move(m_texts);
}

} // namespace graphloom
