// SPDX-License-Identifier: Apache-2.0
#include "tests/support/conformance.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTest>
#include <map>

namespace graphloom::test::conformance_test {

/// ONNX's backend tests, as the distribution packages them, one row each. Those that cannot pass
/// are listed in conformance_exceptions.txt, with why.
class ConformanceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void givesTheExpectedOutputs_data();
    void givesTheExpectedOutputs();
    void knowsEveryException();
    void cleanupTestCase();

private:
    std::vector<std::string> m_tests;
    std::map<std::string, std::string> m_exceptions;           // test: why it does not pass
    std::map<std::string, std::vector<std::string>> m_lacking; // why: tests
    std::size_t m_passed = 0;
};

void ConformanceTest::initTestCase()
{
    m_tests = conformanceTests(conformanceRoot());
    if (m_tests.empty())
        QSKIP("the backend tests of ONNX are not installed (package libonnx-testdata)");
    QFile list(GRAPHLOOM_CONFORMANCE_EXCEPTIONS);
    QVERIFY2(list.open(QIODevice::ReadOnly), "conformance_exceptions.txt is missing");
    while (!list.atEnd()) {
        const QString line = QString::fromUtf8(list.readLine()).trimmed();
        if (line.isEmpty() || line.startsWith('#'))
            continue;
        const auto colon = line.indexOf(": ");
        QVERIFY2(colon > 0, qPrintable("not of the form \"test: why\": " + line));
        m_exceptions[line.left(colon).toStdString()] = line.mid(colon + 2).toStdString();
    }
}

void ConformanceTest::givesTheExpectedOutputs_data()
{
    QTest::addColumn<QString>("why");
    for (const std::string &test : m_tests) {
        const auto exception = m_exceptions.find(test);
        QTest::newRow(test.c_str())
            << (exception == m_exceptions.end() ? QString()
                                                : QString::fromStdString(exception->second));
    }
}

void ConformanceTest::givesTheExpectedOutputs()
{
    QFETCH(QString, why);
    const std::string name = QTest::currentDataTag();
    const ConformanceOutcome outcome = runConformanceTest(conformanceRoot() / name);
    const QString reason = QString::fromStdString(outcome.reason);
    if (outcome.kind == ConformanceOutcome::Kind::Wrong)
        QVERIFY2(!why.isEmpty() && why.endsWith(reason), qPrintable(reason));
    else
        QCOMPARE(reason, why);
    if (outcome.kind == ConformanceOutcome::Kind::Passed)
        ++m_passed;
    else
        m_lacking[why.toStdString()].push_back(name);
}

void ConformanceTest::knowsEveryException()
{
    QVERIFY(!m_exceptions.empty());
    for (const auto &[name, why] : m_exceptions)
        QVERIFY2(std::ranges::find(m_tests, name) != m_tests.end(),
                 (name + " is no backend test").c_str());
}

void ConformanceTest::cleanupTestCase()
{
    for (const auto &[reason, names] : m_lacking) {
        QString line = QString::fromStdString(reason) + ":";
        for (const std::string &name : names)
            line += " " + QString::fromStdString(name);
        qInfo().noquote() << line;
    }
    std::size_t excepted = 0;
    for (const auto &[reason, names] : m_lacking)
        excepted += names.size();
    qInfo("%zu backend tests: %zu pass (%.1f %%), %zu cannot for the reasons above, %zu fail",
          m_tests.size(), m_passed, 100 * double(m_passed) / double(m_tests.size()), excepted,
          m_tests.size() - m_passed - excepted);
}

GRAPHLOOM_TESTS(ConformanceTest)

} // namespace graphloom::test::conformance_test

#include "conformance_test.moc"
