// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/node_attributes.h"

#include "engine/onnx/nodes/attribute_reader.h"

#include <map>
#include <unordered_set>

namespace graphloom {

Result<ResolvedAttributes> resolveAttributes(const onnx::NodeProto &proto, const Region &region,
                                             ReadingState &state)
{
    ResolvedAttributes given;
    std::unordered_set<std::string_view> seen;
    for (const auto &attribute : proto.attribute()) {
        const std::string label = labelOf(proto) + ", attribute \"" + attribute.name() + "\"";
        GL_TRY(state.checkName(attribute.name(), "attribute"));
        if (!seen.insert(attribute.name()).second)
            return state.refuse("is given twice", label);
        if (attribute.ref_attr_name().empty()) {
            given.list.push_back({attribute.name(), &attribute});
            given.regions.push_back(&region);
            continue;
        }
        if (!region.call)
            return state.refuse("refers to an attribute of a function, but is not in a function",
                                label);
        const auto found = region.call->attributes.find(attribute.ref_attr_name());
        if (found == region.call->attributes.end())
            continue;
        GL_TRY(state.charge(found->second.value->ByteSizeLong()));
        given.list.push_back({attribute.name(), found->second.value});
        given.regions.push_back(found->second.region);
    }
    return given;
}

Result<void> readAttributes(const ResolvedAttributes &given, const Region &region,
                            ReadingState &state, const ReadNestedGraph &readGraph, Node &node)
{
    std::vector<Attribute> list;
    std::map<const Graph *, std::vector<TensorId>> capturedBy;
    for (std::size_t i = 0; i < given.list.size(); ++i) {
        const std::string name(given.list[i].name);
        const auto readNested = [&](const onnx::GraphProto &proto) -> Result<GraphPointer> {
            // Inlined functions can nest graphs more deeply than the file does.
            if (state.depth == 2 * state.input().options.maxDepth)
                return state.refuse("graphs and functions are nested too deeply");
            ++state.depth;
            const auto entered = state.enter("graph \"" + name + "\"");
            GraphBuild build;
            build.parent = &region.build;
            Region inner{build, given.regions[i], given.regions[i]->call, {}};
            auto graph = readGraph(proto, inner);
            --state.depth;
            if (!graph)
                return tl::unexpected(graph.error());
            auto pointer = std::make_shared<const Graph>(std::move(*graph));
            capturedBy.emplace(pointer.get(), std::move(build.capturedFrom));
            return pointer;
        };
        auto value = readAttribute(*given.list[i].value, state.tensors(), readNested);
        if (!value)
            return value.error().where.empty()
                       ? state.at(value.error(), "attribute \"" + name + "\"")
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

} // namespace graphloom
