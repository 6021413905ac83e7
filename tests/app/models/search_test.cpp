// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/search.h"

#include "tests/support/app/window_driver.h"

using namespace graphloom;

class SearchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_snapshot = testing::snapshotOfSample("mobilenet_v2_224.onnx");
        QVERIFY(m_snapshot);
    }

    void nothingForAnEmptyText() { QVERIFY(findItems(*m_snapshot, QStringLiteral("  ")).empty()); }

    void operatorsInScheduleOrder()
    {
        const auto found = findItems(*m_snapshot, QStringLiteral("CONV"));
        QVERIFY(found.size() > 50);
        for (std::size_t i = 1; i < found.size(); ++i)
            QVERIFY(m_snapshot->graph().position(found[i - 1].node()) <
                    m_snapshot->graph().position(found[i].node()));
    }

    void inputsByName()
    {
        const TensorId input = m_snapshot->graph().inputs().front();
        const auto found =
            findItems(*m_snapshot, QString::fromStdString(m_snapshot->graph().tensor(input).name));
        QVERIFY(std::find(found.begin(), found.end(), Item::input(input)) != found.end());
    }

    void allWordsMustBeFound()
    {
        const auto all = findItems(*m_snapshot, QStringLiteral("conv"));
        const auto some = findItems(*m_snapshot, QStringLiteral("conv 1"));
        QVERIFY(some.size() < all.size());
        QVERIFY(findItems(*m_snapshot, QStringLiteral("conv softplus")).empty());
    }

private:
    SnapshotPointer m_snapshot;
};

GRAPHLOOM_WINDOW_TESTS(SearchTest)
#include "search_test.moc"
