// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/kernel_cache.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <sstream>
#include <thread>

using namespace graphloom;
namespace fs = std::filesystem;

namespace {

/// A kernel that adds `value` to each of its tasks' elements.
std::string adding(int value)
{
    return "#include <stdint.h>\n"
           "void add(void *const *buffers, char *scratch, int64_t first, int64_t last,\n"
           "         int32_t *status)\n"
           "{\n"
           "    float *data = buffers[0];\n"
           "    (void)scratch; (void)status;\n"
           "    for (int64_t i = first; i < last; ++i) data[i] += " +
           std::to_string(value) + ";\n}\n";
}

/// What the library's kernel makes of zero.
float resultOf(const fs::path &library)
{
    const auto opened = KernelLibrary::open(library);
    const auto kernel = opened ? opened->kernel("add") : tl::unexpected(opened.error());
    if (!kernel)
        return -1;
    float data[2] = {0, 0};
    void *buffers[] = {data};
    std::int32_t status = 0;
    (*kernel)(buffers, nullptr, 1, 2, &status);
    return data[0] == 0 ? data[1] : -1;
}

std::uint64_t bytesIn(const fs::path &folder)
{
    std::uint64_t bytes = 0;
    for (const auto &file : fs::directory_iterator(folder))
        bytes += file.file_size();
    return bytes;
}

std::size_t filesIn(const fs::path &folder)
{
    return std::size_t(std::distance(fs::directory_iterator(folder), {}));
}

constexpr std::uint64_t plenty = 1 << 30;
constexpr double patience = 60;

} // namespace

class KernelCacheTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const auto found = findCCompiler(nullptr);
        if (!found)
            QSKIP("needs gcc or clang");
        m_compiler = *found;
    }
    void init()
    {
        m_parent = std::make_unique<QTemporaryDir>();
        m_folder = fs::path(m_parent->path().toStdString()) / "new" / "kernels";
    }
    void missesAreCompiled();
    void hitsAreNot();
    void sourceFlagsAndCompilerTellKernelsApart();
    void failedCompilationsLeaveNothing();
    void theLeastRecentlyUsedGoFirst();
    void whatWasJustBuiltStays();
    void severalSourcesComeInTheirOrder();
    void severalCachesShareAFolder();
    void unwritableFoldersAreMissing();
    void librariesStayWhileUsed();
    void brokenLibrariesAndNamesAreRefused();
    void theDefaultFolderIsTheCacheOfTheUser();

private:
    Result<fs::path> build(KernelCache &cache, int value, std::vector<std::string> flags = {"-O1"})
    {
        return cache.library(m_compiler, adding(value), flags, {}, patience);
    }
    CCompiler m_compiler;
    std::unique_ptr<QTemporaryDir> m_parent;
    fs::path m_folder;
};

void KernelCacheTest::missesAreCompiled()
{
    KernelCache cache(m_folder, plenty);
    const auto library = build(cache, 3);
    QVERIFY2(library, library ? "" : library.error().text().c_str());
    QCOMPARE(resultOf(*library), 3.0F);
    fs::path source = *library;
    source.replace_extension(".c");
    std::ostringstream text;
    text << std::ifstream(source).rdbuf();
    QCOMPARE(text.str(), adding(3));
    QCOMPARE(filesIn(m_folder), std::size_t(2));
}

void KernelCacheTest::hitsAreNot()
{
    KernelCache cache(m_folder, plenty);
    const auto first = build(cache, 3);
    QVERIFY(first);
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
    fs::last_write_time(*first, old);
    m_compiler.program = "/nonexistent/cc"; // would fail
    const auto second =
        KernelCache(m_folder, plenty).library(m_compiler, adding(3), {"-O1"}, {}, patience);
    initTestCase();
    QVERIFY(second);
    QCOMPARE(*second, *first);
    QVERIFY(fs::last_write_time(*first) > old);
}

void KernelCacheTest::sourceFlagsAndCompilerTellKernelsApart()
{
    KernelCache cache(m_folder, plenty);
    const auto one = build(cache, 1), two = build(cache, 2), flags = build(cache, 1, {"-O2"}),
               split = build(cache, 1, {"-O", "1"});
    CCompiler newer = m_compiler;
    newer.version += " (patched)";
    const auto compiler = cache.library(newer, adding(1), {"-O1"}, {}, patience);
    QVERIFY(one && two && flags && compiler);
    QVERIFY(!split); // "1" is no file, and "-O1" in the cache is something else
    QCOMPARE(std::set({*one, *two, *flags, *compiler}).size(), std::size_t(4));
}

void KernelCacheTest::failedCompilationsLeaveNothing()
{
    KernelCache cache(m_folder, plenty);
    const auto library = cache.library(m_compiler, "no C", {}, {}, patience);
    QVERIFY(!library);
    QCOMPARE(library.error().kind, Error::Kind::Fault);
    QCOMPARE(filesIn(m_folder), std::size_t(0));
}

