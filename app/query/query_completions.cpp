// SPDX-License-Identifier: GPL-3.0-or-later
// Completions for queries, and their descriptions.
#include "app/query/query_tests.h"

#include "app/common/format.h"
#include "app/snapshot/node_figures.h"

#include <set>

namespace graphloom {

std::vector<Query::Key> Query::keys(const OwnTable *own)
{
    std::vector<Key> keys;
    for (const QueryTextKey &key : queryTextKeys())
        keys.push_back(
            {QLatin1String(key.key), tr(key.meaning), QLatin1String(key.example), false});
    for (const NodeFigure &figure : nodeFigures()) {
        const QString key = QLatin1String(figure.key);
        keys.push_back(
            {key, figure.translatedMeaning(), key + QLatin1String(figure.example), true});
    }
    if (own)
        for (const MetricPointer &metric : own->metrics())
            keys.push_back({metric->key, tr("%1, %2").arg(metric->name, metric->provenance),
                            metric->key + QStringLiteral(">1e-4"), true});
    if (own)
        for (const OwnTable::Column &column : own->columns()) {
            const QString key = column.name.contains(' ')
                                    ? QStringLiteral("own.\"%1\"").arg(column.name)
                                    : QStringLiteral("own.") + column.name;
            keys.push_back({key, tr("%1 of %2").arg(column.name, column.file),
                            key + (column.numbers ? QStringLiteral(">3") : QStringLiteral(":*")),
                            column.numbers});
        }
    return keys;
}

QStringList Query::valuesOf(const QString &key, const Snapshot &snapshot)
{
    std::set<QString> values;
    const Graph &graph = snapshot.graph();
    for (const NodeId id : graph.order()) {
        const NodeFacts &facts = snapshot.facts->of(id);
        if (key == u"op")
            values.insert(facts.op);
        else if (key == u"class")
            values.insert(fromUtf8(nameOf(facts.operatorClass)));
        else if (key == u"mapping")
            values.insert(fromUtf8(nameOf(facts.mapping)));
        else if (key == u"shape")
            values.insert(facts.shape);
        else if (key == u"type")
            for (const TensorId output : graph.node(id).outputs)
                if (output.valid())
                    values.insert(fromUtf8(nameOf(graph.tensor(output).type)));
    }
    if (key == u"opaque")
        values = {QStringLiteral("no"), QStringLiteral("yes")};
    if (key == u"module" && snapshot.modules)
        for (const GroupForest::Group &group : snapshot.modules->groups)
            values.insert(group.name.section('#', 0, 0));
    return {values.begin(), values.end()};
}

QString Query::help()
{
    QString text =
        tr("<p>Words match names, operators and tensors; a node must match all of them. <b>-</b> "
           "in front of a word excludes it. <b>or</b> between two words matches either. "
           "<b>\"…\"</b> matches the text literally. <b>*</b> and <b>?</b> match any text and any "
           "character. <b>( )</b> group. Numbers may have units: 64, 1.5M, 2MB, 2MiB; compare them "
           "with &gt; &gt;= &lt; &lt;= = !=.</p><table>");
    const auto line = [&](const QString &example, const QString &meaning) {
        text += QStringLiteral("<tr><td><code>%1</code>&nbsp;&nbsp;</td><td>%2</td></tr>")
                    .arg(example.toHtmlEscaped(), meaning.toHtmlEscaped());
    };
    for (const Key &key : keys())
        line(key.example, key.meaning);
    line(QStringLiteral("own.latency>3"), tr("a column of loaded node data"));
    return text + QStringLiteral("</table>");
}

} // namespace graphloom
