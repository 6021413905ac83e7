// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/status/message_model.h"

#include "tests/support/test_program.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

namespace graphloom::test::message_model_test {

using Severity = MessageModel::Severity;

class MessageModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTheContractOfModels()
    {
        MessageModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.add(Severity::Info, QStringLiteral("one"));
        model.add(Severity::Error, QStringLiteral("two"), QStringLiteral("because"));
        model.clear();
        QCOMPARE(model.rowCount(), 0);
    }

    void newestIsFirst()
    {
        MessageModel model;
        model.add(Severity::Info, QStringLiteral("one"));
        model.add(Severity::Error, QStringLiteral("two"), QStringLiteral("because"));
        QCOMPARE(model.index(0).data().toString(), QStringLiteral("two"));
        QCOMPARE(model.index(0).data(MessageModel::DetailsRole).toString(),
                 QStringLiteral("because"));
        QCOMPARE(model.index(0).data(MessageModel::SeverityRole).toInt(), int(Severity::Error));
        QCOMPARE(model.index(1).data().toString(), QStringLiteral("one"));
    }

    void oldOnesAreForgotten()
    {
        MessageModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (int i = 0; i < 600; ++i)
            model.add(Severity::Info, QString::number(i));
        QCOMPARE(model.rowCount(), 500);
        QCOMPARE(model.index(0).data().toString(), QStringLiteral("599"));
        QCOMPARE(model.index(499).data().toString(), QStringLiteral("100"));
    }

    void severityIsSpokenToo()
    {
        MessageModel model;
        model.add(Severity::Warning, QStringLiteral("take care"));
        QCOMPARE(model.index(0).data(Qt::AccessibleTextRole).toString(),
                 QStringLiteral("Warning: take care"));
    }

    void tellsWhatWasAdded()
    {
        MessageModel model;
        QSignalSpy added(&model, &MessageModel::added);
        model.add(Severity::Error, QStringLiteral("no"));
        QCOMPARE(added.size(), 1);
    }
};

GRAPHLOOM_TESTS(MessageModelTest)

} // namespace graphloom::test::message_model_test

#include "message_model_test.moc"
