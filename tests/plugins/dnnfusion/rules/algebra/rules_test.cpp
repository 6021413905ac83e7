// SPDX-License-Identifier: Apache-2.0
// Every algebraic rule: both sides give the same, it can be of use, and its twin is left alone.
#include "engine/rewrite/check/check.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"
#include "tests/support/rewrite_case.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <map>
#include <set>

namespace graphloom::test::rules_test {

class RulesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void areAsManyAsThePapers();
    void haveNamesOfTheirOwn();
    void areVerified_data();
    void areVerified();
    void leaveTheirTwinsAlone_data();
    void leaveTheirTwinsAlone();
    void factsAreStated();
    void makesWayForAnotherRule();
    void provesOrTrustsTheDomain();
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
    QVERIFY(dnnfusion::algebraicRules().size() > 150);
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

void RulesTest::factsAreStated()
{
    const auto rules = dnnfusion::algebraicRules();
    const auto facts = factsOf(rules);
    QCOMPARE(facts.size(), rules.size());
    for (std::size_t i = 0; i < facts.size(); ++i) {
        QCOMPARE(facts[i].name, rules[i].name);
        QVERIFY2(!facts[i].formula.empty() && !facts[i].domain.empty(), facts[i].name.c_str());
        QVERIFY2(facts[i].flops.find(" -> ") != std::string::npos, facts[i].name.c_str());
        QCOMPARE(facts[i].initial, rules[i].exact);
    }
    const auto root = std::ranges::find(facts, "square-Sqrt", &RuleFacts::name);
    QCOMPARE(root->domain, "x >= 0");
}

namespace {

std::vector<Rule> named(const std::vector<std::string> &names)
{
    std::vector<Rule> rules;
    for (const Rule &rule : dnnfusion::algebraicRules())
        if (std::ranges::find(names, rule.name) != names.end())
            rules.push_back(rule);
    return rules;
}

} // namespace

// Table 4, dagger: Abs(A) * B * Abs(C) = Abs(A * C) * B, once B and Abs(C) have changed places.
void RulesTest::makesWayForAnotherRule()
{
    GraphMaker maker;
    const TensorId a = maker.input("a", {4}), b = maker.input("b", {4}), c = maker.input("c", {4});
    const TensorId left = maker.call("Mul", {maker.call("Abs", {a}, {4}), b}, {4});
    const Graph graph = maker.finish({maker.call("Mul", {left, maker.call("Abs", {c}, {4})}, {4})});
    const auto both = rewritten(graph, named({"merge-Abs-under-Mul", "rotate-operands-of-Mul"}));
    QCOMPARE(both.log.flopsBefore, 16.0);
    QCOMPARE(both.log.flopsAfter, 12.0);
    QCOMPARE(both.log.steps.size(), std::size_t(2));
    QCOMPARE(both.log.steps[0].rule, "rotate-operands-of-Mul");
    QVERIFY(rewritten(graph, named({"merge-Abs-under-Mul"})).log.steps.empty());
    QVERIFY(rewritten(graph, named({"rotate-operands-of-Mul"})).log.steps.empty());
}

void RulesTest::provesOrTrustsTheDomain()
{
    const auto rules = named({"square-Sqrt"});
    const auto squared = [](const char *before) {
        GraphMaker maker;
        const TensorId x = maker.call(before, {maker.input("x", {4})}, {4});
        const TensorId root = maker.call("Sqrt", {x}, {4});
        return maker.finish({maker.call("Mul", {root, root}, {4})});
    };
    QCOMPARE(termsOf(rewritten(squared("Relu"), rules).graph), "Relu(x)");
    QCOMPARE(rewritten(squared("Neg"), rules).graph.hash(), squared("Neg").hash());
    RewriteOptions trusting;
    trusting.assumeDomain = true;
    QCOMPARE(termsOf(rewritten(squared("Neg"), rules, trusting).graph), "Neg(x)");
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

GRAPHLOOM_TESTS(RulesTest)

} // namespace graphloom::test::rules_test

#include "rules_test.moc"
