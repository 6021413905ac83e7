// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/stage.h"
#include "tests/examples/example.h"
#include "tests/support/sample_plan.h"

// [example]
#include "engine/target/target.h"

namespace graphloom::example {

/// A device that cannot run anything yet: it says so, and gives the plan's kernels as a list.
class PaperTarget final : public Target {
public:
    std::string_view name() const override { return "paper"; }
    std::string_view help() const override { return "Lists what would run."; }
    std::vector<std::string> devices() const override { return {"a4"}; }
    Result<Device> describe(const std::string &, std::stop_token) const override
    {
        return *findDevice("phone-cpu"); // resources/devices/*.json
    }
    std::vector<Finding> probe() const override
    {
        return {{"pencil", false, "sharpen one, and put it on PATH"}};
    }
    std::string fingerprint(const std::string &device) const override { return device; }
    Result<std::vector<SourceFile>> generate(const Plan &plan, const BuildOptions &) const override
    {
        std::string list;
        for (const NodeId node : plan.graph.order())
            list += plan.graph.node(node).op + "\n";
        return std::vector<SourceFile>{{"plan.txt", list}};
    }
    Result<Plan> tune(const Plan &, const TuneOptions &) const override
    {
        return missing();
    }
    Result<std::shared_ptr<BuiltPlan>> build(const Plan &, const BuildOptions &) const override
    {
        return missing();
    }
    Result<std::vector<Measurement>> measure(std::span<const std::shared_ptr<BuiltPlan>>,
                                             const MeasureOptions &) const override
    {
        return missing();
    }

private:
    static tl::unexpected<Error> missing()
    {
        return fail(Error::Kind::Missing, "nothing runs on paper", "--target paper");
    }
};

} // namespace graphloom::example

extern "C" const graphloom::TargetEntry *graphloom_target() // targets/paper/plugin.cpp
{
    static const graphloom::TargetEntry entry{
        graphloom::targetAbiVersion, []() -> std::unique_ptr<graphloom::Target> {
            return std::make_unique<graphloom::example::PaperTarget>();
        }};
    return &entry;
}
// [/example]

namespace graphloom::test::target_test {

class ExampleTargetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itListsThePlan()
    {
        const auto target = graphloom_target()->make();
        const auto files = target->generate(planOfSample("mobilenet_v2_224.onnx"), {});
        QVERIFY(files);
        QVERIFY(files->front().content.starts_with("Conv\n"));
        const auto built = target->build({}, {});
        QVERIFY(!built);
        QCOMPARE(built.error().kind, Error::Kind::Missing);
    }

    void contributingShowsIt() { QVERIFY(isInContributing(__FILE__)); }
};

GRAPHLOOM_TESTS(ExampleTargetTest)

} // namespace graphloom::test::target_test

#include "target_test.moc"
