// SPDX-License-Identifier: Apache-2.0
// Every algebraic rule: both sides give the same, it can be of use, and its twin is left alone.
#include "engine/rewrite/check.h"
#include "plugins/dnnfusion/rules/rules.h"

#include <QTest>
#include <map>
#include <set>

using namespace graphloom;

class RulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void areAsManyAsThePapers();
    void haveNamesOfTheirOwn();
    void areVerified_data();
    void areVerified();
    void leaveTheirTwinsAlone_data();
    void leaveTheirTwinsAlone();
    void rowsOfTable4_data();
    void rowsOfTable4();
};

void RulesTest::areAsManyAsThePapers()
{
    std::map<Rule::Category, int> counts;
    for (const Rule &rule : dnnfusion::algebraicRules())
        ++counts[rule.category];
    for (const auto &[category, count] : counts)
        qInfo("%s: %d", std::string(nameOf(category)).c_str(), count);
    QVERIFY(counts[Rule::Category::Associative] >= 45);
    QVERIFY(counts[Rule::Category::Distributive] >= 38);
    QVERIFY(counts[Rule::Category::Commutative] >= 66);
}

void RulesTest::haveNamesOfTheirOwn()
{
    std::set<std::string> names;
    for (const Rule &rule : dnnfusion::algebraicRules())
        QVERIFY2(names.insert(rule.name).second, rule.name.c_str());
}

namespace {

void addRules()
{
    QTest::addColumn<int>("index");
    int index = 0;
    for (const Rule &rule : dnnfusion::algebraicRules())
        QTest::newRow(rule.name.c_str()) << index++;
}

} // namespace

void RulesTest::areVerified_data()
{
    addRules();
}

void RulesTest::areVerified()
{
    QFETCH(int, index);
    const Rule &rule = dnnfusion::algebraicRules()[std::size_t(index)];
    const RuleCheck check = checkRule(rule);
    QVERIFY2(check.failure.empty(), (rule.formula + ": " + check.failure).c_str());
    QVERIFY(check.compared >= 3);
    QVERIFY2(check.reduces || rule.category == Rule::Category::Commutative,
             (rule.formula + " never pays: " + check.flops).c_str());
}

void RulesTest::leaveTheirTwinsAlone_data()
{
    addRules();
}

void RulesTest::leaveTheirTwinsAlone()
{
    QFETCH(int, index);
    const Rule &rule = dnnfusion::algebraicRules()[std::size_t(index)];
    const TwinCheck check = checkTwin(rule);
    QVERIFY2(check.refused, (rule.formula + ": " + check.what).c_str());
}

void RulesTest::rowsOfTable4_data()
{
    QTest::addColumn<QString>("flops");
    // Operands of m x n elements; reductions run along the second axis.
    QTest::newRow("merge-Reciprocal-under-Mul") << "3*m*n -> 2*m*n"; // with A * B in it, 4 and 3
    QTest::newRow("square-shared-Reciprocal") << "4*m*n -> 3*m*n";
    QTest::newRow("multiply-shared-Sqrt-out") << "5*m*n -> 2*m*n";
    QTest::newRow("merge-Abs-across-Mul") << "4*m*n -> 3*m*n";
    QTest::newRow("square-shared-ReduceSum") << "5*m*n -> m+3*m*n";
    QTest::newRow("factor-Mul-out-of-Add") << "3*m*n -> 2*m*n";
    QTest::newRow("factor-operand-of-Mul-out-of-Add") << "2*m*n -> 2*m*n";
    QTest::newRow("factor-Mul-out-of-Sub") << "3*m*n -> 2*m*n"; // with A + B in it, 5 and 3
    QTest::newRow("factor-square-out-of-Sub") << "3*m*n -> 2*m*n";
    QTest::newRow("swap-operands-of-Mul") << "m*n -> m*n";
    QTest::newRow("move-BitShift-behind-ReduceSum") << "2*m*n -> m+m*n";
    QTest::newRow("move-Exp-behind-ReduceProd") << "2*m*n -> m+m*n";
}

void RulesTest::rowsOfTable4()
{
    QFETCH(QString, flops);
    const auto rules = dnnfusion::algebraicRules();
    const auto rule = std::ranges::find(rules, QTest::currentDataTag(), &Rule::name);
    QVERIFY(rule != rules.end());
    QCOMPARE(QString::fromStdString(checkRule(*rule).flops), flops);
}

QTEST_GUILESS_MAIN(RulesTest)
#include "rules_test.moc"
