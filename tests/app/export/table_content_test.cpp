// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export/table_content.h"

#include "app/compare/difference_model.h"
#include "app/devices/run_history.h"
#include "app/fission/fission_model.h"
#include "app/fusion/fusion_model.h"
#include "app/fusion/partition_model.h"
#include "app/kernels/kernel_model.h"
#include "app/memory/memory_tensor_model.h"
#include "app/nodes/hierarchy_model.h"
#include "app/nodes/node_model.h"
#include "app/pareto/pareto_model.h"
#include "app/rewrite/rewrite_model.h"
#include "app/runs/run_model.h"
#include "app/status/message_model.h"
#include "app/tuning/trial_model.h"
#include "tests/support/app/window_driver.h"

#include <QRegularExpression>

#include <limits>
#include <nlohmann/json.hpp>

namespace graphloom::test::table_content_test {

using Json = nlohmann::ordered_json;

namespace {

/// As a spreadsheet reads it: RFC 4180, quotes doubled in quotes.
std::vector<QStringList> readCsv(const QByteArray &bytes)
{
    std::vector<QStringList> rows(1);
    QString cell;
    bool quoted = false;
    const QString text = QString::fromUtf8(bytes);
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        if (quoted && c == u'"' && i + 1 < text.size() && text[i + 1] == u'"')
            cell += text[++i];
        else if (c == u'"')
            quoted = !quoted;
        else if (quoted)
            cell += c;
        else if (c == u',' || c == u'\n') {
            rows.back() << std::exchange(cell, {});
            if (c == u'\n')
                rows.emplace_back();
        } else if (c != u'\r')
            cell += c;
    }
    rows.pop_back(); // after the last line's end
    return rows;
}

TableContent sampleTable()
{
    return {
        {QStringLiteral("name"), QStringLiteral("bytes"), QStringLiteral("ms"),
         QStringLiteral("recomputed")},
        {{QStringLiteral("a, \"b\"\nc"), qlonglong(1) << 60, 0.1, true},
         {QStringLiteral("Größe"), QVariant(), std::numeric_limits<double>::infinity(), false}}};
}

} // namespace

class TableContentTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void csvIsReadBack()
    {
        const auto csv = csvOf(sampleTable());
        QVERIFY(csv);
        const auto rows = readCsv(*csv);
        QCOMPARE(rows.size(), std::size_t(3));
        QCOMPARE(rows[0], (QStringList{"name", "bytes", "ms", "recomputed"}));
        QCOMPARE(rows[1], (QStringList{"a, \"b\"\nc", "1152921504606846976", "0.1", "true"}));
        QCOMPARE(rows[2], (QStringList{QStringLiteral("Größe"), "", "", "false"}));
    }

    void csvLinesEndAsTheRfcSays()
    {
        const QByteArray csv = *csvOf({{QStringLiteral("a")}, {{1}, {2}}});
        QCOMPARE(csv, QByteArray("a\r\n1\r\n2\r\n"));
    }

    void spreadsheetsCalculateNothing_data()
    {
        QTest::addColumn<QString>("cell");
        QTest::addColumn<QByteArray>("written");
        const auto row = [](const char *cell, const char *written) {
            QTest::newRow(cell) << QString::fromUtf8(cell) << QByteArray(written);
        };
        row("=cmd|'/c calc'!A1", "\"'=cmd|'/c calc'!A1\"");
        row("+SUM(A1)", "\"'+SUM(A1)\"");
        row("-x", "\"'-x\"");
        row("@SUM(1)", "\"'@SUM(1)\"");
        row("\t=1", "\"'\t=1\"");
        row("\r=1", "\"'\r=1\"");
        row("=\"a\",1", "\"'=\"\"a\"\",1\"");
        row("-1.5e3", "-1.5e3"); // a number stays one
        row("+7", "+7");
        row("a=b", "a=b");
        row("'x", "'x");
    }

    void spreadsheetsCalculateNothing()
    {
        QFETCH(QString, cell);
        QFETCH(QByteArray, written);
        QCOMPARE(*csvOf({{QStringLiteral("a")}, {{cell}}}), "a\r\n" + written + "\r\n");
        QCOMPARE(*csvOf({{cell}, {}}), written + "\r\n"); // nor titles
        QCOMPARE(*csvOf({{QStringLiteral("a")}, {{-3}, {-0.5}}}),
                 QByteArray("a\r\n-3\r\n-0.5\r\n"));
    }

    void jsonIsReadBack()
    {
        const Json json = Json::parse(jsonOf(sampleTable())->toStdString());
        QCOMPARE(json.size(), std::size_t(2));
        QCOMPARE(json[0]["name"].get<std::string>(), std::string("a, \"b\"\nc"));
        QCOMPARE(json[0]["bytes"].get<std::int64_t>(), std::int64_t(1) << 60);
        QCOMPARE(json[0]["ms"].get<double>(), 0.1);
        QVERIFY(json[0]["recomputed"].get<bool>());
        // JSON has no infinite numbers.
        QVERIFY(json[1]["bytes"].is_null() && json[1]["ms"].is_null());
        QCOMPARE(Json::parse(jsonOf({{QStringLiteral("a")}, {}})->toStdString()), Json::array());
    }

    void itIsStopped()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!csvOf(sampleTable(), stop.get_token()));
        QVERIFY(!jsonOf(sampleTable(), stop.get_token()));
    }

    void filterAndOrderAreThoseOfTheView()
    {
        const SnapshotPointer snapshot = test::snapshotOfSample("mobilenet_v2_224.onnx");
        NodeModel model;
        model.setSnapshot(snapshot);
        TableFilter filter(model);
        filter.setText(QStringLiteral("op:Conv"));
        filter.sort(NodeModel::Macs, Qt::DescendingOrder);
        const TableContent table = sourceOf(filter).content();
        QCOMPARE(table.rows.size(), std::size_t(filter.rowCount()));
        const auto column = [&](const char *key) { return table.keys.indexOf(QLatin1String(key)); };
        double before = 1e300;
        for (const TableRow &row : table.rows) {
            QCOMPARE(row[std::size_t(column("operator"))].toString(), QStringLiteral("Conv"));
            const QVariant macs = row[std::size_t(column("macs"))];
            QCOMPARE(macs.typeId(), int(QMetaType::LongLong)); // not "10.8 M"
            QVERIFY(macs.toDouble() <= before);
            before = macs.toDouble();
            QCOMPARE(row[std::size_t(column("provenance"))].toString(), QStringLiteral("modelled"));
        }
    }

    void keysAreMadeForPrograms()
    {
        const KernelModel kernels;
        const MemoryTensorModel tensors;
        const MemoryStepModel steps;
        const ParetoModel points;
        const NodeModel nodes;
        const FusionModel blocks;
        const FissionModel regions;
        const DifferenceModel differences;
        const MetricModel figures;
        const OriginModel origins;
        const PartitionModel subgraphs;
        const RewriteModel rewriting;
        const RuleTotalsModel rules;
        const RunModel runs;
        const RefusalModel refusals;
        const TrialModel trials;
        const RunHistory history({});
        static const QRegularExpression form(QStringLiteral("^[a-z][a-z0-9_]*$"));
        for (const TableModel *model : std::initializer_list<const TableModel *>{
                 &kernels, &tensors, &steps, &points, &nodes, &blocks, &regions, &differences,
                 &figures, &origins, &subgraphs, &rewriting, &rules, &runs, &refusals, &trials,
                 &history}) {
            QStringList keys;
            for (std::size_t column = 0; column < model->columns().size(); ++column) {
                const QString &key = model->columns()[column].key;
                if (model == &nodes && column == NodeModel::Metric) // nothing colours them
                    continue;
                QVERIFY2(form.match(key).hasMatch(), qPrintable(model->columns()[column].title));
                QVERIFY2(!keys.contains(key), qPrintable(key));
                keys << key;
            }
        }
    }

    void messagesHaveTheirSeverity()
    {
        MessageModel messages;
        messages.add(MessageModel::Severity::Error, QStringLiteral("x"), QStringLiteral("why"));
        messages.add(MessageModel::Severity::Info, QStringLiteral("y"));
        const Json json = Json::parse(jsonOf(sourceOf(messages).content())->toStdString());
        QCOMPARE(json[1]["severity"].get<std::string>(), std::string("error"));
        QCOMPARE(json[1]["details"].get<std::string>(), std::string("why"));
        QVERIFY(json[0]["details"].is_null());
    }

    void theHierarchyIsFlat()
    {
        const SnapshotPointer snapshot = test::partitionedSample("mobilenet_v2_224.onnx");
        HierarchyModel model;
        model.setSnapshot(snapshot);
        const TableContent table = sourceOf(model).content();
        std::size_t groups = 0;
        for (const TableRow &row : table.rows) {
            QCOMPARE(row.size(), std::size_t(table.keys.size()));
            groups += row[0].toString() == QLatin1String("subgraphs") &&
                      row[2].toString() == QLatin1String("group");
        }
        QCOMPARE(groups, snapshot->count(Grouping::Subgraphs));
    }
};

GRAPHLOOM_WINDOW_TESTS(TableContentTest)

} // namespace graphloom::test::table_content_test

#include "table_content_test.moc"
