// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification/image_fields.h"

#include "tests/support/app/window_driver.h"

#include <QLineEdit>

#include <memory>

namespace graphloom::test::image_fields_test {

class ImageFieldsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_fields = std::make_unique<ImageFields>(); }

    void numbersComeBackAsTheyWere_data()
    {
        QTest::addColumn<double>("deviation");
        QTest::newRow("of 0 to 255") << 1 / 255.0;
        QTest::newRow("of the user") << 1 / 3.0;
    }
    void numbersComeBackAsTheyWere()
    {
        QFETCH(double, deviation);
        ImageOptions options;
        options.deviation = {deviation, deviation, deviation};
        m_fields->setOptions(options);
        const auto read = m_fields->options();
        QVERIFY(read);
        QCOMPARE(read->deviation[0], deviation);
        QVERIFY(*read == options); // exactly
    }

    void whatIsNoNumberIsRefused_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {" ", "x", "1, 2", "inf", "nan", "1e999"})
            QTest::newRow(text) << QString::fromLatin1(text);
    }
    void whatIsNoNumberIsRefused()
    {
        QFETCH(QString, text);
        m_fields->findChild<QLineEdit *>(QStringLiteral("imageMean"))->setText(text);
        QVERIFY(!m_fields->options());
    }

private:
    std::unique_ptr<ImageFields> m_fields;
};

GRAPHLOOM_WINDOW_TESTS(ImageFieldsTest)

} // namespace graphloom::test::image_fields_test

#include "image_fields_test.moc"
