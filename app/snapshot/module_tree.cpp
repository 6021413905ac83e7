// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/module_tree.h"

#include "app/common/format.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <map>
#include <optional>

namespace graphloom {

namespace {

constexpr int deepest = 24;
constexpr QStringView gradientPhase = u"gradient", optimizerPhase = u"optimizer";

/// Returns the name of the whole node for a part of it.
QString withoutParts(QString name)
{
    static const QRegularExpression part(
        QStringLiteral("(\\.part\\d+of\\d+|\\.again|\\.slice|\\.join|\\.gather(ed)?)+(\\.\\d+)?$"));
    if (name.contains(u".part") || name.contains(u".again") || name.contains(u".slice") ||
        name.contains(u".join") || name.contains(u".gather"))
        name.remove(part);
    return name;
}

/// Removes the suffixes that passes and training append to names of nodes. Stores the phase of
/// training of the node in `phase`.
QString withoutSuffixes(QString name, QString &phase)
{
    static const QRegularExpression gradient(QStringLiteral("\\.gradient(\\.(\\d+|sum))*$"));
    name = withoutParts(std::move(name));
    if (name.contains(u".gradient")) {
        const auto match = gradient.match(name);
        if (match.hasMatch()) {
            name.truncate(match.capturedStart());
            phase = gradientPhase.toString();
        }
    } else if (name.endsWith(u".update")) {
        name.chop(7);
        phase = optimizerPhase.toString();
    }
    return name;
}

bool isNumber(QStringView text)
{
    return !text.isEmpty() &&
           std::ranges::all_of(text, [](QChar c) { return c >= u'0' && c <= u'9'; });
}

/// Splits names such as "model.encoder.layer.3.query"; a number stays with the word before it.
QStringList dotted(const QString &name)
{
    if (name.isEmpty() || !(name[0].isLetter() || name[0] == u'_'))
        return {};
    QStringList parts;
    for (const QString &part : name.split('.')) {
        if (part.isEmpty())
            return {};
        if (isNumber(part) && !parts.isEmpty())
            parts.back() += '.' + part;
        else
            parts << part;
    }
    return parts;
}

QStringList pathOf(const QString &name, bool &known)
{
    known = false;
    QStringList parts;
    if (name.contains('/')) {
        parts = name.split('/', Qt::SkipEmptyParts);
        while (!parts.isEmpty() && parts.front().startsWith(u"onnx::"))
            parts.pop_front();
        known = true;
    } else if (!name.contains(u"::") && !name.contains(' ')) {
        parts = dotted(name);
        known = parts.size() > 1;
    }
    if (!parts.isEmpty())
        parts.pop_back(); // the node itself
    return parts.mid(0, deepest);
}

QStringList commonOf(const QStringList &a, const QStringList &b)
{
    qsizetype n = 0;
    while (n < a.size() && n < b.size() && a[n] == b[n])
        ++n;
    return a.mid(0, n);
}

class Tree {
public:
    explicit Tree(const Graph &graph) : m_graph(graph), m_paths(graph.nodeBound()) {}

    GroupTree make()
    {
        bool any = false;
        for (const NodeId id : m_graph.order()) {
            m_paths[id.index] = ownPath(m_graph.node(id));
            any = any || m_paths[id.index];
        }
        m_tree.keyOf.assign(m_graph.nodeBound(), GroupForest::none);
        if (!any)
            return std::move(m_tree);
        for (const NodeId id : m_graph.order()) {
            if (!m_paths[id.index])
                m_paths[id.index] = between(id);
            m_tree.keyOf[id.index] = keyOf(m_paths[id.index].value_or(QStringList()));
        }
        return std::move(m_tree);
    }

private:
    std::optional<QStringList> ownPath(const Node &node) const
    {
        bool known = false;
        QStringList path = modulesOf(node.name, &known);
        if (known)
            return path;
        if (node.name.empty())
            for (const TensorId id : node.outputs) {
                if (!id.valid())
                    continue;
                path = modulesOf(m_graph.tensor(id).name, &known);
                if (known)
                    return path;
                break;
            }
        for (const TensorId id : node.inputs) {
            if (!id.valid() || !m_graph.tensor(id).constant)
                continue;
            path = modulesOf(m_graph.tensor(id).name, &known);
            if (known)
                return path;
        }
        return std::nullopt;
    }

