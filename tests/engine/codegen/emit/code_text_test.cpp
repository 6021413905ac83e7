// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/emit/code_text.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::code_text_test {

class CodeTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesAreReplacedAsAWhole();
    void statementsOfPiecesAlternate();
    void whatPiecesShareComesFirst();
    void namesAreDeclaredBeforeTheyAreUsed();
};

void CodeTextTest::namesAreReplacedAsAWhole()
{
    const auto other = [](std::string_view name) {
        return name == "vf" ? std::string("vh") : std::string(name);
    };
    QCOMPARE(withNames("const vf vf2 = (vf){x, 1.0f};\n", other),
             std::string("const vh vf2 = (vh){x, 1.0f};\n"));
}

void CodeTextTest::statementsOfPiecesAlternate()
{
    QCOMPARE(sideBySide({"const vf v1 = f(a);\nput(v1);\n", "const vf v2 = f(b);\nput(v2);\n"}),
             std::string("const vf v1 = f(a);\nconst vf v2 = f(b);\nput(v1);\nput(v2);\n"));
}

void CodeTextTest::whatPiecesShareComesFirst()
{
    QCOMPARE(sideBySide({"const vf v1 = x[0];\nconst vf v2 = f(a, v1);\nput(v2);\n",
                         "const vf v3 = f(b, v1);\nput(v3);\n"}),
             std::string("const vf v1 = x[0];\nconst vf v2 = f(a, v1);\nconst vf v3 = f(b, v1);\n"
                         "put(v2);\nput(v3);\n"));
}

void CodeTextTest::namesAreDeclaredBeforeTheyAreUsed()
{
    // The second piece uses a name of the first one earlier than that declares it.
    const std::string first = "const vf v1 = x[0];\nput(v1);\n",
                      second = "const vf v2 = f(v1);\nconst vf v3 = g(v2);\nput(v3);\n";
    QCOMPARE(sideBySide({first, second}), first + second);
}

GRAPHLOOM_TESTS(CodeTextTest)

} // namespace graphloom::test::code_text_test

#include "code_text_test.moc"
