// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/function_library.h"

#include "engine/onnx/format/proto_fields.h"

#include <set>
#include <unordered_map>

namespace graphloom {

namespace {

std::string keyOf(const std::string &domain, const std::string &name, const std::string &overload)
{
    // Accepted names do not contain the separator.
    return normalDomain(domain) + '\0' + name + '\0' + overload;
}

std::string titleOf(const ModelFunction &function)
{
    return "function \"" + (function.domain.empty() ? "" : function.domain + ".") +
           function.name() + "\"";
}

template <class Names> const std::string *repeatedName(const Names &names)
{
    std::set<std::string_view> seen;
    for (const std::string &name : names)
        if (!seen.insert(name).second)
            return &name;
    return nullptr;
}

/// Returns all nodes of a function, including those of nested graphs.
std::vector<const onnx::NodeProto *> nodesOf(const onnx::FunctionProto &function)
{
    std::vector<const onnx::NodeProto *> nodes;
    for (const auto &node : function.node())
        nodes.push_back(&node);
    const auto addGraph = [&](const onnx::GraphProto &graph) {
        for (const auto &node : graph.node())
            nodes.push_back(&node);
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (const auto &attribute : nodes[i]->attribute()) {
            if (attribute.has_g())
                addGraph(attribute.g());
            for (const auto &graph : attribute.graphs())
                addGraph(graph);
        }
    }
    return nodes;
}

} // namespace

std::string normalDomain(const std::string &domain)
{
    return domain == "ai.onnx" ? std::string() : domain;
}

Result<FunctionLibrary> FunctionLibrary::read(const onnx::ModelProto &model)
{
    FunctionLibrary library;
    for (const auto &proto : model.functions()) {
        ModelFunction function;
        function.proto = &proto;
        function.domain = normalDomain(proto.domain());
        const std::string title = titleOf(function);
        if (proto.name().empty() || (proto.name() + proto.domain()).find('\0') != std::string::npos)
            return fail(Error::Kind::Model, "a function has no name");
        auto opsets = importsOf(proto);
        if (!opsets)
            return fail(Error::Kind::Model, title + " " + opsets.error().message);
        function.opsets = std::move(*opsets);
        function.defaults = defaultsOf(proto);
        function.bytes = proto.ByteSizeLong();
        for (const auto *names : {&proto.input(), &proto.output(), &proto.attribute()})
            if (const std::string *name = repeatedName(*names))
                return fail(Error::Kind::Model, title + " lists \"" + *name + "\" twice");
        const auto key = keyOf(proto.domain(), proto.name(), overloadOf(proto));
        if (!library.m_functions.emplace(key, std::move(function)).second)
            return fail(Error::Kind::Model, title + " is defined twice");
    }
    GL_TRY(library.checkRecursion());
    return library;
}

const ModelFunction *FunctionLibrary::find(const onnx::NodeProto &node) const
{
    if (m_functions.empty())
        return nullptr;
    const auto found = m_functions.find(keyOf(node.domain(), node.op_type(), overloadOf(node)));
    return found == m_functions.end() ? nullptr : &found->second;
}

/// Walks the calls depth-first with an explicit stack.
Result<void> FunctionLibrary::checkRecursion() const
{
    enum class State : char { New, Open, Done };
    struct Visit {
        const ModelFunction *function;
        std::vector<const ModelFunction *> calls;
        std::size_t next = 0;
    };
    std::unordered_map<const ModelFunction *, State> states;
    std::vector<Visit> open;
    const auto enter = [&](const ModelFunction &function) {
        states[&function] = State::Open;
        Visit visit{&function, {}, 0};
        for (const onnx::NodeProto *node : nodesOf(*function.proto))
            if (const ModelFunction *called = find(*node))
                visit.calls.push_back(called);
        open.push_back(std::move(visit));
    };
    for (const auto &[key, root] : m_functions) {
        if (states[&root] != State::New)
            continue;
        enter(root);
        while (!open.empty()) {
            Visit &visit = open.back();
            if (visit.next == visit.calls.size()) {
                states[visit.function] = State::Done;
                open.pop_back();
                continue;
            }
            const ModelFunction &called = *visit.calls[visit.next++];
            if (states[&called] == State::Open)
                return fail(
                    Error::Kind::Model,
                    titleOf(called) + " calls itself" +
                        (&called == visit.function ? "" : " through " + titleOf(*visit.function)));
            if (states[&called] == State::New)
                enter(called);
        }
    }
    return {};
}

} // namespace graphloom
