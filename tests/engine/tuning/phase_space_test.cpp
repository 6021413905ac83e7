// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/phase_space.h"

#include "tests/engine/tuning/product_kernels.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::phase_space_test {

using graphloom::test::ProductKernels;

class PhaseSpaceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void productsLeaveAChoice();
    void startIsTheDefaultSchedule();
    void neighboursAreNew();
    void neighboursAreLegal();
    void imagesAreAChoice();

private:
    const ProductKernels m_products;
    const PhaseSpace m_space{m_products.first(), PhaseIndex(0), m_products.target};
};

void PhaseSpaceTest::productsLeaveAChoice()
{
    QVERIFY(!m_space.isTrivial());
}

void PhaseSpaceTest::startIsTheDefaultSchedule()
{
    QCOMPARE(m_space.schedules(m_space.start()).front().text(),
             m_products.first().schedules.front().text());
}

void PhaseSpaceTest::neighboursAreNew()
{
    const auto neighbours = m_space.neighbours(m_space.start(), 1);
    QVERIFY(neighbours.size() > 4); // of rows alone there are as many
    for (const PhaseChoice &choice : neighbours)
        QVERIFY(choice != m_space.start());
}

void PhaseSpaceTest::neighboursAreLegal()
{
    const auto neighbours = m_space.neighbours(m_space.start(), 1);
    QVERIFY(!neighbours.empty());
    for (const PhaseChoice &choice : neighbours) {
        const auto schedules = m_space.schedules(choice);
        QVERIFY(!schedules.empty());
        for (const Schedule &schedule : schedules)
            QVERIFY2(schedule.check(), schedule.text().c_str());
        QVERIFY(m_space.phase(choice));
    }
}

void PhaseSpaceTest::imagesAreAChoice()
{
    ScheduleTarget target = m_products.target;
    target.imageTexels = 1 << 20;
    const PhaseSpace space(m_products.first(), PhaseIndex(0), target);
    const auto isRead = [&](const PhaseChoice &choice) {
        return !space.schedules(choice).front().images().empty();
    };
    QVERIFY(!isRead(space.start()));
    QCOMPARE(std::ranges::count_if(space.neighbours(space.start(), 1), isRead), std::ptrdiff_t(1));
    QVERIFY(!isRead(m_space.start()));
    QVERIFY(std::ranges::none_of(m_space.neighbours(m_space.start(), 1), isRead));
}

GRAPHLOOM_TESTS(PhaseSpaceTest)

} // namespace graphloom::test::phase_space_test

#include "phase_space_test.moc"
