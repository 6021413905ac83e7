// SPDX-License-Identifier: Apache-2.0
// What is said of operators where there is no model, from the examples in the table.
#include "engine/ops/describe/stage.h"
#include "engine/ops/reference/example.h"
#include "engine/ops/reference/reference.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>

namespace graphloom::test::reference_test {

class ReferenceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyExampleIsACall_data();
    void everyExampleIsACall();
    void readsEveryWord();
    void refusesOtherWords();
    void facts_data();
    void facts();
    void whatDoesNotRunSaysWhy();
};

namespace {

const OperatorFacts &factsOf(const QString &name)
{
    return *std::ranges::find(operatorFacts(), name.toStdString(), [](const OperatorFacts &facts) {
        return qualifiedName(*facts.entry);
    });
}

} // namespace

void ReferenceTest::everyExampleIsACall_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < operatorTable().size(); ++i)
        QTest::newRow(qualifiedName(operatorTable()[i]).c_str()) << int(i);
}

void ReferenceTest::everyExampleIsACall()
{
    QFETCH(int, index);
    const auto example = ExampleCall::of(operatorTable()[std::size_t(index)]);
    QVERIFY2(example, example ? "" : example.error().text().c_str());
    const auto description = describe(example->call());
    QVERIFY2(description, description ? "" : description.error().text().c_str());
    // Of an operator that has stages, an example without them says nothing.
    QVERIFY2(!QByteArray(description->opaque.c_str()).contains("at run time"),
             description->opaque.c_str());
}

void ReferenceTest::readsEveryWord()
{
    const Operator entry = Operator{"", "Foo", 1, 0, -1, 3, nullptr}.like(
        "[2,3] int64[] w[4] (1,-2) (0.5) (=7) _ seq[2] n=2 ns=1,2 one=3, r=0.5 t=abc b={2,1} ->3");
    const auto example = ExampleCall::of(entry);
    QVERIFY(example);
    const Call call = example->call();
    QCOMPARE(call.inputCount(), 8u);
    QCOMPARE(text(call.shape(0)), "2x3");
    QCOMPARE(call.type(1), DataType::Int64);
    QVERIFY(call.isConstant(2) && call.type(2) == DataType::Float);
    QCOMPARE(call.integers(3), (std::vector<std::int64_t>{1, -2}));
    QCOMPARE(call.reals(4), std::vector<double>{0.5});
    QCOMPARE(call.rank(5), 0u);
    QVERIFY(!call.has(6));
    QVERIFY(!call.input(7).otherType.empty());
    QCOMPARE(call.attributes().integer("n", 0), 2);
    QCOMPARE(call.attributes().integers("ns"), (std::vector<std::int64_t>{1, 2}));
    QCOMPARE(call.attributes().integers("one"), std::vector<std::int64_t>{3});
    QCOMPARE(call.attributes().real("r", 0), 0.5f);
    QCOMPARE(call.attributes().text("t", ""), std::string("abc"));
    QCOMPARE(call.attributes().graph("b")->inputs().size(), 2u);
    QCOMPARE(call.outputCount(), 3u);
}

void ReferenceTest::refusesOtherWords()
{
    for (const char *word : {"[2,x]", "what[2]", "(1,b)", "->x", "nothing"}) {
        const auto example = ExampleCall::of(Operator{"", "Foo", 1, 0, -1, 1, nullptr}.like(word));
        QVERIFY2(!example && example.error().text().find(word) != std::string::npos, word);
    }
}

void ReferenceTest::facts_data()
{
    QTest::addColumn<QString>("sets");
    QTest::addColumn<QString>("mapping");
    QTest::addColumn<bool>("gradient");
    QTest::addColumn<QString>("lastFormula");
    QTest::newRow("Conv") << "1 to 22"
                          << "Many-to-Many" << true
                          << "y0[n,o,h,w] += x0[n,i,h+r-1,w+s-1] * x1[o,i,r,s]; "
                             "y0[n,o,h,w] = acc + x2[o]";
    QTest::newRow("Transpose") << "1 to 22"
                               << "Shuffle" << true << "y0[n,c,h,w] = x0[n,w,c,h]";
    QTest::newRow("Split") << "up to 22"
                           << "One-to-One" << true << "y1[n,c,h,w] = x0[n,c+4,h,w]";
    QTest::newRow("Floor") << "1 to 22"
                           << "One-to-One" << false << "y0[n,c,h,w] = floor(x0[n,c,h,w])";
    QTest::newRow("ArgMax") << "1 to 22"
                            << "Many-to-Many" << false << "y0[n,0,h,w] argmax= x0[n,c,h,w]";
    QTest::newRow("com.microsoft.Gelu")
        << "from 1"
        << "One-to-One" << true
        << "y0[n,c,h,w] = x0[n,c,h,w] * 0.5 * (erf(x0[n,c,h,w] * 0.707107) + 1)";
}

void ReferenceTest::facts()
{
    QFETCH(QString, sets);
    QFETCH(QString, mapping);
    QFETCH(bool, gradient);
    QFETCH(QString, lastFormula);
    const OperatorFacts &facts = factsOf(QTest::currentDataTag());
    QCOMPARE(QString::fromStdString(operatorSetsOf(facts)), sets);
    QCOMPARE(QString::fromStdString(std::string(nameOf(facts.mapping))), mapping);
    QCOMPARE(facts.hasGradient, gradient);
    QVERIFY(facts.hasKernel);
    QCOMPARE(QString::fromStdString(facts.formulas.back()), lastFormula);
}

void ReferenceTest::whatDoesNotRunSaysWhy()
{
    const OperatorFacts &decoder = factsOf("ImageDecoder");
    QVERIFY(!decoder.hasKernel);
    QCOMPARE(decoder.opaque, "it decodes image files, which is not supported");
    const OperatorFacts &sorting = factsOf("TopK");
    QVERIFY(sorting.hasKernel && sorting.isOpaque());
}

GRAPHLOOM_TESTS(ReferenceTest)

} // namespace graphloom::test::reference_test

#include "reference_test.moc"
