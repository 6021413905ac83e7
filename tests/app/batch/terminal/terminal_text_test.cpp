// SPDX-License-Identifier: Apache-2.0
#include "app/batch/terminal/terminal_text.h"

#include "app/batch/batch.h"
#include "app/batch/terminal/batch_log.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <sstream>

namespace graphloom::test::terminal_text_test {

class TerminalTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ordinaryTextStays();
    void controlsAreWrittenOut_data();
    void controlsAreWrittenOut();
    void whatABatchSaysIsEscaped();
    void errorsAreEscaped();
};

void TerminalTextTest::ordinaryTextStays()
{
    const std::string text =
        "conv1: 3 \xc3\x97 3, \xe2\x9c\x93\n\tas \\x1b is written \xf0\x9f\x98\x80";
    QCOMPARE(forTerminal(text), text);
    QCOMPARE(forTerminal(""), std::string());
}

void TerminalTextTest::controlsAreWrittenOut_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("shown");
    QTest::newRow("title of the window")
        << QByteArray("\x1b]0;x\x07") << QByteArray("\\x1b]0;x\\x07");
    QTest::newRow("carriage return") << QByteArray("bad\rgood") << QByteArray("bad\\x0dgood");
    QTest::newRow("nul") << QByteArray("a\0b", 3) << QByteArray("a\\x00b");
    QTest::newRow("delete") << QByteArray("\x7f") << QByteArray("\\x7f");
    QTest::newRow("control of 8 bits") << QByteArray("\xc2\x9b"
                                                     "31m")
                                       << QByteArray("\\x9b31m");
    QTest::newRow("the same as a byte") << QByteArray("\x9b"
                                                      "31m")
                                        << QByteArray("\\x9b31m");
    QTest::newRow("cut character") << QByteArray("\xe2\x9c") << QByteArray("\\xe2\\x9c");
    QTest::newRow("right to left") << QByteArray("\xe2\x80\xaetxt") << QByteArray("\\u202etxt");
}

void TerminalTextTest::controlsAreWrittenOut()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(forTerminal(text.toStdString())), shown);
}

void TerminalTextTest::whatABatchSaysIsEscaped()
{
    std::ostringstream out, err;
    BatchLog log(ProgressStyle::Bar, out, err, true);
    log.begin("\x1b[2Jstage");
    log.update(1, "\x1b[2Jtext");
    log.warn("\x1b[2Jwarning");
    log.print("\x1b[2Jresult");
    QVERIFY2(out.str().find("\\x1b[2Jresult") != std::string::npos, out.str().c_str());
    QVERIFY2(err.str().find("\\x1b[2Jwarning") != std::string::npos, err.str().c_str());
    QVERIFY2(err.str().find("\x1b[2J") == std::string::npos, err.str().c_str());
    QCOMPARE(log.printed(),
             std::string("\x1b[2Jresult\n")); // for files, which have rules of their own
}

void TerminalTextTest::errorsAreEscaped()
{
    const std::string text = textForUser(
        {Error::Kind::Model, "node \"\x1b[31m\"", "m.onnx", std::source_location::current()});
    QVERIFY2(text.find('\x1b') == std::string::npos, text.c_str());
}

GRAPHLOOM_TESTS(TerminalTextTest)

} // namespace graphloom::test::terminal_text_test

#include "terminal_text_test.moc"
