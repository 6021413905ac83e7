// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/query_edit.h"

#include "tests/support/app/window_driver.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QSignalSpy>
#include <QToolButton>

namespace graphloom::test::query_edit_test {

class QueryEditTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_edit = std::make_unique<QueryEdit>();
        m_edit->setSnapshot(m_snapshot);
        m_edit->show();
        m_edit->setFocus();
    }

    void keysAreCompleted()
    {
        QTest::keyClicks(m_edit.get(), QStringLiteral("add ma"));
        QCOMPARE(m_edit->completions(), QStringList({"mapping:", "macs>"}));
        QVERIFY(m_edit->completer().popup()->isVisible());
        QTest::keyClick(m_edit->completer().popup(), Qt::Key_Down);
        QTest::keyClick(m_edit->completer().popup(), Qt::Key_Return);
        QCOMPARE(m_edit->text(), QStringLiteral("add mapping:"));
    }

    void valuesOfTheGraphAreCompleted()
    {
        QTest::keyClicks(m_edit.get(), QStringLiteral("-op:Cl"));
        QCOMPARE(m_edit->completions(), QStringList("op:Clip"));
        QTest::keyClick(m_edit->completer().popup(), Qt::Key_Down);
        QTest::keyClick(m_edit->completer().popup(), Qt::Key_Return);
        QCOMPARE(m_edit->text(), QStringLiteral("-op:Clip "));
    }

    void problemsAreSaid()
    {
        QSignalSpy changed(m_edit.get(), &QueryEdit::problemChanged);
        m_edit->setText(QStringLiteral("colour:red"));
        QCOMPARE(changed.size(), 1);
        QVERIFY(m_edit->problem().contains(QStringLiteral("colour")));
        m_edit->setText(QStringLiteral("op:Conv"));
        QCOMPARE(changed.size(), 2);
        QVERIFY(m_edit->problem().isEmpty());
    }

private:
    const SnapshotPointer m_snapshot = test::mobileNet();
    std::unique_ptr<QueryEdit> m_edit;
};

GRAPHLOOM_WINDOW_TESTS(QueryEditTest)

} // namespace graphloom::test::query_edit_test

#include "query_edit_test.moc"
