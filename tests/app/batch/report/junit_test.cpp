// SPDX-License-Identifier: Apache-2.0
#include "app/batch/report/junit.h"

#include "tests/support/test_program.h"

#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

namespace graphloom::test::junit_test {

namespace {

/// An element as a parser sees it.
struct Element {
    QString name;
    QXmlStreamAttributes attributes;
    QString text;
    std::vector<Element> children;
};

Element elementOf(QXmlStreamReader &reader)
{
    Element element{reader.name().toString(), reader.attributes(), {}, {}};
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement())
            element.children.push_back(elementOf(reader));
        else if (reader.isCharacters())
            element.text += reader.text();
        else if (reader.isEndElement())
            break;
    }
    return element;
}

/// Fails where it is no XML.
Element rootOf(const std::string &xml)
{
    QXmlStreamReader reader(QByteArray::fromStdString(xml));
    reader.readNextStartElement();
    Element root = elementOf(reader);
    if (reader.hasError())
        qFatal("%s", qPrintable(reader.errorString()));
    return root;
}

const std::vector<Check> checks = {
    {"pass", "ago", Check::Outcome::Passed, {}, 0.5, "4 subgraphs"},
    {"assert", "a < b && c", Check::Outcome::Failed, "a is \"3\"", 0, {}},
    {"batch", "export", Check::Outcome::Error, "no\nplace", 0.25, {}},
    {"output",
     "export",
     Check::Outcome::Skipped,
     "not written: an assertion or baseline comparison failed",
     0,
     {}}};

JunitSuite suite()
{
    return {"m.onnx",
            {{"model.hash", "12ab"}, {"environment.cpu", "A & B"}},
            "line 1\nline 2\n",
            std::chrono::system_clock::time_point(std::chrono::seconds(1'700'000'000)),
            1.5};
}

} // namespace

class JunitTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsAllChecks();
    void countsAgreeWithCases();
    void hasPropertiesAndOutput();
    void followsTheSchema();
    void survivesAnyBytes();
};

void JunitTest::holdsAllChecks()
{
    QStringList names, problems;
    const Element root = rootOf(junitOf(suite(), checks));
    for (const Element &element : root.children[0].children) {
        if (element.name != "testcase")
            continue;
        names << element.attributes.value("classname").toString() + '/' +
                     element.attributes.value("name").toString() + '/' +
                     element.attributes.value("time").toString();
        for (const Element &child : element.children)
            problems << child.name + ": " +
                            (child.name == "system-out"
                                 ? child.text
                                 : child.attributes.value("message").toString());
    }
    QCOMPARE(names, (QStringList{"graphloom.pass/ago/0.500", "graphloom.assert/a < b && c/0.000",
                                 "graphloom.batch/export/0.250", "graphloom.output/export/0.000"}));
    QCOMPARE(problems,
             (QStringList{"system-out: 4 subgraphs", "failure: a is \"3\"", "error: no\nplace",
                          "skipped: not written: an assertion or baseline comparison failed"}));
}

void JunitTest::countsAgreeWithCases()
{
    const Element root = rootOf(junitOf(suite(), checks));
    for (const Element *element : {&root, &root.children[0]}) {
        QCOMPARE(element->attributes.value("tests").toInt(), 4);
        QCOMPARE(element->attributes.value("failures").toInt(), 1);
        QCOMPARE(element->attributes.value("errors").toInt(), 1);
        QCOMPARE(element->attributes.value("skipped").toInt(), 1);
        QCOMPARE(element->attributes.value("time").toDouble(), 1.5);
    }
    JunitSuite untimed = suite();
    untimed.seconds = 0;
    QCOMPARE(rootOf(junitOf(untimed, checks)).attributes.value("time").toDouble(), 0.75);
}

void JunitTest::hasPropertiesAndOutput()
{
    const Element element = rootOf(junitOf(suite(), checks)).children[0];
    const Element &properties = element.children.front();
    QCOMPARE(properties.name, QString("properties"));
    QCOMPARE(properties.children.size(), std::size_t(2));
    QCOMPARE(properties.children[1].attributes.value("name").toString(),
             QString("environment.cpu"));
    QCOMPARE(properties.children[1].attributes.value("value").toString(), QString("A & B"));
    QCOMPARE(element.children.back().name, QString("system-out"));
    QCOMPARE(element.children.back().text, QString("line 1\nline 2\n"));
}

/// The rules of the schemas of Surefire and of Jenkins' plugin: which elements and attributes there
/// may be, which there must be, and in which order.
void JunitTest::followsTheSchema()
{
    const Element root = rootOf(junitOf(suite(), checks));
    QCOMPARE(root.name, QString("testsuites"));
    QCOMPARE(root.children.size(), std::size_t(1));
    const Element &element = root.children[0];
    QCOMPARE(element.name, QString("testsuite"));
    static const QStringList suiteAttributes{"name",    "tests", "failures", "errors",
                                             "skipped", "time",  "timestamp"};
    for (const auto &attribute : element.attributes)
        QVERIFY(suiteAttributes.contains(attribute.name()));
    static const QRegularExpression dateTime("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$");
    QVERIFY(dateTime.match(element.attributes.value("timestamp").toString()).hasMatch());
    static const QStringList order{"properties", "testcase", "system-out"};
    int reached = 0;
    for (const Element &child : element.children) {
        const int place = int(order.indexOf(child.name));
        QVERIFY(place >= reached);
        reached = place;
    }
    static const QStringList caseAttributes{"classname", "name", "time"};
    static const QStringList problems{"failure", "error", "skipped", "system-out"};
    for (const Element &child : element.children) {
        if (child.name != "testcase")
            continue;
        QCOMPARE(child.attributes.size(), 3);
        for (const auto &attribute : child.attributes)
            QVERIFY(caseAttributes.contains(attribute.name()));
        for (const Element &problem : child.children) {
            QVERIFY(problems.contains(problem.name));
            if (problem.name == "failure" || problem.name == "error")
                QVERIFY(problem.attributes.value("type").startsWith(QString("graphloom.")));
        }
    }
}

void JunitTest::survivesAnyBytes()
{
    std::string bytes;
    for (int c = 1; c < 256; ++c)
        bytes += char(c);
    bytes += "\xed\xa0\x80\xef\xbf\xbf"; // a surrogate and what is no character
    bytes += "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x98\xe2\x82";
    const Element root = rootOf(junitOf({bytes, {{bytes, bytes}}, bytes, {}, 0},
                                        {{"x", bytes, Check::Outcome::Failed, bytes, 0, bytes}}));
    const QString message =
        root.children[0].children[1].children[0].attributes.value("message").toString();
    QVERIFY(message.endsWith(QString::fromUtf8("\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x98") + "??"));
    QVERIFY(!message.contains(QChar(0xd800)) && !message.contains(QChar(0xffff)));
}

GRAPHLOOM_TESTS(JunitTest)

} // namespace graphloom::test::junit_test

#include "junit_test.moc"
