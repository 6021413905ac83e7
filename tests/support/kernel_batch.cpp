// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kernel_batch.h"

#include "engine/interpreter/interpreter.h"
#include "tests/support/random_graph.h"

namespace graphloom::test {

namespace {

/// Combines several graphs into one, side by side.
class Union {
public:
    void add(const KernelCase &one)
    {
        const Graph &graph = one.graph;
        std::map<TensorId, TensorId> tensors{{TensorId{}, TensorId{}}};
        std::map<NodeId, NodeId> nodes;
        const auto of = [&](TensorId id) {
            const auto [at, isNew] = tensors.try_emplace(id);
            if (isNew)
                at->second = m_editor.addTensor(graph.tensor(id));
            return at->second;
        };
        const auto ofAll = [&](auto list) {
            std::vector<TensorId> result;
            for (const TensorId id : list)
                result.push_back(of(id));
            return result;
        };
        std::ranges::copy(ofAll(graph.inputs()), std::back_inserter(m_inputs));
        for (const NodeId id : graph.order()) {
            Node node = graph.node(id);
            node.name = one.name + " " + node.name;
            node.inputs = ofAll(node.inputs);
            node.outputs = ofAll(node.outputs);
            node.captures = ofAll(node.captures);
            nodes[id] = m_editor.addNode(std::move(node));
            if (one.blocks.empty())
                blocks.push_back({nodes[id]});
        }
        for (const auto &block : one.blocks) {
            blocks.emplace_back();
            for (const NodeId id : block)
                blocks.back().push_back(nodes.at(id));
        }
        for (const auto &ofBlock : one.schedules)
            schedules.push_back(NestSchedules(ofBlock));
        schedules.resize(blocks.size());
        for (const std::string &ofBlock : one.algorithms)
            algorithms.push_back(ofBlock);
        algorithms.resize(blocks.size());
        std::ranges::copy(ofAll(graph.outputs()), std::back_inserter(m_outputs));
        blocksUpTo.push_back(PartIndex(blocks.size()));
    }

    Result<Graph> finish() &&
    {
        m_editor.setInputs(m_inputs);
        m_editor.setOutputs(m_outputs);
        return std::move(m_editor).finish();
    }

