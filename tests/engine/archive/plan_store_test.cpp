// SPDX-License-Identifier: Apache-2.0
#include "engine/archive/plan_store.h"

#include "engine/cost/device.h"
#include "engine/cost/machine_text.h"
#include "engine/onnx/import.h"
#include "engine/pass/plugins.h"
#include "tests/support/kept_plans.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"
#include "tests/support/weighty_model.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

namespace graphloom::test::plan_store_test {

using graphloom::test::below;
using graphloom::test::keptBytes;
using graphloom::test::KeptPlans;
using graphloom::test::Random;
using graphloom::test::readAgain;

namespace {

Plan planOfFile(const std::filesystem::path &path)
{
    auto model = importOnnx(path);
    if (!model)
        qFatal("%s", model.error().text().c_str());
    auto plan = initialPlan(std::make_shared<const Model>(*std::move(model)));
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    return *std::move(plan);
}

std::filesystem::path sample(const char *name)
{
    return std::filesystem::path(GRAPHLOOM_SAMPLES) / name;
}

std::shared_ptr<const Pass> passNamed(std::string_view name)
{
    static const auto plugins = loadPassPlugins(GRAPHLOOM_PLUGINS);
    for (const PassPlugin &plugin : plugins)
        if (plugin.pass && plugin.pass->name() == name)
            return plugin.pass;
    qFatal("a plugin is missing");
}

Plan after(std::string_view pass, Plan plan)
{
    Context context;
    const auto made = passNamed(pass);
    context.settings = Settings(made->parameters(), made->rules());
    if (pass == "magis") {
        for (const auto &[name, value] :
             {std::pair("device", "phone-cpu"), {"seconds", "0"}, {"states", "60"}})
            if (auto set = context.settings.set(name, std::string_view(value)); !set)
                qFatal("%s", set.error().text().c_str());
    }
    auto result = runPass(*made, std::move(plan), context);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

} // namespace

class PlanStoreTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plansOfPassesComeBack_data()
    {
        QTest::addColumn<QStringList>("passes");
        for (const QStringList &passes :
             {QStringList{}, {"dnnfusion"}, {"ago"}, {"dnnfusion", "ago"}, {"magis"}})
            QTest::newRow(qPrintable(passes.join('+'))) << passes;
    }
    void plansOfPassesComeBack()
    {
        QFETCH(QStringList, passes);
        Plan plan = planOfFile(sample("bert_tiny.onnx"));
        for (const QString &pass : passes)
            plan = after(pass.toStdString(), std::move(plan));
        KeptPlans kept;
        const auto read = readAgain(kept, kept.store.put(plan));
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(keptBytes(*read), keptBytes(plan));
        QCOMPARE(read->graph.hash(), plan.graph.hash());
    }

    void theDeviceComesBack()
    {
        Plan plan = planOfFile(sample("bert_tiny.onnx"));
        Device device = *findDevice("rtx-3090");
        device.name = "a measured one";
        device.target = "host:cpu";
        plan.device = std::make_shared<const Device>(device);
        KeptPlans kept;
        const auto read = readAgain(kept, kept.store.put(plan));
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(read->device->name, device.name);
        QCOMPARE(read->device->target, device.target);
        QCOMPARE(read->device->peakFlops, device.peakFlops);
        QVERIFY(read->device->machine);
        QCOMPARE(textOf(*read->device->machine), textOf(*device.machine));
    }

    void blocksAreSharedByWhatUsesThem()
    {
        const Plan plan = after("dnnfusion", planOfFile(sample("bert_tiny.onnx")));
        Plan tuned = plan;
        KernelPlan kernels;
        kernels.fusion = plan.fusion;
        tuned.kernels = std::make_shared<const KernelPlan>(std::move(kernels));
        KeptPlans kept;
        const auto first = kept.store.put(plan), second = kept.store.put(tuned);
        KeptPlans other;
        other.objects = kept.objects;
        const auto a = other.store.get(first), b = other.store.get(second);
        QVERIFY(a && b);
        QCOMPARE(a->fusion, b->fusion);
        QVERIFY(kernelsOf(*b));
    }

