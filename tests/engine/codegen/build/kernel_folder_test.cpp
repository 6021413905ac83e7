// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/kernel_folder.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace graphloom::test::kernel_folder_test {

namespace fs = std::filesystem;

/// A folder with two kernels, and what does not belong to kernels.
class KernelFolderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_temporary = std::make_unique<QTemporaryDir>();
        m_folder = m_temporary->filePath("kernels").toStdString();
        fs::create_directories(m_folder / "sub");
        for (const char *name : {"a.so", "a.c", "a.ran", "b.so", "note.txt", "sub/c.so"})
            std::ofstream(m_folder / name) << "1234";
    }

    void theUseIsThatOfKernels()
    {
        const KernelFolderUse use = useOf(m_folder);
        QCOMPARE(use.kernels, std::size_t{2});
        QCOMPARE(use.bytes, std::uint64_t{16});
    }

    void aFolderThatIsNotThereTakesNothing()
    {
        QCOMPARE(useOf(m_folder / "none").bytes, std::uint64_t{0});
    }

    void kernelsAreRemoved()
    {
        const auto removed = clearKernels(m_folder);
        QVERIFY2(removed, removed ? "" : removed.error().text().c_str());
        QCOMPARE(removed->kernels, std::size_t{2});
        QCOMPARE(removed->bytes, std::uint64_t{16});
        QCOMPARE(useOf(m_folder).bytes, std::uint64_t{0});
    }

    void otherFilesStay()
    {
        QVERIFY(clearKernels(m_folder));
        QVERIFY(fs::exists(m_folder / "note.txt") && fs::exists(m_folder / "sub" / "c.so"));
    }

    void nothingIsRemovedFromAFolderThatIsNotThere()
    {
        const auto removed = clearKernels(m_folder / "none");
        QVERIFY2(removed, removed ? "" : removed.error().text().c_str());
        QCOMPARE(removed->kernels, std::size_t{0});
    }

    void aFolderThatCannotBeListedIsSaid()
    {
        const auto removed = clearKernels(m_folder / "note.txt");
        QVERIFY(!removed);
        QCOMPARE(removed.error().kind, Error::Kind::Missing);
        const QString error = QString::fromStdString(removed.error().text());
        QVERIFY2(error.contains("cannot be listed") && error.contains("note.txt"),
                 qPrintable(error));
    }

private:
    std::unique_ptr<QTemporaryDir> m_temporary;
    fs::path m_folder;
};

GRAPHLOOM_TESTS(KernelFolderTest)

} // namespace graphloom::test::kernel_folder_test

#include "kernel_folder_test.moc"
