// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/step_picture.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"

namespace graphloom::test::step_picture_test {

class StepPictureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_snapshot = test::rewritten();
        QVERIFY(m_snapshot);
    }

    void beforeShowsWhatWentAndItsNeighbours()
    {
        const StepPicture picture = pictureAt(0);
        QVERIFY(picture.before);
        QCOMPARE(picture.removed.size(), std::size_t(1));
        QCOMPARE(titlesOf(*picture.before),
                 (QStringList{QStringLiteral("Add"), QStringLiteral("Relu"), QStringLiteral("Relu"),
                              QStringLiteral("x")}));
        QVERIFY(picture.before->rectOf(picture.removed.front()));
    }

    void afterShowsWhatIsLeftBeside()
    {
        const StepPicture picture = pictureAt(0);
        QVERIFY(picture.added.empty());
        QVERIFY(picture.after);
        QCOMPARE(titlesOf(*picture.after),
                 (QStringList{QStringLiteral("Add"), QStringLiteral("Relu"), QStringLiteral("x")}));
    }

    void whatCameIsNamed()
    {
        const StepPicture picture = pictureAt(1);
        QCOMPARE(picture.added.size(), std::size_t(1));
        QVERIFY(titlesOf(*picture.after).contains(QStringLiteral("Sub")));
        QVERIFY(titlesOf(*picture.before).contains(QStringLiteral("Add")));
    }

    void aStoppedOneHasNoPictures()
    {
        std::stop_source source;
        source.request_stop();
        const auto &plan = *m_snapshot->plan;
        const StepPicture picture =
            pictureOf(plan.model, plan.rewrite->steps.front(), source.get_token());
        QVERIFY(!picture.before && !picture.after);
    }

private:
    StepPicture pictureAt(std::size_t step) const
    {
        return pictureOf(m_snapshot->plan->model, m_snapshot->plan->rewrite->steps[step], {});
    }
    /// Of what is drawn, without the graph's outputs, in alphabetical order.
    static QStringList titlesOf(const Drawing &drawing)
    {
        QStringList titles;
        for (const VisibleGraph::Node &node : drawing.graph.nodes)
            if (node.item.kind != Item::Kind::Output)
                titles << node.title;
        titles.sort();
        return titles;
    }

    SnapshotPointer m_snapshot;
};

GRAPHLOOM_WINDOW_TESTS(StepPictureTest)

} // namespace graphloom::test::step_picture_test

#include "step_picture_test.moc"