    void readObjectsAreNotKeptAgain()
    {
        const Plan plan = after("dnnfusion", planOfFile(sample("bert_tiny.onnx")));
        KeptPlans kept;
        const auto number = kept.store.put(plan);
        KeptPlans other;
        other.objects = kept.objects;
        const auto read = other.store.get(number);
        QVERIFY(read);
        std::vector<std::uint64_t> added;
        PlanStore beside({[&](std::uint64_t of, std::string) { added.push_back(of); }, {}, {}},
                         other.store);
        beside.put(*read);
        QCOMPARE(added.size(), std::size_t{1}); // the plan itself
    }

    void weightsStayInTheirFile()
    {
        QTemporaryDir folder;
        const auto path = filledSample(folder);
        const Plan plan = planOfFile(path);
        std::size_t bytes = 0;
        for (const auto &[number, object] : keptBytes(plan))
            bytes += object.size();
        QVERIFY2(bytes < 100'000, std::to_string(bytes).c_str());
    }

    void aChangedFileIsRefused()
    {
        QTemporaryDir folder;
        const auto path = filledSample(folder);
        KeptPlans kept;
        const auto number = kept.store.put(planOfFile(path));
        std::ofstream(path, std::ios::app) << "more";
        const auto read = readAgain(kept, number);
        QVERIFY(!read);
        QVERIFY2(read.error().text().find("big.onnx") != std::string::npos,
                 read.error().text().c_str());
    }

    void computedWeightsComeBack()
    {
        const Plan plan = after("dnnfusion", planOfFile(sample("mobilenet_v2_224.onnx")));
        KeptPlans kept;
        const auto read = readAgain(kept, kept.store.put(plan));
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        for (std::uint32_t i = 0; i < plan.graph.tensorBound(); ++i)
            if (const TensorId id{i}; plan.graph.contains(id) && plan.graph.tensor(id).constant)
                QVERIFY(*plan.graph.tensor(id).constant == *read->graph.tensor(id).constant);
    }

    void damageIsRefused()
    {
        const Plan plan = after("dnnfusion", planOfFile(sample("bert_tiny.onnx")));
        KeptPlans kept;
        const auto number = kept.store.put(plan);
        Random random(7);
        int refused = 0;
        for (int round = 0; round < 400; ++round) {
            KeptPlans damaged;
            damaged.objects = kept.objects;
            auto &bytes = std::next(damaged.objects.begin(),
                                    std::ptrdiff_t(below(random, damaged.objects.size())))
                              ->second;
            if (below(random, 3) == 0)
                bytes.resize(below(random, bytes.size()));
            else
                bytes[below(random, bytes.size())] ^= char(1 + below(random, 255));
            if (!damaged.store.get(number))
                ++refused;
        }
        QVERIFY2(refused > 100, std::to_string(refused).c_str());
    }

    void otherVersionsAreRefused()
    {
        const Plan plan = planOfFile(sample("bert_tiny.onnx"));
        for (const auto &[version, named] : {std::pair{archiveVersion + 1, "a later version"},
                                             {archiveVersion - 1, "an earlier"}}) {
            KeptPlans kept;
            const auto number = kept.store.put(plan);
            kept.objects.at(number)[0] = char(version);
            const auto read = readAgain(kept, number);
            QVERIFY(!read);
            QVERIFY2(read.error().text().find(named) != std::string::npos,
                     read.error().text().c_str());
        }
    }

    void aMissingObjectIsRefused()
    {
        const Plan plan = planOfFile(sample("bert_tiny.onnx"));
        KeptPlans kept;
        const auto number = kept.store.put(plan);
        kept.objects.erase(kept.objects.begin());
        QVERIFY(!readAgain(kept, number));
    }

private:
    /// A model whose one weight is a megabyte of the file.
    static std::filesystem::path filledSample(const QTemporaryDir &folder);
};

std::filesystem::path PlanStoreTest::filledSample(const QTemporaryDir &folder)
{
    const auto path = std::filesystem::path(folder.path().toStdString()) / "big.onnx";
    graphloom::test::writeWeightyModel(path);
    return path;
}

GRAPHLOOM_TESTS(PlanStoreTest)

} // namespace graphloom::test::plan_store_test

#include "plan_store_test.moc"
