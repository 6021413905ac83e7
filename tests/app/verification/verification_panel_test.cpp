// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification/verification_panel.h"

#include "tests/support/app/window_driver.h"

#include <QAction>
#include <QComboBox>

#include <limits>
#include <memory>

namespace graphloom::test::verification_panel_test {

class VerificationPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_panel = std::make_unique<VerificationPanel>(
            m_selection, VerificationPanel::Buttons{&m_verify, &m_colour, &m_cancel});
    }

    void aToleranceIsTaken()
    {
        m_panel->tolerance().setCurrentText(QStringLiteral("0.25"));
        QCOMPARE(m_panel->choices().tolerance, 0.25);
    }

    void whatIsNoToleranceIsNotTaken_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {" ", "inf", "nan", "-1", "1e999"})
            QTest::newRow(text) << QString::fromLatin1(text);
    }
    void whatIsNoToleranceIsNotTaken()
    {
        QFETCH(QString, text);
        m_panel->tolerance().setCurrentText(text);
        QCOMPARE(m_panel->choices().tolerance, VerifyChoices().tolerance);
    }

    void aToleranceOfSettingsThatIsNoneIsNotShown()
    {
        VerifyChoices choices;
        choices.tolerance = std::numeric_limits<double>::infinity();
        const QString before = m_panel->tolerance().currentText();
        m_panel->setChoices(choices);
        QCOMPARE(m_panel->tolerance().currentText(), before);
    }

private:
    Selection m_selection;
    QAction m_verify, m_colour, m_cancel;
    std::unique_ptr<VerificationPanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(VerificationPanelTest)

} // namespace graphloom::test::verification_panel_test

#include "verification_panel_test.moc"
