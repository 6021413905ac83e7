// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/search.h"

#include "app/snapshot/nested_snapshot.h"
#include "tests/support/app/window_driver.h"

namespace graphloom::test::search_test {

class SearchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingForAnEmptyText() { QVERIFY(findPlaces(*m_snapshot, QStringLiteral("  ")).empty()); }

    void operatorsInScheduleOrder()
    {
        const auto found = findPlaces(*m_snapshot, QStringLiteral("CONV"));
        QVERIFY(found.size() > 50);
        for (std::size_t i = 1; i < found.size(); ++i)
            QVERIFY(m_snapshot->graph().position(found[i - 1].item.node()) <
                    m_snapshot->graph().position(found[i].item.node()));
    }

    void inputsByName()
    {
        const TensorId input = m_snapshot->graph().inputs().front();
        const auto found =
            findPlaces(*m_snapshot, QString::fromStdString(m_snapshot->graph().tensor(input).name));
        QVERIFY(std::find(found.begin(), found.end(), Place{{}, Item::input(input)}) !=
                found.end());
    }

    void allWordsMustBeFound()
    {
        const auto all = findPlaces(*m_snapshot, QStringLiteral("conv"));
        const auto some = findPlaces(*m_snapshot, QStringLiteral("conv 1"));
        QVERIFY(some.size() < all.size());
        QVERIFY(findPlaces(*m_snapshot, QStringLiteral("conv softplus")).empty());
    }

    void whatIsNestedFollowsTheNodeThatHoldsIt()
    {
        const SnapshotPointer own = test::nestedSnapshot();
        QVERIFY(own);
        QStringList found;
        for (const Place &place : findPlaces(*own, QStringLiteral("neg")))
            found << QStringLiteral("%1 deep: ").arg(place.path.size()) +
                         graphAt(own, place.path)->facts->of(place.item.node()).name;
        QCOMPARE(found, QStringList(
                            {QStringLiteral("2 deep: negation"), QStringLiteral("1 deep: minus")}));
    }

    void whatIsCapturedIsFoundWhereItIsMade()
    {
        const SnapshotPointer own = test::nestedSnapshot();
        QVERIFY(own);
        const auto found = findPlaces(*own, QStringLiteral("flag"));
        QCOMPARE(std::count_if(found.begin(), found.end(),
                               [](const Place &place) { return place.item.isTensor(); }),
                 1);
        QVERIFY(found.front().path.empty());
    }

private:
    const SnapshotPointer m_snapshot = test::mobileNet();
};

GRAPHLOOM_WINDOW_TESTS(SearchTest)

} // namespace graphloom::test::search_test

#include "search_test.moc"
