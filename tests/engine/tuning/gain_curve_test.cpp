// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/gain_curve.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::gain_curve_test {

class GainCurveTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatWasNotMeasuredPromisesNothing() { QCOMPARE(GainCurve().expectedGain(m_stable), 0.0); }

    void whoHasJustGainedPromisesAsMuchByTrial()
    {
        GainCurve curve;
        curve.note(1, 10);
        curve.note(11, 4);
        QCOMPARE(curve.expectedGain(m_stable), 0.6);
    }

    void ofEqualCurvesTheLongerOnePromisesLess()
    {
        GainCurve few, many;
        few.note(1, 10);
        many.note(1, 10);
        many.note(9, 10);
        QVERIFY(few.expectedGain(m_stable) > many.expectedGain(m_stable));
        QVERIFY(many.expectedGain(m_stable) > 0);
    }

    void isStableAfterEnoughTrialsWithoutGain_data()
    {
        QTest::addColumn<int>("trials");
        QTest::addColumn<double>("seconds");
        QTest::addColumn<bool>("stable");
        QTest::newRow("as many as needed") << 11 << 10.0 << true;
        QTest::newRow("less than the gain that counts") << 11 << 9.9 << true;
        QTest::newRow("a gain that counts") << 11 << 9.0 << false;
        QTest::newRow("too few") << 10 << 10.0 << false;
    }
    void isStableAfterEnoughTrialsWithoutGain()
    {
        QFETCH(int, trials);
        QFETCH(double, seconds);
        GainCurve curve;
        curve.note(1, 10);
        curve.note(trials, seconds);
        QTEST(curve.isStable(m_stable), "stable");
    }

    void timesThatRiseAreNoise()
    {
        GainCurve curve;
        curve.note(1, 10);
        curve.note(5, 12);
        QCOMPARE(curve.best(), 10.0);
    }

private:
    const StableTimes m_stable{0.02, 10};
};

GRAPHLOOM_TESTS(GainCurveTest)

} // namespace graphloom::test::gain_curve_test

#include "gain_curve_test.moc"
