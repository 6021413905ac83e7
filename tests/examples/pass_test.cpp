// SPDX-License-Identifier: Apache-2.0
#include "tests/examples/example.h"
#include "tests/support/sample_plan.h"

// [example]
#include "engine/pass/pass.h"

#include <array>

namespace graphloom::example {

/// Puts so many nodes into each subgraph, in the order of the graph.
class EvenPass final : public Pass {
public:
    std::string_view name() const override { return "even"; }
    std::string_view help() const override { return "Subgraphs of equally many nodes."; }
    std::span<const Parameter> parameters() const override
    {
        static const std::array<Parameter, 1> table = {{{.name = "nodes",
                                                         .help = "Nodes of a subgraph.",
                                                         .kind = Parameter::Kind::Integer,
                                                         .initial = 8,
                                                         .least = 1,
                                                         .most = 1000}}};
        return table;
    }
    Result<Plan> run(Plan plan, const Context &context) const override
    {
        auto partition = std::make_shared<Partition>();
        partition->method = "even";
        const auto most = std::size_t(context.settings.integer("nodes"));
        for (const NodeId node : plan.graph.order()) {
            if (partition->subgraphs.empty() || partition->subgraphs.back().nodes.size() >= most)
                partition->subgraphs.emplace_back();
            partition->subgraphs.back().nodes.push_back(node);
        }
        partition->index(plan.graph);
        plan.partition = std::move(partition);
        return plan;
    }
};

} // namespace graphloom::example

extern "C" const graphloom::PassEntry *graphloom_pass() // plugins/even/plugin.cpp
{
    static const graphloom::PassEntry entry{
        graphloom::passAbiVersion, []() -> std::unique_ptr<graphloom::Pass> {
            return std::make_unique<graphloom::example::EvenPass>();
        }};
    return &entry;
}
// [/example]

namespace graphloom::test::pass_test {

class ExamplePassTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itsPlanIsChecked()
    {
        const auto pass = graphloom_pass()->make();
        Context context;
        context.settings = Settings(pass->parameters(), pass->rules());
        QVERIFY(context.settings.set("nodes", 10));
        const auto plan = runPass(*pass, planOfSample("mobilenet_v2_224.onnx"), context);
        QVERIFY2(plan, plan ? "" : plan.error().text().c_str());
        QCOMPARE(plan->history.back().pass, std::string("even"));
        QCOMPARE(plan->partition->subgraphs.front().nodes.size(), std::size_t(10));
    }

    void contributingShowsIt() { QVERIFY(isInContributing(__FILE__)); }
};

GRAPHLOOM_TESTS(ExamplePassTest)

} // namespace graphloom::test::pass_test

#include "pass_test.moc"
