// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/verified_plan.h"

#include "engine/ops/derive/infer.h"
#include "tests/support/made_verification.h"
#include "tests/support/sample_plan.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <limits>

namespace graphloom::test::verified_plan_test {

namespace {

using Change = std::function<void(TensorErrors &)>;
using State = TensorError::State;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double notNumber = std::numeric_limits<double>::quiet_NaN();

QString errorOf(const VerifiedPlan &verified)
{
    const auto checked = checkVerification(verified);
    return checked ? QString() : QString::fromStdString(checked.error().text());
}

} // namespace

} // namespace graphloom::test::verified_plan_test

Q_DECLARE_METATYPE(graphloom::test::verified_plan_test::Change)

namespace graphloom::test::verified_plan_test {

class VerifiedPlanTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_plan = std::make_shared<const Plan>(test::planOfSample("bert_tiny.onnx"));
    }

    void possibleVerificationsAreTaken()
    {
        QCOMPARE(errorOf(test::madeVerification(m_plan)), QString());
    }

    void whatIsComputedIsTaken()
    {
        const Opsets opsets = opsetsOf(*m_plan->model);
        auto errors = tensorErrors({"the original model", m_plan->model->graph, opsets},
                                   {"the plan", m_plan->graph, opsets}, {});
        QVERIFY(errors && *errors);
        QCOMPARE(errorOf({m_plan, **std::move(errors), "random inputs"}), QString());
    }

    void infiniteErrorsAreTaken()
    {
        VerifiedPlan made = test::madeVerification(m_plan);
        made.errors.verification.maxAbsError = made.errors.verification.maxRelError = infinite;
        made.errors.tensors[2].comparison.maxRelError = infinite;
        made.errors.tensors[2].comparison.noise = infinite;
        QCOMPARE(errorOf(made), QString());
    }

    void aPlanThatIsMissingIsRefused()
    {
        VerifiedPlan made = test::madeVerification(m_plan);
        made.plan = nullptr;
        QVERIFY(errorOf(made).contains(QStringLiteral("plan that was verified is missing")));
    }

    void impossibleVerificationsAreRefused_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("named");
        const auto row = [](const char *name, Change change, const char *named) {
            QTest::newRow(name) << std::move(change) << QString(named);
        };
        row(
            "a tolerance that is no number",
            [](auto &of) { of.verification.tolerance = notNumber; }, "impossible tolerance");
        row(
            "a tolerance without bounds", [](auto &of) { of.verification.tolerance = infinite; },
            "impossible tolerance");
        row(
            "a tolerance below zero", [](auto &of) { of.verification.tolerance = -1; },
            "impossible tolerance");
        row(
            "an absolute error of outputs that is no number",
            [](auto &of) { of.verification.maxAbsError = notNumber; }, "outputs have");
        row(
            "a relative error of outputs below zero",
            [](auto &of) { of.verification.maxRelError = -1; }, "outputs have");
        row(
            "outputs that pass in spite of their error",
            [](auto &of) { of.verification.passed = true; }, "beyond its tolerance");
        row(
            "a tensor too few", [](auto &of) { of.tensors.pop_back(); }, "not those of the plan");
        row(
            "a tensor too many", [](auto &of) { of.tensors.push_back(of.tensors.back()); },
            "more tensors than the plan");
        row(
            "a tensor of another place", [](auto &of) { std::swap(of.tensors[3], of.tensors[4]); },
            "not those of the plan");
        row(
            "a node that is not there", [](auto &of) { of.tensors[3].node = {1'000'000}; },
            "not those of the plan");
        row(
            "a tensor that is not there", [](auto &of) { of.tensors[3].tensor = {1'000'000}; },
            "not those of the plan");
        row(
            "a counterpart that is not there",
            [](auto &of) { of.tensors[3].original = {1'000'000}; }, "counterpart");
        row(
            "a comparison with nothing", [](auto &of) { of.tensors[3].original = {}; },
            "counterpart");
        row(
            "a counterpart of a tensor without one",
            [](auto &of) { of.tensors[0].original = of.tensors[1].original; }, "counterpart");
        row(
            "an absolute error that is no number",
            [](auto &of) { of.tensors[3].comparison.maxAbsError = notNumber; }, "impossible error");
        row(
            "a relative error below zero",
            [](auto &of) { of.tensors[3].comparison.maxRelError = -1; }, "impossible error");
        row(
            "a signal that is no number",
            [](auto &of) { of.tensors[3].comparison.signal = notNumber; }, "impossible error");
        row(
            "a noise below zero", [](auto &of) { of.tensors[3].comparison.noise = -1; },
            "impossible error");
        row(
            "fewer finite elements than none",
            [](auto &of) { of.tensors[3].comparison.finite = -1; }, "impossible error");
        row(
            "fewer elements that differ than none",
            [](auto &of) { of.tensors[3].comparison.different = -1; }, "impossible error");
        row(
            "a tensor that passes in spite of its error",
            [](auto &of) { of.tensors[2].passes = true; }, "contradicts its error");
        row(
            "a tensor that fails without an error", [](auto &of) { of.tensors[3].passes = false; },
            "contradicts its error");
        row(
            "a tensor that fails without a comparison",
            [](auto &of) { of.tensors[1].passes = false; }, "contradicts its error");
        row(
            "a beginning that is not there", [](auto &of) { of.begins = {1'000'000}; },
            "begins at a node");
        row(
            "another beginning", [](auto &of) { of.begins = of.tensors[3].node; },
            "does not begin at");
        row(
            "no beginning", [](auto &of) { of.begins = {}; }, "does not begin at");
    }

    void impossibleVerificationsAreRefused()
    {
        QFETCH(Change, change);
        QFETCH(QString, named);
        VerifiedPlan made = test::madeVerification(m_plan);
        change(made.errors);
        const QString error = errorOf(made);
        QVERIFY2(error.contains(named), qPrintable(error));
    }

private:
    std::shared_ptr<const Plan> m_plan;
};

GRAPHLOOM_TESTS(VerifiedPlanTest)

} // namespace graphloom::test::verified_plan_test

#include "verified_plan_test.moc"
