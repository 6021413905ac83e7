// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rewrite/rule_model.h"

#include "tests/support/app/window_driver.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

namespace graphloom::test::rule_model_test {

class RuleModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTheContractOfModels()
    {
        RuleModel model(m_pass.rules());
        TableFilter filter(model);
        const auto mode = QAbstractItemModelTester::FailureReportingMode::QtTest;
        QAbstractItemModelTester ofModel(&model, mode), ofFilter(&filter, mode);
        filter.setText(QStringLiteral("exp("));
        QCOMPARE(filter.rowCount(), 1); // the formula is looked at too
        model.setOn(std::vector{0, 2}, true);
        model.reset();
        model.setFired({{"twice", 3}});
    }

    void rulesStartAsTheyAreInitially()
    {
        const RuleModel model(m_pass.rules());
        QVERIFY(model.isOn(0) && model.isOn(1));
        QVERIFY(!model.isOn(2));
        QVERIFY(changedBy(model).empty());
    }

    void aSwitchedRuleIsInTheSettings()
    {
        RuleModel model(m_pass.rules());
        QSignalSpy switched(&model, &RuleModel::switched);
        QVERIFY(model.setData(model.index(0, RuleModel::Rule), Qt::Unchecked, Qt::CheckStateRole));
        QVERIFY(model.setData(model.index(2, RuleModel::Rule), Qt::Checked, Qt::CheckStateRole));
        QCOMPARE(switched.size(), 2);
        const std::vector<std::pair<std::string, double>> wanted = {{"rules.twice", 0},
                                                                    {"rules.swap", 1}};
        QCOMPARE(changedBy(model), wanted);
        model.reset();
        QVERIFY(changedBy(model).empty());
    }

    void onlyTheNameHasASwitch()
    {
        RuleModel model(m_pass.rules());
        QVERIFY(
            !model.setData(model.index(0, RuleModel::Formula), Qt::Unchecked, Qt::CheckStateRole));
        QVERIFY(model.index(0, RuleModel::Rule).flags() & Qt::ItemIsUserCheckable);
        QVERIFY(!(model.index(0, RuleModel::Formula).flags() & Qt::ItemIsUserCheckable));
    }

    void whatIsNotExactIsMarked()
    {
        const RuleModel model(m_pass.rules());
        QCOMPARE(model.index(0, RuleModel::Rule).data().toString(), QStringLiteral("twice"));
        QCOMPARE(model.index(2, RuleModel::Rule).data().toString(), QStringLiteral("swap ≈"));
        QVERIFY(model.index(2, RuleModel::Rule)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("Approximate")));
    }

    void countsHowOftenRulesFired()
    {
        RuleModel model(m_pass.rules());
        QCOMPARE(model.index(0, RuleModel::Fired).data().toString(), QString());
        model.setFired({{"twice", 3}});
        QCOMPARE(model.index(0, RuleModel::Fired).data().toString(), QStringLiteral("3"));
        QCOMPARE(model.index(1, RuleModel::Fired).data().toString(), QStringLiteral("0"));
        QVERIFY(model.isLess(1, 0, RuleModel::Fired));
    }

private:
    std::vector<std::pair<std::string, double>> changedBy(const RuleModel &model) const
    {
        Settings settings({}, m_pass.rules());
        model.addTo(settings);
        return settings.values();
    }

    const test::ScriptedPass m_pass{
        [](Plan plan, const Context &) -> Result<Plan> { return plan; }};
};

GRAPHLOOM_WINDOW_TESTS(RuleModelTest)

} // namespace graphloom::test::rule_model_test

#include "rule_model_test.moc"
