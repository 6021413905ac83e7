// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtTest>

/// Tests of one folder are one program, which has one of them to do at a time:
/// `tests_engine_ir engine.ir.graph [QtTest's options]`. So a test is a process of its own, but
/// what its folder has in common is compiled and linked once.
namespace graphloom::testing {

using TestMain = int (*)(int argc, char **argv);

/// Has a test that main() can start; `file` is the source file that says so.
class TestEntry {
public:
    TestEntry(const char *file, TestMain run);
};

template <class Tests> int runTests(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    Tests tests;
    return QTest::qExec(&tests, argc, argv);
}

} // namespace graphloom::testing

/// The last line but one of a test, before it includes what moc made of it.
#define GRAPHLOOM_TESTS(Tests)                                                                     \
    static const graphloom::testing::TestEntry entryOf##Tests(                                     \
        __FILE__, graphloom::testing::runTests<Tests>);
