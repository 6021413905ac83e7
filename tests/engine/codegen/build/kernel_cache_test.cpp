// SPDX-License-Identifier: Apache-2.0
#include "engine/codegen/build/kernel_cache.h"

#include "engine/codegen/build/library_image.h"
#include "engine/codegen/build/sealed_file.h"
#include "engine/codegen/emit/prelude.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cstring>
#include <fstream>
#include <link.h>
#include <random>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace graphloom::test::kernel_cache_test {

namespace fs = std::filesystem;

namespace {

/// A kernel that adds `value` to each of its tasks' elements.
KernelSource adding(int value)
{
    return {"#include <stdint.h>\n"
            "void add(void *const *buffers, char *scratch, int64_t first, int64_t last,\n"
            "         int32_t *status)\n"
            "{\n"
            "    float *data = buffers[0];\n"
            "    (void)scratch; (void)status;\n"
            "    for (int64_t i = first; i < last; ++i) data[i] += " +
                std::to_string(value) + ";\n}\n",
            {"add"}};
}

/// What the library's kernel makes of zero; -1: it has none, or writes where it should not.
float resultOf(const KernelLibrary &library)
{
    const auto kernel = library.kernel("add");
    if (!kernel)
        return -1;
    float data[2] = {0, 0};
    void *buffers[] = {data};
    std::int32_t status = 0;
    (*kernel)(buffers, nullptr, 1, 2, &status);
    return data[0] == 0 ? data[1] : -1;
}

float resultOf(const fs::path &library)
{
    const auto opened = KernelLibrary::open(library);
    return opened ? resultOf(*opened) : -1;
}

/// Returns what the folder keeps: everything but the headers that a cache compiles for itself.
std::vector<fs::path> entriesIn(const fs::path &folder)
{
    const auto isHeader = [](const fs::path &path) { return path.extension() == ".gch"; };
    std::vector<fs::path> entries;
    for (const auto &entry : fs::directory_iterator(folder))
        if (!entry.is_directory() || std::ranges::none_of(fs::directory_iterator(entry), isHeader))
            entries.push_back(entry);
    return entries;
}

std::uint64_t bytesIn(const fs::path &folder)
{
    std::uint64_t bytes = 0;
    for (const fs::path &entry : entriesIn(folder))
        bytes += fs::file_size(entry);
    return bytes;
}

std::size_t filesIn(const fs::path &folder)
{
    return entriesIn(folder).size();
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
    void functionsAreFoundInTheirLibrary();
    void notesThatLeadNowhereAreNotTaken();
    void notesNameTheLatestLibrary();
    void notesAreTheirOwners();
    void severalCachesShareAFolder();
    void unwritableFoldersAreMissing();
    void librariesStayWhileUsed();
    void brokenLibrariesAndNamesAreRefused();
    void theDefaultFolderIsTheCacheOfTheUser();
    void whatACompilerLeavesIsLookedAt_data();
    void whatACompilerLeavesIsLookedAt();
    void tablesOutsideOfTheFileAreFound();
    void damagedLibrariesAreMadeAnew_data();
    void damagedLibrariesAreMadeAnew();
    void randomDamageIsFound();
    void whatIsLoadedDoesNotChangeWithItsFile();
    void foldersAndFilesAreTheirOwners();
    void foldersThatOthersMayWriteAreRefused();
    void foldersOfOthersAreRefused();
    void withoutItsFolderAnotherIsTaken();
    void whatKilledCompilersLeftIsRemoved();
    void headersAreCompiledOnce();
    void withoutCompiledHeadersTheTextIsRead();

private:
    Result<fs::path> build(KernelCache &cache, int value, std::vector<std::string> flags = {"-O1"})
    {
        return cache.library(m_compiler, adding(value), flags, {}, patience);
    }
    /// A cache with one library, which is damaged; what is then made of it, and how often a damaged
    /// one was found.
    template <class Damage> std::pair<float, int> afterDamage(Damage damage)
    {
        int found = 0;
        KernelCacheEvents events;
        events.rebuilt = [&](const std::string &) { ++found; };
        KernelCache cache(m_folder, plenty, events);
        const auto first = build(cache, 3);
        if (!first || found > 0)
            return {-1, -1};
        damage(*first);
        const auto second = build(cache, 3);
        return {second ? resultOf(*second) : -1, found};
    }
    static KernelSource withHeaders(int value)
    {
        KernelSource source = adding(value);
        source.text.insert(0, cPreludeHeaders());
        return source;
    }
    CCompiler noting(const fs::path &notes, const std::string &refusing) const;
    static QStringList linesOf(const fs::path &file)
    {
        QFile content(QString::fromStdString(file.string()));
        return content.open(QIODevice::ReadOnly)
                   ? QString::fromUtf8(content.readAll()).split('\n', Qt::SkipEmptyParts)
                   : QStringList();
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
    QCOMPARE(text.str(), adding(3).text);
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
    const auto library = cache.library(m_compiler, {"no C"}, {}, {}, patience);
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
    std::vector<KernelSource> sources;
    for (int i = 0; i < 6; ++i)
        sources.push_back(i == 4 ? KernelSource{"no C"} : adding(i));
    const auto libraries = cache.libraries(m_compiler, sources, {"-O1"}, 3, {}, patience);
    QCOMPARE(libraries.size(), sources.size());
    for (int i = 0; i < 6; ++i)
        if (i == 4)
            QVERIFY(!libraries[4]);
        else
            QCOMPARE(resultOf(*libraries[std::size_t(i)]), float(i));
}

void KernelCacheTest::functionsAreFoundInTheirLibrary()
{
    KernelSource source = adding(1);
    source.common = "all that it depends on";
    const std::vector<std::string> flags{"-O1"}, symbols{"add", "other"};
    KernelCache cache(m_folder, plenty);
    QVERIFY(!cache.libraryOf(m_compiler, source.common, flags, "add"));
    const auto library = cache.library(m_compiler, source, flags, {}, patience);
    QVERIFY(library);
    QCOMPARE(cache.libraryOf(m_compiler, source.common, flags, "add"), std::optional(*library));
    KernelCache other(m_folder, plenty); // as of another program
    QVERIFY(!other.libraryOf(m_compiler, source.common, flags, "add"));
    cache.note(m_compiler, source.common, flags, symbols);
    QCOMPARE(other.libraryOf(m_compiler, source.common, flags, "add"), std::optional(*library));
    QVERIFY(!other.libraryOf(m_compiler, source.common, flags, "other"));
    QVERIFY(!other.libraryOf(m_compiler, source.common, {"-O2"}, "add"));
    QVERIFY(!other.libraryOf(m_compiler, "something else", flags, "add"));
}

void KernelCacheTest::notesThatLeadNowhereAreNotTaken()
{
    KernelSource source = adding(1);
    source.common = "all that it depends on";
    const std::vector<std::string> flags{"-O1"}, symbols{"add"};
    KernelCache cache(m_folder, plenty);
    const auto library = cache.library(m_compiler, source, flags, {}, patience);
    QVERIFY(library);
    cache.note(m_compiler, source.common, flags, symbols);
    const KernelCache other(m_folder, plenty);
    fs::rename(*library, m_folder / "moved.so");
    QVERIFY(!other.libraryOf(m_compiler, source.common, flags, "add"));
    fs::rename(m_folder / "moved.so", *library);
    for (const fs::path &file : entriesIn(m_folder))
        if (file.extension() == ".at")
            std::ofstream(file) << "../" << library->stem().string();
    QVERIFY(!other.libraryOf(m_compiler, source.common, flags, "add"));
}

/// The first library is gone, and another one with the function is compiled.
void KernelCacheTest::notesNameTheLatestLibrary()
{
    KernelSource first = adding(1), second = adding(1);
    second.text += "/* with other functions */";
    first.common = second.common = "all that it depends on";
    const std::vector<std::string> flags{"-O1"}, symbols{"add"};
    KernelCache cache(m_folder, plenty);
    const auto gone = cache.library(m_compiler, first, flags, {}, patience);
    QVERIFY(gone);
    fs::remove(*gone);
    const auto library = cache.library(m_compiler, second, flags, {}, patience);
    QVERIFY(library);
    cache.note(m_compiler, first.common, flags, symbols);
    QCOMPARE(KernelCache(m_folder, plenty).libraryOf(m_compiler, first.common, flags, "add"),
             std::optional(*library));
}

void KernelCacheTest::notesAreTheirOwners()
{
    KernelSource source = adding(1);
    source.common = "all that it depends on";
    const std::vector<std::string> flags{"-O1"}, symbols{"add"};
    const mode_t before = ::umask(0);
    KernelCache cache(m_folder, plenty);
    const auto library = cache.library(m_compiler, source, flags, {}, patience);
    cache.note(m_compiler, source.common, flags, symbols);
    ::umask(before);
    QVERIFY(library);
    int notes = 0;
    for (const fs::path &file : entriesIn(m_folder))
        if (file.extension() == ".at") {
            ++notes;
            QCOMPARE(int(fs::status(file).permissions()), 0600);
        }
    QCOMPARE(notes, 1);
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
    QVERIFY2(library.error().message.find("cannot store compiled kernels here: Not a directory") !=
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
    QCOMPARE(resultOf(copy), 8.0F);
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

void KernelCacheTest::whatACompilerLeavesIsLookedAt_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("reason");
    QTest::newRow("half") << "truncate -s 4096 \"$out\""
                          << "it is truncated";
    QTest::newRow("the end lacks") << "truncate -s -8 \"$out\""
                                   << "it is truncated";
    QTest::newRow("nothing") << ": > \"$out\""
                             << "it has no ELF header";
    QTest::newRow("text") << "echo built > \"$out\""
                          << "it has no ELF header";
    QTest::newRow("another library") << "\"$cc\" -shared -x c /dev/null -o \"$out\""
                                     << "it lacks the function add";
}

void KernelCacheTest::whatACompilerLeavesIsLookedAt()
{
    QFETCH(QString, command);
    QFETCH(QString, reason);
    const fs::path script = fs::path(m_parent->path().toStdString()) / "compiler";
    std::ofstream(script) << "#!/bin/sh\ncc='" << m_compiler.program.string()
                          << "'\n\"$cc\" \"$@\" || exit 1\n"
                             "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
                          << command.toStdString() << "\nexit 0\n";
    fs::permissions(script, fs::perms::owner_all);
    CCompiler other = m_compiler;
    other.program = script;
    KernelCache cache(m_folder, plenty);
    const auto library = cache.library(other, adding(1), {"-O1"}, {}, patience);
    QVERIFY(!library);
    QCOMPARE(library.error().kind, Error::Kind::Fault);
    QVERIFY2(library.error().message.find(reason.toStdString()) != std::string::npos,
             library.error().message.c_str());
    QCOMPARE(filesIn(m_folder), std::size_t(0));
}

/// Names of functions are looked up in a table that stands behind the one that says where.
void KernelCacheTest::tablesOutsideOfTheFileAreFound()
{
    KernelCache cache(m_folder, plenty);
    const auto sealed = readSealed(*build(cache, 1));
    QVERIFY(sealed);
    std::string image = sealed->content;
    QVERIFY(checkLibraryImage(image, adding(1).symbols));
    ElfW(Ehdr) header;
    std::memcpy(&header, image.data(), sizeof header);
    int tables = 0;
    for (int s = 0; s < header.e_shnum; ++s) {
        char *const at = image.data() + header.e_shoff + std::size_t(s) * sizeof(ElfW(Shdr));
        ElfW(Shdr) section;
        std::memcpy(&section, at, sizeof section);
        if (section.sh_type != SHT_STRTAB)
            continue;
        section.sh_offset = image.size() + 1;
        std::memcpy(at, &section, sizeof section);
        ++tables;
    }
    QVERIFY(tables > 0);
    const auto checked = checkLibraryImage(image, adding(1).symbols);
    QVERIFY(!checked);
    QVERIFY2(checked.error().message.find("it is truncated") != std::string::npos,
             checked.error().message.c_str());
}

void KernelCacheTest::damagedLibrariesAreMadeAnew_data()
{
    QTest::addColumn<std::function<void(const fs::path &)>>("damage");
    const auto row = [](const char *name, std::function<void(const fs::path &)> damage) {
        QTest::newRow(name) << damage;
    };
    row("empty", [](const fs::path &file) { fs::resize_file(file, 0); });
    row("one byte", [](const fs::path &file) { fs::resize_file(file, 1); });
    row("half", [](const fs::path &file) { fs::resize_file(file, fs::file_size(file) / 2); });
    row("without its last byte",
        [](const fs::path &file) { fs::resize_file(file, fs::file_size(file) - 1); });
    row("longer", [](const fs::path &file) { std::ofstream(file, std::ios::app) << 'x'; });
    row("zeros", [](const fs::path &file) {
        const auto size = fs::file_size(file);
        fs::resize_file(file, 0);
        fs::resize_file(file, size);
    });
    row("another program", [](const fs::path &file) {
        fs::copy_file("/bin/true", file, fs::copy_options::overwrite_existing);
        fs::permissions(file, fs::perms(0600));
    });
    row("another kernel", [](const fs::path &file) {
        const QTemporaryDir elsewhere;
        KernelCache other(elsewhere.path().toStdString(), plenty);
        const auto kernel =
            other.library(*findCCompiler(nullptr), adding(4), {"-O1"}, {}, patience);
        fs::copy_file(*kernel, file, fs::copy_options::overwrite_existing);
    });
    row("a folder", [](const fs::path &file) {
        fs::remove(file);
        fs::create_directories(file / "below");
    });
    row("a link to nowhere", [](const fs::path &file) {
        fs::remove(file);
        fs::create_symlink("/nonexistent", file);
    });
    row("a pipe", [](const fs::path &file) {
        fs::remove(file);
        QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
    });
    row("anybody's to write", [](const fs::path &file) { fs::permissions(file, fs::perms(0666)); });
}

void KernelCacheTest::damagedLibrariesAreMadeAnew()
{
    QFETCH(std::function<void(const fs::path &)>, damage);
    QCOMPARE(afterDamage(damage), std::pair(3.0F, 1));
}

/// Bits flip, and ends are cut off, anywhere in the file.
void KernelCacheTest::randomDamageIsFound()
{
    constexpr unsigned seed = 20;
    constexpr int rounds = 24;
    std::mt19937 random(seed);
    for (int round = 0; round < rounds; ++round) {
        const auto outcome = afterDamage([&](const fs::path &file) {
            const auto at = std::uintmax_t(random()) % fs::file_size(file);
            if (round % 3 == 0) {
                fs::resize_file(file, at);
                return;
            }
            std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
            stream.seekg(std::streamoff(at));
            const int byte = stream.get();
            stream.seekp(std::streamoff(at));
            stream.put(char(byte ^ (1 << (random() % 8))));
        });
        QVERIFY2(outcome == std::pair(3.0F, 1),
                 qPrintable(QString("seed %1, round %2: %3, found %4")
                                .arg(seed)
                                .arg(round)
                                .arg(double(outcome.first))
                                .arg(outcome.second)));
        fs::remove_all(m_folder);
    }
}

void KernelCacheTest::whatIsLoadedDoesNotChangeWithItsFile()
{
    KernelCache cache(m_folder, plenty);
    const auto library = build(cache, 8);
    const auto opened = KernelLibrary::open(*library);
    QVERIFY(opened);
    fs::resize_file(*library, 0); // pages of a mapped file would be gone
    QCOMPARE(resultOf(*opened), 8.0F);
}

void KernelCacheTest::foldersAndFilesAreTheirOwners()
{
    const mode_t mask = ::umask(0);
    KernelCache cache(m_folder, plenty);
    const auto library = build(cache, 1);
    ::umask(mask);
    QVERIFY(library);
    QCOMPARE(int(fs::status(m_folder).permissions()), 0700);
    QCOMPARE(int(fs::status(m_folder.parent_path()).permissions()), 0700);
    for (const auto &file : fs::directory_iterator(m_folder))
        QCOMPARE(int(file.status().permissions()), 0600);
    QCOMPARE(filesIn(m_folder), std::size_t(2));
}

void KernelCacheTest::foldersThatOthersMayWriteAreRefused()
{
    for (const int mode : {0770, 0707}) {
        fs::create_directories(m_folder);
        fs::permissions(m_folder, fs::perms(mode));
        KernelCache cache(m_folder, plenty);
        const auto library = build(cache, 1);
        QVERIFY(!library);
        QCOMPARE(library.error().kind, Error::Kind::Missing);
        QCOMPARE(library.error().where, m_folder.string());
        QVERIFY2(library.error().message.find("other users can write") != std::string::npos,
                 library.error().message.c_str());
        QCOMPARE(filesIn(m_folder), std::size_t(0));
    }
}

void KernelCacheTest::foldersOfOthersAreRefused()
{
    if (::geteuid() != 0)
        QSKIP("needs to be root: only root can give a folder to another user");
    fs::create_directories(m_folder);
    fs::permissions(m_folder, fs::perms(0700));
    QCOMPARE(::chown(m_folder.c_str(), 1, 1), 0);
    KernelCache cache(m_folder, plenty);
    const auto library = build(cache, 1);
    QVERIFY(!library);
    QVERIFY2(library.error().message.find("belongs to another user") != std::string::npos,
             library.error().message.c_str());
}

void KernelCacheTest::withoutItsFolderAnotherIsTaken()
{
    fs::create_directories(m_folder);
    fs::permissions(m_folder, fs::perms(0777));
    std::vector<std::string> told;
    fs::path elsewhere;
    {
        KernelCacheEvents events;
        events.goesElsewhere = [&](const std::string &reason) { told.push_back(reason); };
        KernelCache cache(m_folder, plenty, events);
        for (int i = 1; i < 3; ++i) {
            const auto library = build(cache, i);
            QVERIFY2(library, library ? "" : library.error().text().c_str());
            QCOMPARE(resultOf(*library), float(i));
        }
        elsewhere = cache.folder();
        QVERIFY(elsewhere != m_folder && fs::exists(elsewhere));
    }
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY2(told[0].starts_with(m_folder.string()), told[0].c_str());
    QCOMPARE(filesIn(m_folder), std::size_t(0));
    QVERIFY(!fs::exists(elsewhere));
}

void KernelCacheTest::whatKilledCompilersLeftIsRemoved()
{
    fs::create_directories(m_folder);
    fs::permissions(m_folder, fs::perms(0700));
    const pid_t child = ::fork();
    if (child == 0) {
        const auto work = Temporary::folder(m_folder);
        ::_exit(0);
    }
    int status = -1;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(filesIn(m_folder), std::size_t(1));
    KernelCache cache(m_folder, plenty);
    QVERIFY(build(cache, 1));
    QCOMPARE(filesIn(m_folder), std::size_t(2)); // the library and its source
}

/// Writes a compiler that notes its arguments, one call a line, and then runs `m_compiler`. Where
/// `refusing` is one of them, it fails.
CCompiler KernelCacheTest::noting(const fs::path &notes, const std::string &refusing) const
{
    CCompiler compiler = m_compiler;
    compiler.program = fs::path(m_parent->path().toStdString()) / "noting-cc";
    std::ofstream(compiler.program) << "#!/bin/sh\necho \"$*\" >>'" << notes.string() << "'\n"
                                    << "case \"$*\" in *'" << refusing << "'*) exit 1;; esac\n"
                                    << "exec " << m_compiler.program.string() << " \"$@\"\n";
    fs::permissions(compiler.program, fs::perms(0700));
    return compiler;
}

void KernelCacheTest::headersAreCompiledOnce()
{
    const fs::path notes = fs::path(m_parent->path().toStdString()) / "notes";
    const CCompiler compiler = noting(notes, "never");
    {
        KernelCache cache(m_folder, plenty);
        for (int i = 0; i < 4; ++i) {
            const auto library = cache.library(compiler, withHeaders(i), {"-O1"}, {}, patience);
            QVERIFY(library);
            QCOMPARE(resultOf(*library), float(i));
        }
    }
    const QStringList calls = linesOf(notes);
    QCOMPARE(calls.size(), 5);
    QCOMPARE(calls.filter("c-header").size(), 1);
    QCOMPARE(calls.filter("-include").size(), 2);
    QCOMPARE(filesIn(m_folder), std::size_t(8)); // they go with the cache
}

void KernelCacheTest::withoutCompiledHeadersTheTextIsRead()
{
    const fs::path notes = fs::path(m_parent->path().toStdString()) / "notes";
    for (const char *refused : {"c-header", "-include"}) {
        KernelCache cache(m_folder / (refused + 2), plenty); // the compiler sees the path, too
        for (int i = 0; i < 4; ++i) {
            const auto library =
                cache.library(noting(notes, refused), withHeaders(i), {"-O1"}, {}, patience);
            QVERIFY(library);
            QCOMPARE(resultOf(*library), float(i));
        }
        QCOMPARE(linesOf(notes).filter(refused).size(), 1); // not tried again
        fs::remove(notes);
    }
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

} // namespace graphloom::test::kernel_cache_test

#include "kernel_cache_test.moc"
