// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/metrics/own_data.h"

#include "tests/support/app/module_graphs.h"
#include "tests/support/mutated_text.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>

#include <sys/stat.h>

namespace graphloom::test::own_data_test {

class OwnDataTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_snapshot = test::snapshotOfGraph(test::named({"a", "b", "c"})); }

    void tablesAreRead_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("commas") << QByteArray("name,ms,kind\na,1.5,fast\nb,2,slow\n");
        QTest::newRow("semicolons") << QByteArray("ms;kind;node\n1.5;fast;a\n2;slow;b");
        QTest::newRow("tabs") << QByteArray("op\tms\tkind\r\na\t1.5\tfast\r\nb\t2\tslow\r\n");
        QTest::newRow("quotes") << QByteArray("\"name\",ms,kind\n\"a\",1.5,\"fast\"\nb,2,slow\n\n");
        QTest::newRow("object") << QByteArray(
            R"({"a": {"ms": 1.5, "kind": "fast"}, "b": {"ms": 2, "kind": "slow"}})");
        QTest::newRow("list") << QByteArray(
            R"([{"name": "a", "ms": 1.5, "kind": "fast"}, {"name": "b", "ms": 2, "kind": "slow"}])");
    }

    void tablesAreRead()
    {
        QFETCH(QByteArray, text);
        const auto data = parse(text);
        QVERIFY2(data, data ? "" : data.error().text().c_str());
        QCOMPARE(data->rows, std::vector<QString>({"a", "b"}));
        QCOMPARE(data->columns.size(), std::size_t(2));
        QCOMPARE(data->columns[0].name, QStringLiteral("ms"));
        QVERIFY(data->columns[0].numbers);
        QVERIFY(!data->columns[1].numbers);
        const OwnMetrics made = metricsOf(*data, *m_snapshot);
        QVERIFY(made.unknown.isEmpty());
        QCOMPARE(value(*made.metrics[0], 0), QStringLiteral("1.5"));
        QCOMPARE(value(*made.metrics[0], 1), QStringLiteral("2"));
        QCOMPARE(value(*made.metrics[0], 2), QString());
        QVERIFY(made.metrics[1]->isCategorical());
        QCOMPARE(value(*made.metrics[1], 1), QStringLiteral("slow"));
    }

    void aValueForEachNode()
    {
        const auto data = parse(R"({"a": 3, "b": 4.5})");
        QVERIFY(data);
        QCOMPARE(data->columns.front().name, QStringLiteral("value"));
        QCOMPARE(value(*metricsOf(*data, *m_snapshot).metrics[0], 1), QStringLiteral("4.5"));
    }

    void emptyCellsAreNoValues()
    {
        const auto data = parse("name,ms\na,\nb,2\n");
        QVERIFY(data->columns[0].numbers);
        QCOMPARE(value(*metricsOf(*data, *m_snapshot).metrics[0], 0), QString());
    }

    void rowsOfNoNodeAreTold()
    {
        const OwnMetrics made = metricsOf(*parse("name,ms\na,1\nzz,2\n"), *m_snapshot);
        QCOMPARE(made.unknown, QStringList("zz"));
    }

    void whatIsNoTableIsRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("reason");
        QTest::newRow("empty") << QByteArray() << "first line";
        QTest::newRow("one column") << QByteArray("name\na\n") << "first line";
        QTest::newRow("short row") << QByteArray("name,ms\na\n") << "row 1";
        QTest::newRow("broken JSON") << QByteArray("{\"a\": ") << "not a JSON";
        QTest::newRow("nameless") << QByteArray(R"([{"ms": 1}])") << "entry 0";
        QTest::newRow("nothing said") << QByteArray(R"({"a": {}})") << "no data";
    }

    void whatIsNoTableIsRefused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, reason);
        const auto data = parse(text);
        QVERIFY(!data);
        QVERIFY2(QString::fromStdString(data.error().text()).contains(reason),
                 data.error().text().c_str());
        QVERIFY(data.error().text().find("mine.csv") != std::string::npos);
    }

    void namesThatCsvFilesProtectAreFound()
    {
        const auto data = parse("name,ms\n\"'=a\",1\n'-b,2\n'c,3\n");
        QVERIFY(data);
        QCOMPARE(data->rows, std::vector<QString>({"=a", "-b", "'c"}));
    }

    void deepJsonIsRefused()
    {
        const QByteArray deep = QByteArray(200'000, '[') + QByteArray(200'000, ']');
        QVERIFY(!parse("{\"a\": " + deep + "}"));
        QVERIFY(!parse(deep));
    }

    void mutatedFilesAreReadOrRefused_data()
    {
        QTest::addColumn<QByteArray>("good");
        QTest::newRow("CSV") << QByteArray("name,ms,kind\n\"a\",1.5,fast\nb,2,\"sl\"\"ow\"\n");
        QTest::newRow("JSON") << QByteArray(
            R"([{"name": "a", "ms": 1.5, "kind": "fast"}, {"name": "b", "ms": -2e3, "kind": null}])");
    }

    void mutatedFilesAreReadOrRefused()
    {
        QFETCH(QByteArray, good);
        int read = 0, refused = 0;
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            test::Random random(seed);
            const auto data = parse(test::mutated(good, random));
            ++(data ? read : refused);
            if (!data) {
                QVERIFY2(data.error().text().find("mine.csv") != std::string::npos,
                         data.error().text().c_str());
                continue;
            }
            for (const OwnData::Column &column : data->columns)
                QCOMPARE(column.cells.size(), data->rows.size());
            metricsOf(*data, *m_snapshot);
        }
        QVERIFY(read > 5 && refused > 5);
    }

    void aPipeIsNotWaitedFor()
    {
        const QTemporaryDir folder;
        const std::string pipe = folder.filePath("pipe.csv").toStdString();
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        const auto read = readOwnData(pipe);
        QVERIFY(!read);
        QCOMPARE(read.error().kind, Error::Kind::Missing);
        QVERIFY(read.error().text().find("not a regular file") != std::string::npos);
    }

    void aFileThatIsNotThere()
    {
        const QTemporaryDir folder;
        QCOMPARE(readOwnData(folder.filePath("x.csv").toStdString()).error().kind,
                 Error::Kind::Missing);
    }

private:
    static Result<OwnData> parse(const QByteArray &text)
    {
        return parseOwnData({text.data(), std::size_t(text.size())}, QStringLiteral("mine.csv"));
    }
    QString value(const NodeMetric &metric, std::size_t node) const
    {
        const auto of = metric.of(*m_snapshot, Item::of(m_snapshot->graph().order()[node]));
        return of ? metric.text(*of) : QString();
    }

    SnapshotPointer m_snapshot;
};

GRAPHLOOM_TESTS(OwnDataTest)

} // namespace graphloom::test::own_data_test

#include "own_data_test.moc"