    /// Returns the module that contains both inputs and readers of the node.
    std::optional<QStringList> between(NodeId id) const
    {
        std::optional<QStringList> path;
        const auto meet = [&](NodeId other) {
            if (const auto &known = m_paths[other.index])
                path = path ? commonOf(*path, *known) : *known;
        };
        for (const NodeId before : m_graph.predecessors(id))
            meet(before);
        for (const NodeId after : m_graph.successors(id))
            meet(after);
        return path;
    }

    std::uint32_t keyOf(const QStringList &path)
    {
        std::uint32_t key = GroupForest::none;
        for (const QString &part : path) {
            const auto [it, added] =
                m_keys.emplace(std::pair{key, part}, std::uint32_t(m_tree.keys.size()));
            if (added)
                m_tree.keys.push_back({part, key});
            key = it->second;
        }
        return key;
    }

    const Graph &m_graph;
    std::vector<std::optional<QStringList>> m_paths; // by node id
    std::map<std::pair<std::uint32_t, QString>, std::uint32_t> m_keys;
    GroupTree m_tree;
};

} // namespace

QStringList modulesOf(const std::string &name, bool *known)
{
    QString phase;
    const QString forward = withoutSuffixes(fromUtf8(name), phase);
    bool tells = false;
    QStringList path = pathOf(forward, tells);
    if (!phase.isEmpty()) {
        path.prepend(phase);
        tells = true;
    }
    if (known)
        *known = tells;
    return path;
}

GroupTree moduleTreeOf(const Graph &graph)
{
    return Tree(graph).make();
}

QString titleOfFission(const MemoryPlan::Fission &fission)
{
    return fission.number > 1
               ? QCoreApplication::translate("Fissions", "%1 parts").arg(fission.number)
               : QCoreApplication::translate("Fissions", "candidate, up to %1 parts")
                     .arg(fission.most);
}

FissionTree fissionTreeOf(const Graph &graph, const MemoryPlan &plan)
{
    FissionTree result;
    const auto &fissions = plan.fissions;
    std::unordered_map<std::string, std::vector<std::uint32_t>> regionsOf; // by name of a node
    for (std::uint32_t f = 0; f < fissions.size(); ++f)
        for (const std::string &name : fissions[f].names)
            regionsOf[name].push_back(f);
    // Collect the nodes by name; parts of a node have a suffix.
    std::vector<std::vector<NodeId>> nodes(fissions.size());
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        const std::string &own =
            node.name.empty() && !node.outputs.empty() && node.outputs.front().valid()
                ? graph.tensor(node.outputs.front()).name
                : node.name;
        auto found = regionsOf.find(own);
        if (found == regionsOf.end())
            found = regionsOf.find(withoutParts(fromUtf8(own)).toStdString());
        if (found != regionsOf.end())
            for (const std::uint32_t f : found->second)
                nodes[f].push_back(id);
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t f = 0; f < fissions.size(); ++f)
        if (nodes[f].size() > 1)
            order.push_back(f);
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
        const bool cut = fissions[a].number > 1, otherCut = fissions[b].number > 1;
        return cut != otherCut ? cut : nodes[a].size() > nodes[b].size();
    });
    // The regions of each node must form a chain from the largest to the smallest.
    std::vector<std::uint32_t> kept;
    const auto isLaminar = [&](std::uint32_t f) {
        return std::ranges::all_of(kept, [&](std::uint32_t other) {
            std::size_t common = 0;
            for (auto a = nodes[f].begin(), b = nodes[other].begin();
                 a != nodes[f].end() && b != nodes[other].end();) {
                const auto x = graph.position(*a), y = graph.position(*b);
                common += x == y;
                a += x <= y;
                b += y <= x;
            }
            return common == 0 || common == nodes[f].size() || common == nodes[other].size();
        });
    };
    for (const std::uint32_t f : order) {
        if (isLaminar(f))
            kept.push_back(f);
        else
            ++result.omitted;
    }
    std::ranges::stable_sort(
        kept, [&](std::uint32_t a, std::uint32_t b) { return nodes[a].size() > nodes[b].size(); });
    result.tree.joined = false;
    result.tree.keyOf.assign(graph.nodeBound(), GroupForest::none);
    for (const std::uint32_t f : kept) {
        const auto key = std::uint32_t(result.tree.keys.size());
        // The previous region of its nodes is its parent.
        result.tree.keys.push_back(
            {titleOfFission(fissions[f]), result.tree.keyOf[nodes[f].front().index]});
        result.fissions.push_back(f);
        for (const NodeId id : nodes[f])
            result.tree.keyOf[id.index] = key;
    }
    return result;
}

} // namespace graphloom
