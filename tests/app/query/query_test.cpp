// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/query.h"

#include "app/metrics/own_table.h"
#include "app/query/search.h"
#include "app/snapshot/node_figures.h"
#include "tests/support/app/module_graphs.h"
#include "tests/support/test_program.h"

namespace graphloom::test::query_test {

class QueryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_snapshot = test::partitionedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_snapshot);
    }

    /// Each against what it says, asked of the graph itself.
    void terms_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<Expected>("expected");
        const auto row = [](const char *query, Expected expected) {
            QTest::newRow(query) << QString::fromUtf8(query) << std::move(expected);
        };
        const auto op = [](const char *name) {
            return [name](const Snapshot &s, NodeId id) { return s.graph().node(id).op == name; };
        };
        const auto both = [](auto a, auto b) {
            return [a, b](const Snapshot &s, NodeId id) { return a(s, id) && b(s, id); };
        };
        row("op:Conv", op("Conv"));
        row("op:conv", op("Conv"));
        row("op:Con*", op("Conv"));
        row("op=Conv", op("Conv"));
        row("-op:Conv", [op](const Snapshot &s, NodeId id) { return !op("Conv")(s, id); });
        row("op!=Conv", [op](const Snapshot &s, NodeId id) { return !op("Conv")(s, id); });
        row("op:Conv or op:Clip",
            [op](const Snapshot &s, NodeId id) { return op("Conv")(s, id) || op("Clip")(s, id); });
        row("op:Conv,Clip",
            [op](const Snapshot &s, NodeId id) { return op("Conv")(s, id) || op("Clip")(s, id); });
        row("op:Conv (features.4 or features.5)", [op](const Snapshot &s, NodeId id) {
            const QString text = s.facts->of(id).searchText;
            return op("Conv")(s, id) &&
                   (text.contains(u"features.4") || text.contains(u"features.5"));
        });
        row("-(op:Conv or op:Clip)", [op](const Snapshot &s, NodeId id) {
            return !op("Conv")(s, id) && !op("Clip")(s, id);
        });
        row("\"features.4/conv\"", [](const Snapshot &s, NodeId id) {
            return s.facts->of(id).searchText.contains(u"features.4/conv");
        });
        row("module:features.4", [](const Snapshot &s, NodeId id) {
            return s.facts->of(id).name.contains(u"/features.4/");
        });
        row("subgraph:3", [](const Snapshot &s, NodeId id) { return s.subgraphOf(id) == 3; });
        row("subgraph:3,4", [](const Snapshot &s, NodeId id) {
            return s.subgraphOf(id) == 3 || s.subgraphOf(id) == 4;
        });
        row("class:contraction", [](const Snapshot &s, NodeId id) {
            return s.facts->of(id).operatorClass == OperatorClass::Contraction;
        });
        row("mapping:many-to-many", [](const Snapshot &s, NodeId id) {
            return s.facts->of(id).mapping == MappingType::ManyToMany;
        });
        row("opaque:no", [](const Snapshot &, NodeId) { return true; });
        row("type:float", [](const Snapshot &, NodeId) { return true; });
        row("type:float32", [](const Snapshot &, NodeId) { return true; });
        row("type:float16", [](const Snapshot &, NodeId) { return false; });
        row("shape:1x*x14x14",
            [](const Snapshot &s, NodeId id) { return s.facts->of(id).shape.endsWith(u"x14x14"); });
        row("shape:1x32..", [](const Snapshot &, NodeId) { return false; });
        row("shape:1x32x..", [](const Snapshot &s, NodeId id) {
            return s.facts->of(id).shape.startsWith(u"1x32x");
        });
        row("macs>10M", [](const Snapshot &s, NodeId id) {
            return s.facts->of(id).macs.constant().value_or(0) > 10'000'000;
        });
        row("op:Conv cin>64 cout<=24", both(op("Conv"), [](const Snapshot &s, NodeId id) {
                const auto &channels = s.facts->of(id).channels;
                return channels && channels->in.constant() > 64 && channels->out.constant() <= 24;
            }));
        const auto isNoConv = [](const Snapshot &s, NodeId id) {
            return s.graph().node(id).op != "Conv";
        };
        for (const char *negated : {"not op:Conv", "!op:Conv", "! op:Conv", "NOT -(not op:Conv)"})
            row(negated, isNoConv);
        row("op:Conv and cin>64 && cout<=24 || position<0",
            both(op("Conv"), [](const Snapshot &s, NodeId id) {
                const auto &channels = s.facts->of(id).channels;
                return channels && channels->in.constant() > 64 && channels->out.constant() <= 24;
            }));
        row("rank=4", [](const Snapshot &s, NodeId id) {
            return s.graph().tensor(s.graph().node(id).outputs[0]).shape->size() == 4;
        });
        row("fanout>=2",
            [](const Snapshot &s, NodeId id) { return s.graph().successors(id).size() >= 2; });
        row("inputs>2",
            [](const Snapshot &s, NodeId id) { return s.graph().node(id).inputs.size() > 2; });
        row("params>=1.28M",
            [](const Snapshot &s, NodeId id) { return s.facts->of(id).parameters >= 1'280'000; });
        row("position<5", [](const Snapshot &s, NodeId id) { return s.graph().position(id) < 5; });
    }

    void terms()
    {
        QFETCH(QString, query);
        QFETCH(Expected, expected);
        const Query asked(query);
        QVERIFY2(!asked.problem(), qPrintable(asked.problem() ? asked.problem()->message : ""));
        const std::vector<bool> matching = nodesMatching(*m_snapshot, asked);
        for (const NodeId id : m_snapshot->graph().order())
            QVERIFY2(matching[id.index] == expected(*m_snapshot, id),
                     m_snapshot->graph().node(id).name.c_str());
    }

    void someMatchAndSomeDoNot_data()
    {
        QTest::addColumn<QString>("query");
        for (const char *query :
             {"op:Conv", "module:features.4", "subgraph:3", "cin>64", "cout>=128", "bytes>1MB",
              "bytes>1MiB", "macs>10M", "fanout>=2", "params>100k", "shape:1x*x14x14",
              "intensity>1", "read>1MB", "traffic<100kB", "name:*BatchNorm*"})
            QTest::newRow(query) << QString::fromLatin1(query);
    }

    void someMatchAndSomeDoNot()
    {
        QFETCH(QString, query);
        const auto found = findPlaces(*m_snapshot, query);
        QVERIFY(!found.empty());
        QVERIFY(found.size() < m_snapshot->graph().nodeCount());
    }

    void unitsAreOfThousandsAndOf1024()
    {
        const auto snapshot = test::snapshotOfGraph(test::named({"a"})); // 32 bytes
        const auto count = [&](const char *query) {
            return std::ranges::count(nodesMatching(*snapshot, Query(QString::fromLatin1(query))),
                                      true);
        };
        QCOMPARE(count("bytes=32"), 1);
        QCOMPARE(count("bytes=0.032kB"), 1);
        QCOMPARE(count("bytes=0.03125KiB"), 1);
        QCOMPARE(count("bytes=3.2e1"), 1);
        QCOMPARE(count("bytes!=32"), 0);
    }

    void deepNestingIsRefused()
    {
        for (const char *sign : {"(", "-", "not "}) {
            const Query asked(QString::fromLatin1(sign).repeated(100'000) +
                              QStringLiteral("op:Conv"));
            QVERIFY(asked.problem());
            QVERIFY(asked.problem()->message.contains(QStringLiteral("100")));
        }
    }

    void problemsSayWhere_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<QString>("at");
        QTest::addColumn<QString>("part"); // of the message
        const auto row = [](const char *query, const char *at, const char *part) {
            QTest::newRow(query) << QString::fromUtf8(query) << QString::fromUtf8(at)
                                 << QString::fromUtf8(part);
        };
        row("conv op:", "op:", "Expected a value");
        row("colour:red", "colour", "Unknown key");
        row("macs>many", "many", "not a number");
        row("op>Conv", "op>Conv", "op:Conv");
        row("add (op:Conv", "(", "Missing closing");
        row("op:Conv)", ")", "Unmatched closing");
        row("\"abc", "\"abc", "quote");
        row("or op:Conv", "or", "Expected a search term");
        row("op:Conv or", "", "Expected a search term");
        row("opaque:maybe", "maybe", "opaque:yes");
        row("block:first", "first", "number");
        row("-or", "-", "Expected a search term");
        row("and op:Conv", "and", "Expected a search term");
        row("op:Conv and", "", "Expected a search term");
        row("op:Conv and and op:Gemm", "and", "Expected a search term");
        row("op:Conv and not", "not", "after “not”");
    }

    void problemsSayWhere()
    {
        QFETCH(QString, query);
        QFETCH(QString, at);
        QFETCH(QString, part);
        const Query asked(query);
        QVERIFY(asked.problem());
        const QueryProblem &problem = *asked.problem();
        QCOMPARE(query.mid(problem.place, problem.length), at);
        QVERIFY2(problem.message.contains(part), qPrintable(problem.message));
        QVERIFY(findPlaces(*m_snapshot, asked).empty());
    }

    void namesWithColonsAreWords()
    {
        QVERIFY(!Query(QStringLiteral("onnx::MatMul_1606")).problem());
        QVERIFY(Query(QStringLiteral("conv:0")).problem());
        QVERIFY(!Query(QStringLiteral("\"conv:0\"")).problem());
        QVERIFY(!Query(QStringLiteral("a/b:0")).problem());
    }

    void inputsAreFoundByNameTypeAndShapeAlone()
    {
        const TensorId input = m_snapshot->graph().inputs().front();
        const Tensor &tensor = m_snapshot->graph().tensor(input);
        const auto matches = [&](const char *query) {
            return Query(QString::fromLatin1(query)).matches(tensor);
        };
        QVERIFY(matches("shape:1x3x224x224"));
        QVERIFY(matches("type:float name:input"));
        QVERIFY(!matches("-op:Conv"));
        QVERIFY(!matches("cin>0 or input"));
    }

    void everyKeyIsUnderstood()
    {
        for (const Query::Key &key : Query::keys()) {
            QVERIFY2(!Query(key.example).problem(), qPrintable(key.example));
            QVERIFY(key.example.startsWith(key.key));
            QVERIFY(Query::help().contains(key.meaning.toHtmlEscaped()));
        }
    }

    void valuesAreThoseOfTheGraph()
    {
        QVERIFY(
            Query::valuesOf(QStringLiteral("op"), *m_snapshot).contains(QStringLiteral("Clip")));
        QVERIFY(Query::valuesOf(QStringLiteral("module"), *m_snapshot)
                    .contains(QStringLiteral("features/features.0")));
        QVERIFY(Query::valuesOf(QStringLiteral("name"), *m_snapshot).isEmpty());
    }

    void columnsOfOnesOwnAreAsked_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<int>("nodes");
        QTest::newRow("more") << QStringLiteral("own.latency>2") << 1;
        QTest::newRow("in whatever case") << QStringLiteral("OWN.Latency<=2") << 1;
        QTest::newRow("not the same") << QStringLiteral("own.latency!=2") << 1;
        QTest::newRow("words") << QStringLiteral("own.kind:sl*") << 1;
        QTest::newRow("no such word") << QStringLiteral("own.kind!=slow") << -1;
        QTest::newRow("with a space") << QStringLiteral("own.\"peak latency\">=7") << 1;
        QTest::newRow("with others") << QStringLiteral("op:Conv own.latency>0") << 2;
    }

    void columnsOfOnesOwnAreAsked()
    {
        QFETCH(QString, query);
        QFETCH(int, nodes);
        const Query asked(query, ownTable());
        QVERIFY2(!asked.problem(), qPrintable(asked.problem() ? asked.problem()->message : ""));
        const auto matching = nodesMatching(*m_snapshot, asked);
        const auto found = std::ranges::count(matching, true);
        QCOMPARE(int(found), nodes >= 0 ? nodes : int(m_snapshot->graph().nodeCount()) - 1);
    }

    void aColumnThatIsNotThereIsNamed()
    {
        const Query other(QStringLiteral("own.speed>1"), ownTable());
        QVERIFY(other.problem() && other.problem()->message.contains(QStringLiteral("latency")));
        const Query none(QStringLiteral("own.speed>1"));
        QVERIFY(none.problem() && none.problem()->message.contains(QStringLiteral("loaded")));
        const Query words(QStringLiteral("own.kind>1"), ownTable());
        QVERIFY(words.problem() && words.problem()->message.contains(QStringLiteral("text")));
    }

    void columnsOfOnesOwnAreCompleted()
    {
        const OwnTablePointer table = ownTable();
        QStringList keys;
        for (const Query::Key &key : Query::keys(table.get())) {
            keys << key.key;
            QVERIFY2(!Query(key.example, table).problem(), qPrintable(key.example));
        }
        QVERIFY(keys.contains(QStringLiteral("own.latency")));
        QVERIFY(keys.contains(QStringLiteral("own.\"peak latency\"")));
    }

    void aSearchCanBeGivenUp()
    {
        const Query query(QStringLiteral("op:Conv"));
        QVERIFY(!findPlaces(*m_snapshot, query, [] { return true; }));
        QVERIFY(!nodesMatching(*m_snapshot, query, [] { return true; }));
        QVERIFY(findPlaces(*m_snapshot, query, [] { return false; }));
    }

    void liveBytesOfARow()
    {
        // Of a row of Relus two tensors are there at a time; the skip keeps one.
        const Graph graph = test::named({"a", "b", "c", "d"}, {{0, 3}});
        const auto bytes = liveBytes(graph);
        QList<double> inOrder;
        for (const NodeId id : graph.order())
            inOrder << bytes[id.index];
        QCOMPARE(inOrder, QList<double>({64, 64, 96, 96}));
    }

private:
    /// Of the first two convolutions: latency 2 and 4, kind slow and fast, peak latency 7 of one.
    OwnTablePointer ownTable() const
    {
        OwnData data;
        data.name = QStringLiteral("own.csv");
        for (const NodeId id : m_snapshot->graph().order())
            if (m_snapshot->graph().node(id).op == "Conv" && data.rows.size() < 2)
                data.rows.push_back(QString::fromStdString(m_snapshot->graph().node(id).name));
        data.columns = {
            {QStringLiteral("latency"), true, {QStringLiteral("2"), QStringLiteral("4")}},
            {QStringLiteral("kind"), false, {QStringLiteral("slow"), QStringLiteral("fast")}},
            {QStringLiteral("peak latency"), true, {QStringLiteral("7"), QString()}}};
        return std::make_shared<const OwnTable>(std::vector<OwnData>{data});
    }

    using Expected = std::function<bool(const Snapshot &, NodeId)>;
    SnapshotPointer m_snapshot;
};

GRAPHLOOM_TESTS(QueryTest)

} // namespace graphloom::test::query_test

#include "query_test.moc"
