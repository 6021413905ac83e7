// SPDX-License-Identifier: Apache-2.0
#include "engine/archive/byte_stream.h"

#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>
#include <limits>

namespace graphloom::test::byte_stream_test {

class ByteStreamTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void numbersComeBack()
    {
        ByteWriter out;
        const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
        for (const std::uint64_t value :
             {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128}, most})
            out.number(value);
        const std::string bytes = out.take();
        QCOMPARE(bytes.size(), std::size_t(1 + 1 + 2 + 10));
        ByteReader in(bytes);
        QCOMPARE(in.number(), std::uint64_t{0});
        QCOMPARE(in.number(), std::uint64_t{127});
        QCOMPARE(in.number(), std::uint64_t{128});
        QCOMPARE(in.number(), most);
        QVERIFY(in.atEnd() && !in.failed());
    }

    void integersComeBack()
    {
        ByteWriter out;
        const std::int64_t least = std::numeric_limits<std::int64_t>::min();
        for (const std::int64_t value : {std::int64_t{-1}, std::int64_t{64}, least, ~least})
            out.integer(value);
        const std::string bytes = out.take();
        ByteReader in(bytes);
        QCOMPARE(in.integer(), std::int64_t{-1});
        QCOMPARE(in.integer(), std::int64_t{64});
        QCOMPARE(in.integer(), least);
        QCOMPARE(in.integer(), ~least);
        QVERIFY(in.atEnd() && !in.failed());
    }

    void realsAndTextsComeBack()
    {
        ByteWriter out;
        out.real(-0.1);
        out.text(std::string("a\0b", 3));
        out.real(2.5f);
        const std::string bytes = out.take();
        ByteReader in(bytes);
        QCOMPARE(in.real(), -0.1);
        QCOMPARE(in.text(), std::string("a\0b", 3));
        QCOMPARE(in.realFloat(), 2.5f);
        QVERIFY(in.atEnd() && !in.failed());
    }

    void endsTooEarly()
    {
        ByteReader in(std::string_view("\x05gra", 4));
        QCOMPARE(in.text(), std::string());
        QVERIFY(in.failed());
        QCOMPARE(in.number(), std::uint64_t{0}); // and so does all that follows
    }

    void countsAreBounded()
    {
        ByteWriter out;
        out.number(std::uint64_t{1} << 60);
        const std::string bytes = out.take();
        ByteReader in(bytes);
        QCOMPARE(in.count(), std::size_t{0});
        QVERIFY(in.failed());
    }

    void refusesEndlessNumbers()
    {
        const std::string bytes(20, '\xff');
        ByteReader in(bytes);
        in.number();
        QVERIFY(in.failed());
    }

    void keepsTheFirstProblem()
    {
        ByteReader in("x");
        in.refuse("is odd");
        in.refuse("is even");
        QCOMPARE(in.problem(), std::string("is odd"));
    }
};

GRAPHLOOM_TESTS(ByteStreamTest)

} // namespace graphloom::test::byte_stream_test

#include "byte_stream_test.moc"