    std::vector<std::vector<NodeId>> blocks;
    PartSchedules schedules;
    PartAlgorithms algorithms;
    std::vector<PartIndex> blocksUpTo; // by case

private:
    GraphEditor m_editor;
    std::vector<TensorId> m_inputs, m_outputs;
};

std::map<TensorId, Layout> anyLayouts(const Graph &graph, std::uint64_t seed)
{
    Random random(seed);
    std::map<TensorId, Layout> layouts;
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
        if (const TensorId id{i};
            graph.contains(id) && graph.tensor(id).shape && graph.tensor(id).shape->size() >= 3)
            layouts[id] = chance(random, 0.5) ? Layout::ChannelsFirst : Layout::ChannelsLast;
    return layouts;
}

} // namespace

std::vector<std::vector<NodeId>> nodeBlocks(const Graph &graph)
{
    std::vector<std::vector<NodeId>> blocks;
    for (const NodeId id : graph.order())
        blocks.push_back({id});
    return blocks;
}

std::vector<NodeId> allNodes(const Graph &graph)
{
    return {graph.order().begin(), graph.order().end()};
}

double KernelOutcome::relativeError() const
{
    double most = 0;
    for (std::size_t k = 0; k < expected.size(); ++k)
        most = std::max(most, compare(expected[k], outputs[k]).maxRelError);
    return most;
}

std::string KernelOutcome::difference() const
{
    std::string worst;
    for (std::size_t k = 0; k < expected.size(); ++k)
        if (const Comparison difference = compare(expected[k], outputs[k]);
            !difference.worst.empty())
            worst += "output " + std::to_string(k) + " of " +
                     std::to_string(expected[k].elements()) + " elements: " + difference.worst +
                     "; ";
    return worst;
}

std::string KernelOutcome::problem(double tolerance) const
{
    if (!error.empty())
        return "the interpreter refuses it: " + error;
    std::string text;
    for (const std::string &reason : reasons)
        text += "a block is interpreted: " + reason + "\n";
    if (text.empty() && !(relativeError() <= tolerance))
        text = difference() + "\n";
    return text.empty() ? text : text + formulas;
}

Result<void> compile(const PlanKernels &kernels, int lanes, const std::vector<std::string> &flags)
{
    const auto compiler = findCCompiler();
    if (!compiler)
        return tl::unexpected(compiler.error());
    const QTemporaryDir folder;
    KernelCache cache(folder.path().toStdString(), std::uint64_t{1} << 30);
    CompileOptions options;
    options.lanes = lanes;
    options.compiler = &*compiler;
    options.cache = &cache;
    options.flags = flags;
    const auto compiled = compileKernels(kernels.kernels, options);
    if (!compiled)
        return tl::unexpected(compiled.error());
    if (!compiled->failed.empty())
        return fail(Error::Kind::Fault, compiled->failed.begin()->second);
    return {};
}

Opsets KernelBatch::opsets() const
{
    return [opset = m_opset](std::string_view) { return opset; };
}

/// Cases that the interpreter refuses get its error instead.
void KernelBatch::interpretAll()
{
    if (m_expected.empty())
        for (const KernelCase &one : m_cases) {
            KernelOutcome &outcome = m_expected[one.name];
            InterpreterOptions options;
            options.threads = 1;
            auto expected = interpret(one.graph, opsets(), one.inputs, options);
            if (expected)
                outcome.expected = std::move(*expected);
            else
                outcome.error = expected.error().text();
        }
}

Result<void> KernelBatch::compile(int lanes, const std::vector<std::string> &flags)
{
    Union all;
    for (const KernelCase &one : m_cases)
        all.add(one);
    GenerateOptions options;
    options.target = targetOf(lanes);
    options.schedules = all.schedules;
    options.algorithms = all.algorithms;
    const auto blocks = all.blocks;
    const auto graph = std::move(all).finish();
    if (!graph)
        return tl::unexpected(graph.error());
    const auto kernels = generateKernels(*graph, opsets(), blocks, options);
    if (!kernels)
        return tl::unexpected(kernels.error());
    return test::compile(*kernels, lanes, flags);
}

Result<std::map<std::string, KernelOutcome>> KernelBatch::run(int lanes, unsigned threads,
                                                              const std::vector<std::string> &flags)
{
    interpretAll();
    std::map<std::string, KernelOutcome> outcomes = m_expected;
    Union all;
    std::vector<const KernelCase *> cases;
    std::vector<TensorData> inputs;
    for (const KernelCase &one : m_cases)
        if (outcomes.at(one.name).error.empty()) {
            all.add(one);
            cases.push_back(&one);
            inputs.insert(inputs.end(), one.inputs.begin(), one.inputs.end());
        }
    const auto blocks = all.blocks;
    const auto blocksUpTo = all.blocksUpTo;
    const auto schedules = all.schedules;
    const auto algorithms = all.algorithms;
    const auto graph = std::move(all).finish();
    if (!graph)
        return tl::unexpected(graph.error());
    const auto compiler = findCCompiler();
    if (!compiler)
        return tl::unexpected(compiler.error());
    KernelCache cache(m_folder.path().toStdString(), std::uint64_t{1} << 30);
    ExecutableOptions options;
    options.target = targetOf(lanes, int(threads));
    options.compiler = &*compiler;
    options.cache = &cache;
    options.threads = threads;
    options.flags = flags;
    options.separateTensors = true;
    options.schedules = schedules;
    if (m_layoutSeed)
        options.layouts = anyLayouts(*graph, *m_layoutSeed);
    options.algorithms = algorithms;
    const auto executable = Executable::build(*graph, opsets(), blocks, options);
    if (!executable)
        return tl::unexpected(executable.error());
    const auto outputs = (*executable)->run(inputs);
    if (!outputs)
        return tl::unexpected(outputs.error());
    std::size_t next = 0;
    for (const KernelCase *one : cases)
        for (std::size_t k = 0; k < one->graph.outputs().size(); ++k)
            outcomes.at(one->name).outputs.push_back((*outputs)[next++]);
    for (const Executable::Step &step : (*executable)->steps()) {
        if (!step.part.isValid())
            continue;
        const auto at = std::ranges::upper_bound(blocksUpTo, step.part);
        KernelOutcome &outcome = outcomes.at(cases[std::size_t(at - blocksUpTo.begin())]->name);
        if (!step.reason.empty())
            outcome.reasons.push_back(step.reason);
        else
            for (const Nest &nest : (*executable)->kernels()[step.block]->block.nests)
                if (nest.name == step.text)
                    outcome.formulas +=
                        textOf(nest, (*executable)->kernels()[step.block]->block.tensors) +
                        "\n    " + step.schedule + "\n";
    }
    return outcomes;
}

} // namespace graphloom::test
