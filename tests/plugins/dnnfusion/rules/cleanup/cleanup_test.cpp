// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/check/check.h"
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <set>

namespace graphloom::test::cleanup_test {

/// What rules have in common. Rules whose root may be any operator that has a property have no
/// instance that can be made up; they are verified on graphs, in the other files here.
class CleanupTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesAreTheirOwn()
    {
        std::set<std::string> names;
        for (const Rule &rule : dnnfusion::cleanupRules())
            QVERIFY2(names.insert(rule.name).second, rule.name.c_str());
    }
    void areVerified()
    {
        int verified = 0;
        for (const Rule &rule : dnnfusion::cleanupRules()) {
            const RuleCheck check = checkRule(rule);
            if (check.compared == 0)
                continue; // no instance could be made up
            QVERIFY2(check.failure.empty(), (rule.name + ": " + check.failure).c_str());
            ++verified;
        }
        QVERIFY(verified >= 15);
    }
    void onlyWhatIsExactIsOn()
    {
        for (const RuleFacts &facts : factsOf(dnnfusion::cleanupRules()))
            QCOMPARE(facts.initial, facts.name != "multiply-by-reciprocal");
    }
};

GRAPHLOOM_TESTS(CleanupTest)

} // namespace graphloom::test::cleanup_test

#include "cleanup_test.moc"
