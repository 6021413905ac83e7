// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/query_tests.h"

#include "app/common/format.h"
#include "app/snapshot/module_tree.h"
#include "app/snapshot/node_figures.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr QueryTextKey textKeys[] = {
    {"op", QT_TRANSLATE_NOOP("Query", "the operator, exactly"), "op:Conv", false},
    {"name", QT_TRANSLATE_NOOP("Query", "part of the name of the node"), "name:layer1", true},
    {"tensor", QT_TRANSLATE_NOOP("Query", "part of the name of a tensor that it reads or writes"),
     "tensor:weight", true},
    {"module", QT_TRANSLATE_NOOP("Query", "part of the name of a module that contains it"),
     "module:encoder/layer.3", false},
    {"block", QT_TRANSLATE_NOOP("Query", "the number of its fusion block"), "block:7", false},
    {"subgraph", QT_TRANSLATE_NOOP("Query", "the number of its subgraph"), "subgraph:3", false},
    {"type", QT_TRANSLATE_NOOP("Query", "the element type of an output"), "type:float16", true},
    {"shape", QT_TRANSLATE_NOOP("Query", "the shape of an output; * is any extent"), "shape:1x64x*",
     true},
    {"class", QT_TRANSLATE_NOOP("Query", "its class in the legend"), "class:contraction", false},
    {"mapping", QT_TRANSLATE_NOOP("Query", "its mapping type"), "mapping:many-to-many", false},
    {"opaque", QT_TRANSLATE_NOOP("Query", "whether it is opaque to passes"), "opaque:yes", false},
};

bool anyTensor(const QuerySubject &subject, bool outputsOnly,
               const std::function<bool(const Tensor &)> &test)
{
    if (subject.tensor)
        return test(*subject.tensor);
    const Node &node = subject.of();
    const auto any = [&](const std::vector<TensorId> &ids) {
        return std::ranges::any_of(ids, [&](TensorId id) {
            return id.valid() && test(subject.context->graph.tensor(id));
        });
    };
    return any(node.outputs) || (!outputsOnly && (any(node.inputs) || any(node.captures)));
}

/// Matches "1x64x*" against the extents; "…" or ".." at the end matches any further extents.
bool matchesShape(const QStringList &wanted, const Tensor &tensor)
{
    if (!tensor.shape)
        return false;
    const Shape &shape = *tensor.shape;
    const bool open = !wanted.isEmpty() && (wanted.back() == u".." || wanted.back() == u"…");
    const qsizetype count = wanted.size() - (open ? 1 : 0);
    if (open ? qsizetype(shape.size()) < count : qsizetype(shape.size()) != count)
        return false;
    for (qsizetype d = 0; d < count; ++d)
        if (wanted[d] != u"*" && wanted[d] != u"?" &&
            fromUtf8(shape[std::size_t(d)].text()).compare(wanted[d], Qt::CaseInsensitive) != 0)
            return false;
    return true;
}

bool isInModule(const QuerySubject &subject, const QueryPattern &pattern)
{
    const QueryContext &context = *subject.context;
    if (context.groups && context.groups->modules)
        for (Item group = context.groups->groupOf(subject.node, Grouping::Modules); group;
             group = context.groups->parentOf(group)) {
            const auto &of = context.groups->modules->groups[group.index];
            if (pattern.matches(of.name) || pattern.matches(of.title))
                return true;
        }
    // A module of one node is not a group.
    return pattern.matches(modulesOf(subject.of().name).join('/'));
}

} // namespace

std::span<const QueryTextKey> queryTextKeys()
{
    return textKeys;
}

QueryTest queryWordTest(const QString &word, bool quoted)
{
    if (!quoted && (word.contains('*') || word.contains('?'))) {
        const QueryPattern pattern('*' + word + '*', true, false);
        return [pattern](const QuerySubject &s) {
            if (s.tensor)
                return pattern.matches(fromUtf8(s.tensor->name));
            const auto lines = QStringView(s.facts().searchText).split('\n');
            return std::ranges::any_of(
                lines, [&](QStringView line) { return pattern.matches(line.toString()); });
        };
    }
    return [lower = word.toLower()](const QuerySubject &s) {
        return s.tensor ? fromUtf8(s.tensor->name).contains(lower, Qt::CaseInsensitive)
                        : s.facts().searchText.contains(lower);
    };
}

