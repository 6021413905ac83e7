// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/html/html_exporter.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

namespace graphloom::test::html_exporter_test {

class HtmlExporterTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_snapshot = test::fusedSample("bert_tiny.onnx");
        QVERIFY(m_snapshot);
    }

    void anotherMachineIsNamed()
    {
        PlanRun run = *test::madeRun(m_snapshot);
        run.at = {"Abacus & Co, 8 cores", 1'700'000'000'000};
        run.stepMs = 0; // planRunOf() adds them up
        const QString page = pageOf(planRunOf(std::move(run)));
        QVERIFY(page.contains(QStringLiteral("measured on Abacus &amp; Co, 8 cores, ")));
        QVERIFY(page.contains(QStringLiteral("not on this machine")));
        QVERIFY(page.contains(QStringLiteral("host, Abacus &amp; Co, 8 cores")));
    }

    void thisMachineIsNot()
    {
        PlanRun run = *test::madeRun(m_snapshot);
        run.at = {machineName(), 1'700'000'000'000};
        run.stepMs = 0;
        QVERIFY(!pageOf(planRunOf(std::move(run))).contains(QStringLiteral("not on this machine")));
    }

    void theInputsOfAVerificationAreNamed()
    {
        PlanVerification verification;
        verification.plan = m_snapshot->plan;
        verification.errors.verification.passed = true;
        verification.inputs = "cat.png";
        const QString page = pageOf(nullptr, verificationOf(std::move(verification)));
        QVERIFY(page.contains(QStringLiteral("the original model, on cat.png")));
    }

private:
    /// Returns the report that an exporter writes.
    QString pageOf(PlanRunPointer run, VerificationPointer verification = nullptr) const
    {
        const QTemporaryDir folder;
        HtmlExporter exporter;
        HtmlExporter::Write write;
        connect(
            &exporter, &HtmlExporter::ready, &exporter,
            [&](const std::filesystem::path &, const HtmlExporter::Write &made) { write = made; });
        const QString path = folder.filePath(QStringLiteral("report.html"));
        exporter.start({path.toStdString(), m_snapshot, std::move(run), std::move(verification)});
        if (!QTest::qWaitFor([&] { return bool(write); }, 60'000))
            return {};
        if (const auto written = write({}); !written)
            qFatal("%s", written.error().text().c_str());
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    SnapshotPointer m_snapshot;
};

GRAPHLOOM_WINDOW_TESTS(HtmlExporterTest)

} // namespace graphloom::test::html_exporter_test

#include "html_exporter_test.moc"
