// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/plan_tuner.h"
#include "tests/engine/tuning/product_kernels.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

namespace graphloom::test::shared_tuning_test {

using graphloom::test::ProductKernels;
namespace fs = std::filesystem;

/// Several processes tune at once, with one database and one cache.
class SharedTuningTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!findCCompiler())
            QSKIP("needs gcc or clang");
    }
    void whatAnyProcessMeasuresIsThere();

private:
    /// Tunes, and says in a file which schedules were measured; 0 when all went well.
    int tune(int number) const
    {
        const auto compiler = findCCompiler();
        auto database = ProfileDatabase::open(folder() / "profile.db");
        if (!compiler || !database)
            return 1;
        const ProductKernels products;
        KernelCache cache(folder() / "kernels", std::uint64_t{1} << 30);
        std::ofstream told(folder() / ("told" + std::to_string(number)));
        PlanTunerOptions options;
        options.compiler = &*compiler;
        options.cache = &cache;
        options.seconds = 3000; // the trials end it
        options.trials = 5;
        options.database = &*database;
        options.device = "process " + std::to_string(number % 3); // some have the same kernels
        options.measured = [&](const KernelPlace &, const TunedCandidate &candidate) {
            if (candidate.problem.empty())
                told << options.device << '\t' << candidate.schedule << '\n';
        };
        return tunePlan(products.kernels, products.target, options) ? 0 : 2;
    }
    fs::path folder() const { return m_folder.path().toStdString(); }

    const QTemporaryDir m_folder;
};

void SharedTuningTest::whatAnyProcessMeasuresIsThere()
{
    constexpr int processes = 6;
    std::vector<pid_t> children;
    for (int i = 0; i < processes; ++i) {
        const pid_t child = ::fork();
        if (child == 0)
            ::_exit(tune(i));
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = -1;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QCOMPARE(status, 0);
    }
    std::set<std::pair<std::string, std::string>> kept;
    const auto database = ProfileDatabase::open(folder() / "profile.db");
    QVERIFY(database);
    QVERIFY(database->forEach([&](const ProfileKey &key, const auto &) {
        kept.emplace(key.device.substr(0, key.device.rfind(", ")), key.schedule);
    }));
    int measured = 0;
    for (int i = 0; i < processes; ++i) {
        std::ifstream told(folder() / ("told" + std::to_string(i)));
        for (std::string line; std::getline(told, line); ++measured) {
            const auto tab = line.find('\t');
            QVERIFY2(kept.contains({line.substr(0, tab), line.substr(tab + 1)}), line.c_str());
        }
    }
    QVERIFY2(measured >= processes, std::to_string(measured).c_str());
}

GRAPHLOOM_TESTS(SharedTuningTest)

} // namespace graphloom::test::shared_tuning_test

#include "shared_tuning_test.moc"
