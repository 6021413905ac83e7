// SPDX-License-Identifier: Apache-2.0
// The table against the definitions in the installed ONNX library.
#include "engine/ir/model.h"
#include "engine/ops/describe/operator_table.h"
#include "tests/support/test_program.h"

#include <onnx/defs/schema.h>

#include <QTest>
#include <limits>

namespace graphloom::test::operator_table_test {

class OperatorTableTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void takesAndGivesWhatOnnxSays_data();
    void takesAndGivesWhatOnnxSays();
    void findsTheFormOfAnOperatorSet();
    void kernelsAreForOpaqueCalls();
};

void OperatorTableTest::takesAndGivesWhatOnnxSays_data()
{
    QTest::addColumn<QString>("name");
    for (const onnx::OpSchema &schema : onnx::OpSchemaRegistry::get_all_schemas())
        if (schema.domain().empty() && !schema.Deprecated() && schema.Name() != "Constant")
            QTest::newRow(schema.Name().c_str()) << QString::fromStdString(schema.Name());
}

void OperatorTableTest::takesAndGivesWhatOnnxSays()
{
    QFETCH(QString, name);
    const onnx::OpSchema *schema =
        onnx::OpSchemaRegistry::Schema(name.toStdString(), int(normalOpset));
    QVERIFY(schema);
    const Operator *entry = findOperator("", name.toStdString(), normalOpset);
    QVERIFY2(entry, "is not in the operator table");
    constexpr int any = std::numeric_limits<int>::max();
    QVERIFY2((entry->mostInputs < 0 ? any : entry->mostInputs) >= schema->max_input(),
             "takes fewer inputs");
    QVERIFY2(entry->leastInputs <= std::max(schema->min_input(), 1), "needs more inputs");
    QVERIFY2((entry->outputs < 0 ? any : entry->outputs) >= schema->max_output(),
             "gives fewer outputs");
}

void OperatorTableTest::findsTheFormOfAnOperatorSet()
{
    QVERIFY(!findOperator("", "Gelu", 19));
    QVERIFY(findOperator("", "Gelu", 20));
    QVERIFY(findOperator("com.microsoft", "Gelu", 1));
    QVERIFY(!findOperator("", "NotOfOnnx", normalOpset));
}

void OperatorTableTest::kernelsAreForOpaqueCalls()
{
    QVERIFY(operatorTable().size() > 200);
    for (const Operator &entry : operatorTable()) {
        const std::string label = std::string(entry.domain) + "." + std::string(entry.name);
        QVERIFY2(entry.describe, label.c_str());
        QVERIFY2(!(entry.kernel && entry.valueKernel), (label + " has two kernels").c_str());
    }
}

GRAPHLOOM_TESTS(OperatorTableTest)

} // namespace graphloom::test::operator_table_test

#include "operator_table_test.moc"
