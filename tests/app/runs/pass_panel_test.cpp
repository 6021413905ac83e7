// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/pass_panel.h"

#include "app/runs/objective_form.h"
#include "app/runs/parameter_field.h"
#include "app/runs/pass_form.h"
#include "tests/support/app/window_driver.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QWhatsThis>

namespace graphloom::test::pass_panel_test {

namespace {

Result<Plan> unchanged(Plan plan, const Context &)
{
    return plan;
}

} // namespace

class PassPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_run = std::make_unique<QAction>(QStringLiteral("Run"));
        m_cancel = std::make_unique<QAction>(QStringLiteral("Cancel"));
        const std::vector<PassPlugin> plugins = {
            {"broken.so", nullptr, "was built for another version"},
            {"scripted.so", std::make_shared<test::ScriptedPass>(unchanged), {}}};
        m_hold = std::make_unique<QAction>(QStringLiteral("Pause"));
        m_take = std::make_unique<QAction>(QStringLiteral("Apply best"));
        m_panel = std::make_unique<PassPanel>(plugins, m_run.get(), m_hold.get(), m_cancel.get(),
                                              m_take.get());
        m_panel->show();
    }

    void theFirstThatWorksIsChosen()
    {
        QVERIFY(m_panel->pass());
        QCOMPARE(m_panel->pass()->name(), std::string_view("scripted"));
    }

    void withoutAPassThereAreNoFieldsOfOne()
    {
        PassPanel panel({{"broken.so", nullptr, "was built for another version"}}, m_run.get(),
                        m_hold.get(), m_cancel.get(), m_take.get());
        panel.show();
        QStringList texts;
        for (const QLabel *label : panel.findChildren<QLabel *>())
            if (label->isVisible() && !label->text().isEmpty())
                texts << label->text();
        QCOMPARE(texts, QStringList("Cannot use this plugin: was built for another version"));
        for (const QWidget *field : panel.findChildren<ObjectiveForm *>())
            QVERIFY(!field->isVisible());
    }

    void aWideFormBecomesNarrowAgain()
    {
        PassPanel panel(builtPlugins(), m_run.get(), m_hold.get(), m_cancel.get(), m_take.get());
        panel.resize(260, 500);
        panel.show();
        const PassForm *form = nullptr;
        for (const PassForm *one : panel.findChildren<PassForm *>())
            if (one->isVisible())
                form = one;
        QVERIFY(form);
        const int before = form->width();
        panel.resize(1200, 500);
        QTRY_VERIFY(form->width() > 2 * before);
        panel.resize(260, 500);
        QTRY_COMPARE(form->width(), before);
    }

    void theFormHasAFieldOfTheRightKindForEachParameter()
    {
        PassForm *form = m_panel->form();
        QVERIFY(form->findChild<QDoubleSpinBox *>(QStringLiteral("ratio")));
        QVERIFY(form->findChild<QDoubleSpinBox *>(QStringLiteral("trials")));
        QVERIFY(form->findChild<QCheckBox *>(QStringLiteral("greedy")));
        QVERIFY(form->findChild<QComboBox *>(QStringLiteral("mode")));
    }

    void choicesAreNamedInWords()
    {
        static constexpr std::array<std::string_view, 2> names{"plan", "cpu"};
        static constexpr std::array<std::string_view, 2> words{"the plan's", ""};
        const Parameter parameter{.name = "device",
                                  .help = "",
                                  .kind = Parameter::Kind::Choice,
                                  .choices = names,
                                  .choiceLabels = words};
        const ParameterField field = ParameterField::of(parameter, [] {});
        const std::unique_ptr<QWidget> editor(field.editor);
        const auto *box = qobject_cast<QComboBox *>(editor.get());
        QVERIFY(box);
        QCOMPARE(box->itemText(0), QStringLiteral("the plan's"));
        QCOMPARE(box->itemText(1), QStringLiteral("cpu"));
    }

    void untouchedFieldsHaveTheInitialValues()
    {
        const Settings untouched(m_panel->pass()->parameters());
        QCOMPARE(m_panel->form()->settings().values(), untouched.values());
    }

    void whatIsTypedIsSet()
    {
        PassForm *form = m_panel->form();
        auto *ratio = form->findChild<QDoubleSpinBox *>(QStringLiteral("ratio"));
        ratio->selectAll();
        QTest::keyClicks(ratio, QStringLiteral("0.75\t"));
        QTest::keyClick(form->findChild<QCheckBox *>(QStringLiteral("greedy")), Qt::Key_Space);
        QTest::keyClick(form->findChild<QComboBox *>(QStringLiteral("mode")), Qt::Key_Down);
        const Settings settings = form->settings();
        QCOMPARE(settings.real("ratio"), 0.75);
        QVERIFY(!settings.toggle("greedy"));
        QCOMPARE(settings.integer("mode"), std::int64_t(2));
    }

    void numbersBeyond32BitsAreKept()
    {
        m_panel->form()->setValue("trials", 8e12);
        QCOMPARE(m_panel->form()->settings().integer("trials"), std::int64_t(8'000'000'000'000));
    }

    void valuesOutOfRangeAreNotPossible()
    {
        m_panel->form()->setValue("ratio", 7);
        QCOMPARE(m_panel->form()->settings().real("ratio"), 1.0);
    }

    void helpIsAtTheFields()
    {
        const QString tip =
            m_panel->form()->findChild<QWidget *>(QStringLiteral("ratio"))->toolTip();
        QVERIFY2(tip.contains(QStringLiteral("A share.")) &&
                     tip.contains(QStringLiteral("0 to 1, default: 0.25")),
                 qPrintable(tip));
    }

    void whatIsForEverybodyComesFirst()
    {
        usePlugin("magis");
        PassForm *form = m_panel->form();
        const auto top = [&](const char *name) {
            const auto *field = form->findChild<QWidget *>(QLatin1String(name));
            return field->mapTo(form, QPoint()).y();
        };
        QVERIFY(top("objectiveMode") < top("latencyLimit"));
        QVERIFY(top("memoryLimit") < top("device"));
        QVERIFY(top("device") < top("seconds"));
        QVERIFY(!form->findChild<QWidget *>(QStringLiteral("levels"))->isVisible());
        QVERIFY(!form->findChild<QWidget *>(QStringLiteral("seed"))->isVisible());
    }

    /// The goal that applies without any choice.
    void theUsualGoalIsSaid()
    {
        usePlugin("magis");
        const auto limit = [&] {
            return m_panel->form()
                ->findChild<QDoubleSpinBox *>(QStringLiteral("latencyLimit"))
                ->text();
        };
        auto *mode = m_panel->form()->findChild<QComboBox *>(QStringLiteral("objectiveMode"));
        QCOMPARE(mode->currentText(), QStringLiteral("Lowest memory"));
        QVERIFY2(limit().contains(QStringLiteral("1.10")), qPrintable(limit()));
        QVERIFY(m_panel->objective().objective() == Objective());
        mode->setCurrentText(QStringLiteral("Lowest latency"));
        QCOMPARE(limit(), QStringLiteral("no limit"));
    }

    void advancedParametersAreShownOnRequest()
    {
        usePlugin("magis");
        auto *more = m_panel->form()->findChild<QToolButton *>(QStringLiteral("advanced"));
        QTest::mouseClick(more, Qt::LeftButton);
        for (const char *name : {"levels", "largest-graph", "seed"})
            QVERIFY2(m_panel->form()->findChild<QWidget *>(QLatin1String(name))->isVisible(), name);
        QVERIFY(m_panel->choose("ago")); // they stay shown
        QVERIFY(m_panel->form()->findChild<QWidget *>(QStringLiteral("threshold"))->isVisible());
        QVERIFY(m_panel->form()->findChild<QWidget *>(QStringLiteral("seed"))->isVisible());
    }

    void fieldsHaveUnitsAndSayWhatZeroMeans()
    {
        usePlugin("magis");
        auto *seconds = m_panel->form()->findChild<QDoubleSpinBox *>(QStringLiteral("seconds"));
        QCOMPARE(seconds->text(), QStringLiteral("30 s"));
        QVERIFY(seconds->toolTip().endsWith(QStringLiteral("Option: --set magis.seconds")));
        seconds->setValue(0);
        QCOMPARE(seconds->text(), QStringLiteral("until stopped"));
    }

    void aPassTellsAboutItself()
    {
        usePlugin("magis");
        auto *about = m_panel->findChild<QToolButton *>(QStringLiteral("aboutPass"));
        QVERIFY(about->toolTip().contains(QStringLiteral("ASPLOS 2024")));
        QTest::mouseClick(about, Qt::LeftButton);
        QVERIFY(std::ranges::any_of(QApplication::topLevelWidgets(), [](const QWidget *window) {
            return window->inherits("QWhatsThat") && window->isVisible();
        }));
        QWhatsThis::hideText();
    }

    void aFieldGoesBackToItsDefault()
    {
        auto *back = m_panel->form()->findChild<QToolButton *>();
        QVERIFY(!back->isEnabled());
        m_panel->form()->setValue("ratio", 0.5);
        QVERIFY(back->isEnabled());
        QTest::mouseClick(back, Qt::LeftButton);
        QCOMPARE(m_panel->form()->settings().real("ratio"), 0.25);
        QVERIFY(!back->isEnabled());
    }

    void allFieldsGoBackToTheirDefaults()
    {
        const auto before = m_panel->form()->values();
        m_panel->form()->setValue("ratio", 0.5);
        m_panel->form()->setValue("mode", 0);
        m_panel->form()->reset();
        QCOMPARE(m_panel->form()->values(), before);
    }

    void aShortFormIsNotAsLongAsAnother()
    {
        PassForm *form = m_panel->form();
        form->setAdvancedShown(true); // with its rules
        QTest::qWait(0);
        const int tall = form->height();
        m_panel->findChild<QComboBox *>(QStringLiteral("passChoice"))->setCurrentIndex(0);
        QTest::qWait(0);
        const auto *pages = form->parentWidget();
        QVERIFY2(pages->height() < tall / 2,
                 qPrintable(QStringLiteral("%1 of %2").arg(pages->height()).arg(tall)));
    }

    void aBrokenPluginSaysWhy()
    {
        QSignalSpy changed(m_panel.get(), &PassPanel::passChanged);
        m_panel->findChild<QComboBox *>(QStringLiteral("passChoice"))->setCurrentIndex(0);
        QCOMPARE(changed.size(), 1);
        QVERIFY(!m_panel->pass());
        QVERIFY(!m_panel->form());
        QVERIFY(textsOf(*m_panel).contains(QStringLiteral("was built for another version")));
    }

    void buttonsFollowTheActions()
    {
        QSignalSpy triggered(m_run.get(), &QAction::triggered);
        QPushButton *button = buttonNamed(QStringLiteral("Run"));
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(triggered.size(), 1);
        m_run->setEnabled(false);
        QVERIFY(!button->isEnabled());
    }

    void whileRunningItSaysHowFarItIs()
    {
        m_panel->setRunning(true);
        QVERIFY(buttonNamed(QStringLiteral("Cancel"))->isVisible());
        QVERIFY(!buttonNamed(QStringLiteral("Run"))->isVisible());
        QVERIFY(!m_panel->form()->isEnabled());
        m_panel->setProgress(0.421, QStringLiteral("merging"));
        QCOMPARE(m_panel->findChild<QProgressBar *>()->value(), 421);
        QVERIFY(textsOf(*m_panel).contains(QStringLiteral("42 % · merging")));
        m_panel->setRunning(false);
        QVERIFY(m_panel->form()->isEnabled());
        QVERIFY(!m_panel->findChild<QProgressBar *>()->isVisible());
    }

    void theSummaryIsShown()
    {
        const PassRecord record{"scripted",
                                1.25,
                                {},
                                {{"clusters", std::int64_t(7)},
                                 {"acyclic", true},
                                 {"mean", 2.5},
                                 {"peak_bytes_after", std::int64_t(1'572'864)},
                                 {"modelled_ms_after", 2.25},
                                 {"flops_before", 2e9}}};
        m_panel->setSummary(&record);
        const QString text = m_panel->findChild<QLabel *>(QStringLiteral("passSummary"))->text();
        QCOMPARE(text,
                 QStringLiteral(
                     "scripted: 1.250 s on this machine\nclusters: 7\nacyclic: yes\nmean: 2.500\n"
                     "peak after: 1.50 MiB\nmodelled after: 2.250 ms\nflops before: 2.00 G"));
    }

    void withoutPluginsThereIsAHint()
    {
        const PassPanel panel({}, m_run.get(), m_hold.get(), m_cancel.get(), m_take.get());
        QVERIFY(panel.isEmpty());
        QVERIFY(!panel.pass());
    }

private:
    /// Shows a panel with the passes that were built, and chooses one.
    void usePlugin(std::string_view name)
    {
        m_panel = std::make_unique<PassPanel>(test::builtPlugins(), m_run.get(), m_hold.get(),
                                              m_cancel.get(), m_take.get());
        m_panel->resize(320, 700);
        m_panel->show();
        QVERIFY(m_panel->choose(name));
    }
    static QString textsOf(const QWidget &widget)
    {
        QStringList texts;
        for (const QLabel *label : widget.findChildren<QLabel *>())
            texts << label->text();
        return texts.join('\n');
    }
    QPushButton *buttonNamed(const QString &text) const
    {
        for (QPushButton *button : m_panel->findChildren<QPushButton *>())
            if (button->text() == text)
                return button;
        return nullptr;
    }

    std::unique_ptr<QAction> m_run, m_hold, m_cancel, m_take;
    std::unique_ptr<PassPanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(PassPanelTest)

} // namespace graphloom::test::pass_panel_test

#include "pass_panel_test.moc"