QueryTest queryTextTest(QStringView key, const QString &value, bool quoted)
{
    const auto number = [&] {
        bool ok = false;
        const std::uint32_t index = value.toUInt(&ok);
        return ok ? index : Partition::none;
    };
    if (key == u"op")
        return [pattern = QueryPattern(value, true, quoted)](const QuerySubject &s) {
            return pattern.matches(s.facts().op) || pattern.matches(fromUtf8(s.of().op));
        };
    if (key == u"name")
        return [pattern = QueryPattern(value, false, quoted)](const QuerySubject &s) {
            return pattern.matches(s.tensor ? fromUtf8(s.tensor->name) : s.facts().name);
        };
    if (key == u"tensor")
        return [pattern = QueryPattern(value, false, quoted)](const QuerySubject &s) {
            return anyTensor(s, false, [&](const Tensor &tensor) {
                return pattern.matches(fromUtf8(tensor.name));
            });
        };
    if (key == u"module")
        return [pattern = QueryPattern(value, false, quoted)](const QuerySubject &s) {
            return isInModule(s, pattern);
        };
    if (key == u"block" || key == u"subgraph")
        return [index = number(), grouping = key == u"block"
                                                 ? Grouping::Blocks
                                                 : Grouping::Subgraphs](const QuerySubject &s) {
            const Item group =
                s.context->groups ? s.context->groups->groupOf(s.node, grouping) : Item();
            return group && group.index == index;
        };
    if (key == u"type") // aliases from other tools
        return [pattern = QueryPattern(value.toLower() == u"float32"   ? QStringLiteral("float")
                                       : value.toLower() == u"float64" ? QStringLiteral("double")
                                                                       : value,
                                       true, quoted)](const QuerySubject &s) {
            return anyTensor(s, true, [&](const Tensor &tensor) {
                return pattern.matches(fromUtf8(nameOf(tensor.type)));
            });
        };
    if (key == u"shape")
        return [wanted = value.toLower() == u"scalar" ? QStringList() : value.toLower().split('x')](
                   const QuerySubject &s) {
            return anyTensor(s, true,
                             [&](const Tensor &tensor) { return matchesShape(wanted, tensor); });
        };
    if (key == u"class")
        return [pattern = QueryPattern(value, false, quoted)](const QuerySubject &s) {
            return pattern.matches(fromUtf8(nameOf(s.facts().operatorClass)));
        };
    if (key == u"mapping")
        return [pattern = QueryPattern(value, true, quoted)](const QuerySubject &s) {
            return pattern.matches(fromUtf8(nameOf(s.facts().mapping)));
        };
    return [yes = value.toLower() == u"yes"](const QuerySubject &s) {
        return s.facts().opaque.isEmpty() != yes;
    };
}

QueryTest queryFigureTest(const NodeFigure &figure, Relation relation, double limit)
{
    return [&figure, relation, limit](const QuerySubject &s) {
        const auto value = figure.of(s.context->graph, s.context->facts, s.node);
        return value && holds(*value, relation, limit);
    };
}

QueryTest queryMetricTest(MetricPointer metric, Relation relation, double limit)
{
    return [metric = std::move(metric), relation, limit](const QuerySubject &s) {
        const auto value =
            s.context->groups ? metric->of(*s.context->groups, Item::of(s.node)) : std::nullopt;
        return value && holds(*value, relation, limit);
    };
}

QueryTest queryOwnTest(OwnTablePointer table, const OwnTable::Column &column, Relation relation,
                       double limit)
{
    return [table = std::move(table), &column, relation, limit](const QuerySubject &s) {
        const auto found = column.values.find(s.of().name);
        return found != column.values.end() && holds(found->second, relation, limit);
    };
}

QueryTest queryOwnTest(OwnTablePointer table, const OwnTable::Column &column, const QString &value,
                       bool quoted)
{
    return [table = std::move(table), &column,
            pattern = QueryPattern(value, true, quoted)](const QuerySubject &s) {
        const auto found = column.cells.find(s.of().name);
        return found != column.cells.end() && pattern.matches(found->second);
    };
}

} // namespace graphloom