void KernelCacheTest::theLeastRecentlyUsedGoFirst()
{
    KernelCache large(m_folder, plenty);
    std::vector<fs::path> paths;
    for (int i = 0; i < 4; ++i) {
        paths.push_back(*build(large, i));
        for (const char *extension : {".so", ".c"})
            fs::last_write_time(paths.back().replace_extension(extension),
                                fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
        paths.back().replace_extension(".so");
    }
    QVERIFY(build(large, 0)); // used again: no longer the oldest
    const std::uint64_t limit = bytesIn(m_folder);
    KernelCache small(m_folder, limit);
    const auto added = build(small, 9);
    QVERIFY(added);
    QVERIFY(bytesIn(m_folder) <= limit);
    QVERIFY(fs::exists(*added));
    QVERIFY(fs::exists(paths[0]));
    QVERIFY(!fs::exists(paths[1]));
    QVERIFY(!fs::exists(paths[1].replace_extension(".c")));
    QVERIFY(fs::exists(paths[3]));
}

void KernelCacheTest::whatWasJustBuiltStays()
{
    KernelCache cache(m_folder, 1);
    for (int i = 0; i < 3; ++i) {
        const auto library = build(cache, i);
        QVERIFY(library);
        QCOMPARE(resultOf(*library), float(i));
        QCOMPARE(filesIn(m_folder), std::size_t(2));
    }
}

void KernelCacheTest::severalSourcesComeInTheirOrder()
{
    KernelCache cache(m_folder, plenty);
    std::vector<std::string> sources;
    for (int i = 0; i < 6; ++i)
        sources.push_back(i == 4 ? "no C" : adding(i));
    const auto libraries = cache.libraries(m_compiler, sources, {"-O1"}, 3, {}, patience);
    QCOMPARE(libraries.size(), sources.size());
    for (int i = 0; i < 6; ++i)
        if (i == 4)
            QVERIFY(!libraries[4]);
        else
            QCOMPARE(resultOf(*libraries[std::size_t(i)]), float(i));
}

void KernelCacheTest::severalCachesShareAFolder()
{
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                KernelCache cache(m_folder, plenty);
                const auto library = build(cache, 5);
                right += library && resultOf(*library) == 5.0F;
            });
    }
    QCOMPARE(right.load(), 4);
    QCOMPARE(filesIn(m_folder), std::size_t(2));
}

void KernelCacheTest::unwritableFoldersAreMissing()
{
    const fs::path file = fs::path(m_parent->path().toStdString()) / "file";
    std::ofstream(file) << "no folder";
    KernelCache cache(file / "kernels", plenty);
    const auto library = build(cache, 1);
    QVERIFY(!library);
    QCOMPARE(library.error().kind, Error::Kind::Missing);
    QCOMPARE(library.error().where, (file / "kernels").string());
    QVERIFY2(library.error().message.find("cannot be kept here: Not a directory") !=
                 std::string::npos,
             library.error().message.c_str());
}

void KernelCacheTest::librariesStayWhileUsed()
{
    KernelCache cache(m_folder, plenty);
    auto opened = KernelLibrary::open(*build(cache, 8));
    QVERIFY(opened);
    const KernelLibrary copy = *opened;
    opened = tl::unexpected(Error{});
    fs::remove_all(m_folder);
    const auto kernel = copy.kernel("add");
    QVERIFY(kernel);
    float data[1] = {1};
    void *buffers[] = {data};
    std::int32_t status = 0;
    (*kernel)(buffers, nullptr, 0, 1, &status);
    QCOMPARE(data[0], 9.0F);
}

void KernelCacheTest::brokenLibrariesAndNamesAreRefused()
{
    KernelCache cache(m_folder, plenty);
    const auto opened = KernelLibrary::open(*build(cache, 8));
    QVERIFY(opened);
    const auto kernel = opened->kernel("nowhere");
    QVERIFY(!kernel);
    QVERIFY(kernel.error().message.find("nowhere") != std::string::npos);
    const fs::path text = m_folder / "text.so";
    std::ofstream(text) << "no library";
    const auto broken = KernelLibrary::open(text);
    QVERIFY(!broken);
    QCOMPARE(broken.error().where, text.string());
}

void KernelCacheTest::theDefaultFolderIsTheCacheOfTheUser()
{
    QCOMPARE(*defaultKernelFolder("/cache", "/home/ada"), fs::path("/cache/graphloom/kernels"));
    for (const char *ignored : {"", "relative"})
        QCOMPARE(*defaultKernelFolder(ignored, "/home/ada"),
                 fs::path("/home/ada/.cache/graphloom/kernels"));
    QVERIFY(!defaultKernelFolder("", ""));
}

GRAPHLOOM_TESTS(KernelCacheTest)
#include "kernel_cache_test.moc"
