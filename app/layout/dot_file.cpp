// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/dot_file.h"

#include "app/layout/geometry.h"

#include <cgraph.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

namespace graphloom::layout {

namespace {

constexpr std::uintmax_t mostDotBytes = std::uintmax_t{64} << 20;
const std::string domain = "dot"; // of operators that only have a name

/// Guards libcgraph, which keeps global state (parser, error function).
std::mutex &libraryMutex()
{
    static std::mutex mutex;
    return mutex;
}

std::string &libraryError()
{
    static std::string error;
    return error;
}

int takeError(char *text)
{
    libraryError() += text;
    return 0;
}

struct Close {
    void operator()(Agraph_t *graph) const { agclose(graph); }
};
using GraphHandle = std::unique_ptr<Agraph_t, Close>;

// libcgraph takes all strings as char *, and does not write to them.
char *raw(const std::string &text)
{
    return const_cast<char *>(text.c_str());
}

void set(void *object, const char *attribute, const std::string &value)
{
    if (!value.empty())
        agsafeset(object, const_cast<char *>(attribute), raw(value), const_cast<char *>(""));
}

std::string inches(double pixels)
{
    return pixels > 0 ? std::to_string(pixels / pixelsPerInch) : std::string();
}

std::string get(void *object, const char *attribute)
{
    const char *value = agget(object, const_cast<char *>(attribute));
    return value ? value : "";
}

int appendText(void *to, const char *text)
{
    static_cast<std::string *>(to)->append(text);
    return 0;
}

std::string operatorOf(Agnode_t *node)
{
    std::string op = get(node, "op");
    if (op.empty())
        op = get(node, "label");
    // "\N" is Graphviz's placeholder for the node's name. Only a label's first line counts.
    op = op.substr(0, op.find('\n'));
    op = op.substr(0, op.find("\\n"));
    if (op.empty() || op == "\\N")
        op = agnameof(node);
    return op;
}

} // namespace

Result<std::string> writeDot(const DotGraph &graph)
{
    const std::lock_guard lock(libraryMutex());
    libraryError().clear();
    agseterrf(takeError);
    const GraphHandle dot(agopen(raw(graph.name), Agstrictdirected, nullptr));
    if (!dot)
        return fail(Error::Kind::Fault, "libcgraph cannot make a graph: " + libraryError());
    std::vector<Agraph_t *> clusters;
    for (std::size_t c = 0; c < graph.clusters.size(); ++c) {
        const std::string name = "cluster_" + std::to_string(c);
        const std::uint32_t parent = graph.clusters[c].parent;
        Agraph_t *around = parent < clusters.size() ? clusters[parent] : dot.get();
        clusters.push_back(agsubg(around, raw(name), 1));
        set(clusters.back(), "label", graph.clusters[c].label);
    }
    std::vector<Agnode_t *> nodes;
    for (const DotGraph::Node &node : graph.nodes) {
        Agnode_t *added = agnode(dot.get(), raw(node.name), 1);
        set(added, "label", node.label);
        set(added, "shape", "box");
        set(added, "style", node.colour.empty() ? "rounded" : "rounded,filled");
        set(added, "fillcolor", node.colour);
        set(added, "width", inches(node.width));
        set(added, "height", inches(node.height));
        set(added, "fixedsize", node.width > 0 ? "true" : "");
        if (node.cluster < clusters.size())
            agsubnode(clusters[node.cluster], added, 1);
        nodes.push_back(added);
    }
    for (const DotGraph::Edge &edge : graph.edges)
        set(agedge(dot.get(), nodes[edge.source], nodes[edge.target], nullptr, 1), "label",
            edge.label);

    std::string text;
    Agiodisc_t io = AgIoDisc;
    io.putstr = appendText;
    io.flush = [](void *) { return 0; };
    Agiodisc_t *const before = dot->clos->disc.io;
    dot->clos->disc.io = &io;
    const int written = agwrite(dot.get(), &text);
    dot->clos->disc.io = before;
    if (written < 0)
        return fail(Error::Kind::Fault, "libcgraph cannot write the graph: " + libraryError());
    return text;
}

Result<Model> readDot(const std::filesystem::path &path)
{
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error)
        return fail(Error::Kind::Missing, "cannot be read: " + error.message(), path.string());
    if (size > mostDotBytes)
        return fail(Error::Kind::Model, "is larger than 64 MiB", path.string());
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file)
        return fail(Error::Kind::Missing, "cannot be read", path.string());

    const std::lock_guard lock(libraryMutex());
    libraryError().clear();
    agseterrf(takeError);
    const GraphHandle dot(agmemread(text.c_str()));
    if (!dot)
        return fail(Error::Kind::Model,
                    "is not in the DOT language" +
                        (libraryError().empty() ? "" : ": " + libraryError()),
                    path.string());
    if (!agisdirected(dot.get()))
        return fail(Error::Kind::Model, "is an undirected graph; edges must have a direction",
                    path.string());

    GraphEditor editor;
    editor.setName(agnameof(dot.get()));
    std::map<Agnode_t *, TensorId> values; // the result of each node
    std::vector<TensorId> outputs;
    for (Agnode_t *node = agfstnode(dot.get()); node; node = agnxtnode(dot.get(), node)) {
        Tensor tensor;
        tensor.name = agnameof(node);
        const TensorId id = editor.addTensor(std::move(tensor));
        values.emplace(node, id);
        if (!agfstout(dot.get(), node))
            outputs.push_back(id);
    }
    for (Agnode_t *node = agfstnode(dot.get()); node; node = agnxtnode(dot.get(), node)) {
        graphloom::Node added;
        added.domain = domain;
        added.op = operatorOf(node);
        added.name = agnameof(node);
        added.outputs = {values.at(node)};
        for (Agedge_t *edge = agfstin(dot.get(), node); edge; edge = agnxtin(dot.get(), edge))
            added.inputs.push_back(values.at(edge->node));
        editor.addNode(std::move(added));
    }
    editor.setOutputs(std::move(outputs));
    auto graph = std::move(editor).finish();
    if (!graph)
        return fail(Error::Kind::Model, graph.error().message, path.string());
    Model model;
    model.fileNodes = graph->nodeCount();
    model.graph = *std::move(graph);
    model.opsets = model.fileOpsets = {{"", normalOpset}, {domain, 1}};
    model.producer = "Graphviz";
    model.path = path;
    model.fileBytes = size;
    return model;
}

} // namespace graphloom::layout
