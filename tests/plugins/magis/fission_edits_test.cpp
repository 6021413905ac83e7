// SPDX-License-Identifier: Apache-2.0
// Fissions that are changed by hand: what a change costs, what is in its way, and what stays.
#include "plugins/magis/magis_pass.h"

#include "tests/plugins/magis/magis_run.h"
#include "tests/plugins/magis/training_plans.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::fission_edits_test {

using magis::MagisPass;

namespace {

/// A plan whose tree has something that is carried out.
Plan split()
{
    return optimized(convolutionTraining(),
                     contextOf(60, objectiveOf(Objective::Mode::Memory, {}, 4)));
}

Result<Plan> withEdit(const Plan &first, const Context::FissionEdit &edit)
{
    Context context = contextOf(1, leastMemory);
    context.resume = {*first.search->state, "the first search", false,
                      std::make_shared<const Plan>(first)};
    context.edit = edit;
    return runPass(MagisPass(), convolutionTraining(), context);
}

int carriedOut(const Plan &plan)
{
    const auto &fissions = plan.memory->fissions;
    const auto at = std::ranges::find_if(fissions, [](const auto &one) { return one.number > 1; });
    if (at == fissions.end())
        qFatal("nothing is carried out");
    return int(at - fissions.begin());
}

/// The fission of the same nodes along the same dimension, whatever its parts are.
const MemoryPlan::Fission *sameIn(const Plan &plan, const MemoryPlan::Fission &fission)
{
    const auto dimension = [](const MemoryPlan::Fission &of) {
        return of.dimension.substr(0, of.dimension.find(','));
    };
    for (const MemoryPlan::Fission &one : plan.memory->fissions)
        if (one.names == fission.names && dimension(one) == dimension(fission))
            return &one;
    return nullptr;
}

} // namespace

class FissionEditsTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theTreeSaysWhatChangesCost();
    void aFissionIsChangedByHand();
    void whatIsInTheWayIsNamed();
    void aLockedFissionStaysInSearchesThatGoOn();
    void aPlanWithoutATreeCannotBeEdited();
};

void FissionEditsTest::theTreeSaysWhatChangesCost()
{
    const Plan first = split();
    const int fission = carriedOut(first);
    const MemoryPlan::Fission &entry = first.memory->fissions[std::size_t(fission)];
    QVERIFY(entry.heat > 0 && entry.numbers.size() > 1 && entry.numbers.front() == 1);
    const auto without = withEdit(first, {fission, 1, false, false});
    QVERIFY2(without, without ? "" : without.error().text().c_str());
    QCOMPARE(without->memory->after.peakBytes, entry.changed.peakBytes);
    QVERIFY(std::abs(without->memory->after.ms - entry.changed.ms) <= 1e-9 * entry.changed.ms);
    QCOMPARE(sameIn(*without, entry)->number, 1);
}

void FissionEditsTest::aFissionIsChangedByHand()
{
    const Plan first = split();
    const int fission = carriedOut(first);
    const MemoryPlan::Fission &entry = first.memory->fissions[std::size_t(fission)];
    const int other =
        *std::ranges::find_if(entry.numbers, [&](int n) { return n > 1 && n != entry.number; });
    const auto changed = withEdit(first, {fission, other, false, true});
    QVERIFY2(changed, changed ? "" : changed.error().text().c_str());
    const MemoryPlan::Fission *now = sameIn(*changed, entry);
    QVERIFY(now && now->number == other && now->locked);
    QVERIFY(changed->memory->after.peakBytes != first.memory->after.peakBytes ||
            changed->memory->after.ms != first.memory->after.ms);
    QVERIFY(changed->memory->realized && changed->graph.hash() != first.graph.hash());
    QCOMPARE(changed->history.size(), first.history.size());
    QCOMPARE(changed->search->expanded, first.search->expanded); // nothing was searched
    // And back again.
    for (int f = 0; f < int(changed->memory->fissions.size()); ++f)
        if (&changed->memory->fissions[std::size_t(f)] == now) {
            const auto back = withEdit(*changed, {f, entry.number, false, false});
            QVERIFY(back);
            QCOMPARE(back->memory->after.peakBytes, first.memory->after.peakBytes);
            QCOMPARE(back->graph.hash(), first.graph.hash());
        }
}

void FissionEditsTest::whatIsInTheWayIsNamed()
{
    const Plan first = split();
    int refused = 0, lifted = 0;
    for (int f = 0; f < int(first.memory->fissions.size()); ++f) {
        const MemoryPlan::Fission &entry = first.memory->fissions[std::size_t(f)];
        if (entry.number > 1 || entry.changed.origin.empty() || entry.numbers.size() < 2)
            continue;
        const auto enabled = withEdit(first, {f, entry.numbers[1], false, false});
        QVERIFY(!enabled);
        QCOMPARE(enabled.error().kind, Error::Kind::Usage);
        QCOMPARE(enabled.error().message, entry.changed.origin);
        ++refused;
        if (entry.changed.origin.find("shares nodes") == std::string::npos)
            continue;
        const auto lift = withEdit(first, {f, entry.numbers[1], true, false});
        lifted += lift && sameIn(*lift, entry)->number == entry.numbers[1];
    }
    QVERIFY(refused > 0 && lifted > 0);
}

void FissionEditsTest::aLockedFissionStaysInSearchesThatGoOn()
{
    const Plan first = split();
    const int fission = carriedOut(first);
    const MemoryPlan::Fission &entry = first.memory->fissions[std::size_t(fission)];
    // Not to be carried out, although the search liked it.
    const auto without = withEdit(first, {fission, 1, false, true});
    QVERIFY(without);
    Context context = contextOf(40, leastMemory);
    context.resume = {*first.search->state, "the first search", false,
                      std::make_shared<const Plan>(*without)};
    const Plan second = optimized(convolutionTraining(), context);
    const MemoryPlan::Fission *now = sameIn(second, entry);
    QVERIFY(now);
    QCOMPARE(now->number, 1);
    QVERIFY(now->locked);
    QVERIFY(second.memory->after.peakBytes <= without->memory->after.peakBytes);
}

void FissionEditsTest::aPlanWithoutATreeCannotBeEdited()
{
    Context context = contextOf(1, leastMemory);
    context.edit = Context::FissionEdit{0, 2, false, false};
    const auto refused = runPass(MagisPass(), convolutionTraining(), context);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, Error::Kind::Usage);
}

GRAPHLOOM_TESTS(FissionEditsTest)

} // namespace graphloom::test::fission_edits_test

#include "fission_edits_test.moc"
