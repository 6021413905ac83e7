// SPDX-License-Identifier: GPL-3.0-or-later
// The window where the kernels of a plan are tuned.
#include "app/kernels/kernel_panel.h"
#include "app/shell/panel_docks.h"
#include "app/tuning/tuning_panel.h"
#include "app/tuning/tuning_view.h"
#include "engine/codegen/build/c_compiler.h"
#include "engine/profile/profile_database.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <QDockWidget>
#include <QLabel>
#include <QProgressBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>

#include <atomic>
#include <chrono>
#include <thread>

namespace graphloom::test::main_window_tuning_test {

using test::ScriptedTarget;
using test::WindowDriver;

class MainWindowTuningTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::rewritten(); // Relu(x) - x
        m_fused = test::fused(m_plain);
    }
    void init()
    {
        use([](const Plan &plan, const TuneOptions &options) {
            return test::tuneAsMade(plan, options);
        });
    }
    void cleanup() { m_driver.reset(); }

    void withoutAModelThereIsNothingToTune() { QVERIFY(!window().actions().tuneHere->isEnabled()); }

    void theSchedulesBecomeAnEditOfThePlan()
    {
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(tune());
        QCOMPARE(schedule(), std::string("unroll i 2"));
        QCOMPARE(window().session().undoStack().undoText(), QStringLiteral("Tune kernels"));
        QVERIFY2(m_driver->message(1).startsWith(
                     QStringLiteral("Tuning finished: 4 trials, 1 failed; 1 of 1 ")),
                 qPrintable(m_driver->message(1)));
    }

    void itIsUndoneAndDoneAgain()
    {
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(tune());
        QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(!plan().kernels);
        QVERIFY(!m_driver->isRunStale()); // the run before tuning
        QTest::keyClick(&window(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QCOMPARE(schedule(), std::string("unroll i 2"));
        QVERIFY(!m_driver->isRunStale());
    }

    void thePlanIsMeasuredBeforeAndAfter()
    {
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(tune());
        const PlanRunPointer run = window().view<KernelPanel>().model().run();
        QVERIFY(run->outcome.before && run->outcome.after);
        QCOMPARE(run->beforeOf(0).value(), run->timesOf(0).median); // both are fakes
        QCOMPARE(run->tunedOf(0)->before->value, 2.0);
        QVERIFY2(m_driver->message().contains(QStringLiteral("ms before tuning: ")),
                 qPrintable(m_driver->message()));
    }

    void theTrialsAreShown()
    {
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(tune());
        QCOMPARE(tuning().model().rowCount(), 4);
        QVERIFY(tuning().isVisible());
        QVERIFY2(tuning().summary().startsWith(QStringLiteral("Tuned · 4 trials of 1 kernel")),
                 qPrintable(tuning().summary()));
    }

    void aRunOfThePlanIsNotMadeAgain()
    {
        QVERIFY(m_driver->show(m_plain));
        QTest::keyClick(&window(), Qt::Key_F6);
        QVERIFY(m_driver->settle());
        m_builds = 0;
        QVERIFY(tune());
        QCOMPARE(m_builds.load(), 2); // before and after, in turns
    }

    void trialsComeLive()
    {
        useEndless();
        QVERIFY(m_driver->show(m_plain));
        QTest::keyClick(&window(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(QTest::qWaitFor([this] { return tuning().model().rowCount() >= 40; }, 20'000));
        QVERIFY(!tuning().view().series().best.isEmpty());
        QVERIFY2(tuning().summary().contains(QStringLiteral("Tuning block 0, Relu · ")) &&
                     tuning().summary().contains(QStringLiteral(" s left")),
                 qPrintable(tuning().summary()));
        QVERIFY(!window().actions().run->isEnabled() && !window().actions().undo->isEnabled());
        // What lasts is shown after a while.
        QTRY_VERIFY(window().findChild<QProgressBar *>(QStringLiteral("runProgress"))->isVisible());
    }

    void stoppedKeepsTheBestSoFar()
    {
        useEndless();
        QVERIFY(m_driver->show(m_plain));
        QTest::keyClick(&window(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(QTest::qWaitFor([this] { return tuning().model().rowCount() > 0; }, 20'000));
        window().findChild<QToolButton *>(QStringLiteral("runCancel"))->click();
        QVERIFY(m_driver->settle());
        QCOMPARE(schedule(), std::string("unroll i 2"));
        QVERIFY(
            m_driver->message(1).startsWith(QStringLiteral("Tuning stopped, best result kept")));
        QVERIFY(tuning().summary().startsWith(QStringLiteral("Stopped, best result kept")));
        QVERIFY(
            window().view<KernelPanel>().model().run()->outcome.before); // measured all the same
    }

    void itIsOneOfTheRuns()
    {
        QVERIFY(m_driver->show(m_plain));
        window().view<KernelPanel>().setLimits({7, 0});
        QVERIFY(tune());
        const PassRun &run = lastRun();
        QCOMPARE(run.name(), QStringLiteral("tuning"));
        QCOMPARE(run.settings(), QStringLiteral("seconds 7 · threads 1"));
        QCOMPARE(run.state, PassRun::State::Done);
        QCOMPARE(run.search->generated, std::uint64_t(4));
        QCOMPARE(run.search->refusals.size(), std::size_t(1));
        QVERIFY(run.result->plan->kernels);
        // Taken from the list once it was undone.
        window().session().undoStack().undo();
        QVERIFY(m_driver->settle() && !plan().kernels);
        window().session().take(run.number);
        QVERIFY(m_driver->settle());
        QCOMPARE(schedule(), std::string("unroll i 2"));
    }

    void pausedNothingIsTried()
    {
        useEndless();
        QVERIFY(m_driver->show(m_plain));
        QTest::keyClick(&window(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(QTest::qWaitFor([this] { return tuning().model().rowCount() >= 8; }, 20'000));
        QTest::keyClick(&window(), Qt::Key_F7);
        QCOMPARE(lastRun().state, PassRun::State::Held);
        QTest::qWait(250); // what was tried already is handed over
        const int before = tuning().model().rowCount();
        const double left = *window().bench().kernels.tuner().secondsLeft();
        QTest::qWait(250);
        QCOMPARE(tuning().model().rowCount(), before);
        QCOMPARE(*window().bench().kernels.tuner().secondsLeft(), left);
        QVERIFY2(tuning().summary().contains(QStringLiteral("paused, ")),
                 qPrintable(tuning().summary()));
        QTest::keyClick(&window(), Qt::Key_F7);
        QVERIFY(QTest::qWaitFor([&] { return tuning().model().rowCount() > before; }, 20'000));
    }

    void takingItEndsItWithTheBestSoFar()
    {
        useEndless();
        QVERIFY(m_driver->show(m_plain));
        QTest::keyClick(&window(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(QTest::qWaitFor([this] { return window().actions().take->isEnabled(); }, 20'000));
        QTest::keyClick(&window(), Qt::Key_F7); // also while it is paused
        QTRY_VERIFY(window().actions().take->isEnabled());
        QTest::keyClick(&window(), Qt::Key_F8);
        QVERIFY(m_driver->settle());
        QCOMPARE(schedule(), std::string("unroll i 2"));
        QCOMPARE(lastRun().state, PassRun::State::Stopped);
    }

    void aFailedOneSaysWhyInTheList()
    {
        use([](const Plan &, const TuneOptions &) {
            return fail(Error::Kind::Missing, "install gcc or clang");
        });
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(tune());
        QCOMPARE(lastRun().state, PassRun::State::Failed);
        QCOMPARE(lastRun().error->message, std::string("install gcc or clang"));
    }

    void stoppedBeforeAnythingWasTriedKeepsThePlan()
    {
        use([](const Plan &, const TuneOptions &options) {
            while (!options.stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return std::make_shared<const KernelPlan>();
        });
        QVERIFY(m_driver->show(m_plain));
        QTest::keyClick(&window(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(QTest::qWaitFor(
            [this] { return window().bench().kernels.tuner().secondsLeft().has_value(); }));
        QTest::keyClick(&window(), Qt::Key_F5, Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(!plan().kernels);
        QCOMPARE(m_driver->message(), QStringLiteral("Tuning stopped before any result"));
        QVERIFY(window().actions().tuneHere->isEnabled());
    }

    void whatIsKnownIsTakenWithoutTrials()
    {
        use([](const Plan &plan, const TuneOptions &) { return test::madeKernels(plan); });
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(tune());
        QCOMPARE(schedule(), std::string("unroll i 2"));
        QVERIFY2(tuning().summary().contains(QStringLiteral("from the profile database")),
                 qPrintable(tuning().summary()));
    }

    void aFailureIsSaidAndKeepsThePlan()
    {
        use([](const Plan &, const TuneOptions &) {
            return fail(Error::Kind::Missing, "install gcc or clang");
        });
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(tune());
        QVERIFY(!plan().kernels);
        QCOMPARE(m_driver->message(), QStringLiteral("Cannot tune kernels: install gcc or clang"));
        QVERIFY(tuning().summary().contains(QStringLiteral("install gcc or clang")));
        QVERIFY(window().panels().dock(QStringLiteral("messages")).isVisible());
    }

    void whatCannotBeBuiltIsNotTuned()
    {
        bool tuned = false;
        useTargets(test::scripted(
            [](const BuildOptions &) { return fail(Error::Kind::Missing, "install gcc"); },
            [&](const Plan &plan, const TuneOptions &) {
                tuned = true;
                return test::madeKernels(plan);
            }));
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(tune());
        QCOMPARE(m_driver->message(), QStringLiteral("Cannot tune kernels: install gcc"));
        QVERIFY(!tuned);
    }

    void withoutATargetItSaysSo()
    {
        useTargets({});
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(tune());
        QVERIFY(m_driver->message().contains(QStringLiteral("no target plugin runs kernels")));
    }

    void aPlanThatWasChangedMeanwhileKeepsItsKernels()
    {
        useEndless();
        QVERIFY(m_driver->show(m_plain));
        QTest::keyClick(&window(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(QTest::qWaitFor([this] { return tuning().model().rowCount() > 0; }, 20'000));
        QSignalSpy edited(&window().session(), &Session::editingFinished);
        window().session().edit(QStringLiteral("fuse"), [this](Plan plan) {
            plan.fusion = m_fused->plan->fusion;
            return plan;
        });
        QVERIFY(edited.wait(20'000));
        QTest::keyClick(&window(), Qt::Key_F5, Qt::ShiftModifier);
        QVERIFY(m_driver->settle());
        QVERIFY(!plan().kernels);
        QCOMPARE(window().session().undoStack().undoText(), QStringLiteral("fuse"));
        QVERIFY(m_driver->message().startsWith(
            QStringLiteral("The plan was changed while its kernels were tuned")));
    }

    void anotherModelEndsTuning()
    {
        useEndless();
        QVERIFY(m_driver->show(m_plain));
        QTest::keyClick(&window(), Qt::Key_F6, Qt::ShiftModifier);
        QVERIFY(QTest::qWaitFor([this] { return tuning().model().rowCount() > 0; }, 20'000));
        QVERIFY(m_driver->show(m_fused));
        QVERIFY(!window().bench().kernels.tuner().isRunning());
        QVERIFY(window().view<KernelPanel>().isEmpty());
        QVERIFY(!plan().kernels);
    }

    void theFormIsObeyedAndKept()
    {
        TuneOptions asked;
        use([&](const Plan &plan, const TuneOptions &options) {
            asked = options;
            return test::madeKernels(plan);
        });
        QVERIFY(m_driver->show(m_plain));
        window().view<KernelPanel>().setOptions({3, 2});
        window()
            .view<KernelPanel>()
            .findChild<QSpinBox *>(QStringLiteral("tuneSeconds"))
            ->setValue(7);
        window()
            .view<KernelPanel>()
            .findChild<QSpinBox *>(QStringLiteral("tuneTrials"))
            ->setValue(90);
        QVERIFY(tune());
        QCOMPARE(asked.seconds, 7.0);
        QCOMPARE(asked.trials, std::int64_t(90));
        QCOMPARE(asked.threads, 2U);
        QVERIFY(asked.database);
        m_driver->restart();
        QCOMPARE(window().view<KernelPanel>().limits().seconds, 7);
        QCOMPARE(window().view<KernelPanel>().limits().trials, 90);
    }

    void manyTrialsAreListedAndFewAreDrawn()
    {
        // Ten thousand at once.
        use([](const Plan &plan, const TuneOptions &options) {
            for (int i = 0; i < 2500; ++i)
                for (const TuningTrial &trial : test::madeTrials())
                    options.tried(trial);
            return test::madeKernels(plan);
        });
        QVERIFY(m_driver->show(m_plain));
        QVERIFY(tune());
        QCOMPARE(tuning().model().rowCount(), 10'000);
        const qsizetype drawn = tuning().view().series().measured.size();
        QVERIFY(drawn > 0 && drawn <= qsizetype(TuningView::mostPoints));
    }

    void theHostTunes()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
        useTargets(loadTargetPlugins(GRAPHLOOM_TARGETS));
        QVERIFY(m_driver->open(test::sample("bert_tiny.onnx")));
        window().view<KernelPanel>().setOptions({3, 1});
        window().view<KernelPanel>().setLimits({1, 0});
        QVERIFY(tune());
        QVERIFY2(tuning().model().rowCount() > 0, qPrintable(m_driver->message()));
        const auto &first = tuning().log().trials().front().what;
        QVERIFY(first.byDefault && first.uses >= 1);
        QVERIFY(plan().kernels);
        const auto database = ProfileDatabase::open(m_driver->scratch("profile.sqlite"));
        QVERIFY(database);
        int known = 0;
        QVERIFY(database->forEach([&](const ProfileKey &, const auto &) { ++known; }));
        QVERIFY(known > 0);
    }

private:
    MainWindow &window() { return m_driver->window(); }
    TuningPanel &tuning() { return window().view<KernelPanel>().tuning(); }
    void useTargets(std::vector<TargetPlugin> targets)
    {
        m_driver = std::make_unique<WindowDriver>(std::vector<PassPlugin>(), ThemeChoice::Dark,
                                                  std::move(targets));
        window().view<KernelPanel>().setOptions({3, 1});
    }
    /// Builds fakes whose two steps are those of both nodes.
    void use(ScriptedTarget::Tune tune)
    {
        useTargets(test::scripted(
            [this, build = test::fakeBuild(m_log)](const BuildOptions &options) {
                ++m_builds;
                return build(options);
            },
            std::move(tune)));
    }
    void useEndless()
    {
        use([](const Plan &plan, const TuneOptions &options) {
            return test::tuneAsMade(plan, options, true);
        });
    }
    bool tune()
    {
        QTest::keyClick(&window(), Qt::Key_F6, Qt::ShiftModifier);
        return m_driver->settle();
    }
    const PassRun &lastRun() { return *window().session().runs().runs().back(); }
    const Plan &plan() { return *window().session().snapshot()->plan; }
    /// Of the first kernel; empty when it is the default one.
    std::string schedule()
    {
        return plan().kernels ? plan().kernels->blocks[0][0].schedule : std::string();
    }

    SnapshotPointer m_plain, m_fused;
    std::vector<std::string> m_log;
    std::atomic<int> m_builds = 0;
    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowTuningTest)

} // namespace graphloom::test::main_window_tuning_test

#include "main_window_tuning_test.moc"
