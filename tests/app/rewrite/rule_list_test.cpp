// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/rewrite/rule_list.h"

#include "app/runs/pass_form.h"
#include "tests/support/app/window_driver.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QTableView>

namespace graphloom::test::rule_list_test {

/// The switches of rewrite rules in the form of a pass.
class RuleListTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_form = std::make_unique<PassForm>(std::make_shared<test::ScriptedPass>(
            [](Plan plan, const Context &) -> Result<Plan> { return plan; }));
        m_form->show();
        QVERIFY(m_form->rules());
    }

    void aRuleIsSwitchedByItsBox()
    {
        QTableView &table = m_form->rules()->list().table();
        const int row = rowOf("twice");
        table.setCurrentIndex(table.model()->index(row, RuleModel::Rule));
        QTest::keyClick(&table, Qt::Key_Space);
        QVERIFY(!m_form->settings().usesRule("twice"));
        QVERIFY(m_form->settings().usesRule("thrice"));
    }

    void allOfACategoryAreSwitched()
    {
        box("associative").click();
        QVERIFY(!m_form->settings().usesRule("twice"));
        QVERIFY(!m_form->settings().usesRule("thrice"));
        QCOMPARE(box("associative").text(), QStringLiteral("associative (0 of 2)"));
        box("associative").click();
        QVERIFY(m_form->settings().usesRule("twice"));
        QCOMPARE(box("associative").text(), QStringLiteral("associative (2 of 2)"));
    }

    void aCategoryOfWhichSomeAreOnIsSwitchedOn()
    {
        m_form->rules()->model().setOn(std::vector{0}, false);
        QCOMPARE(box("associative").checkState(), Qt::PartiallyChecked);
        box("associative").click();
        QVERIFY(m_form->settings().usesRule("twice"));
        QCOMPARE(box("associative").checkState(), Qt::Checked);
    }

    void resetTakesTheRulesBackToo()
    {
        box("associative").click();
        box("commutative").click();
        QVERIFY(m_form->settings().usesRule("swap"));
        m_form->reset();
        QVERIFY(m_form->settings().usesRule("twice"));
        QVERIFY(!m_form->settings().usesRule("swap"));
    }

    void rulesAreFoundByTheirFormula()
    {
        QTest::keyClicks(&m_form->rules()->list().edit(), QStringLiteral("log("));
        QCOMPARE(m_form->rules()->list().filter().rowCount(), 1);
    }

private:
    QCheckBox &box(const char *category)
    {
        return *m_form->findChild<QCheckBox *>(QLatin1String(category));
    }
    int rowOf(const char *rule)
    {
        const QAbstractItemModel &shown = *m_form->rules()->list().table().model();
        for (int row = 0; row < shown.rowCount(); ++row)
            if (shown.index(row, RuleModel::Rule).data().toString() == QLatin1String(rule))
                return row;
        return -1;
    }

    std::unique_ptr<PassForm> m_form;
};

GRAPHLOOM_WINDOW_TESTS(RuleListTest)

} // namespace graphloom::test::rule_list_test

#include "rule_list_test.moc"
