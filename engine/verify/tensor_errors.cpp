// SPDX-License-Identifier: Apache-2.0
#include "engine/verify/tensor_errors.h"

#include "engine/interpreter/drawn_values.h"
#include "engine/interpreter/interpretation.h"
#include "engine/interpreter/spill.h"
#include "engine/interpreter/stages/stage_values.h"
#include "engine/verify/counterparts.h"
#include "engine/verify/output_comparison.h"
#include "engine/verify/rehearsal.h"

#include <unordered_map>

namespace graphloom {

namespace {

using State = TensorError::State;

/// Holds values of the original until they have been compared with all their counterparts.
class Waiting {
public:
    Waiting(std::uint64_t most, std::size_t tensors) : m_most(most), m_pending(tensors, 0) {}

    void expect(TensorId id) { ++m_pending[id.index]; }
    /// Takes a value that the original has computed.
    void take(TensorId id, const DataValue &value)
    {
        if (m_pending[id.index] == 0)
            return;
        DataValue kept = value;
        if (const TensorData *data = value.tensor(); data && m_bytes + value.bytes() > m_most) {
            kept = DataValue(spilled(*data));
            if (kept.tensor()->isMapped() && !data->isMapped())
                m_spilled += data->storedBytes();
        }
        if (!isSpilled(kept))
            m_bytes += kept.bytes();
        m_values.emplace(id, std::move(kept));
    }
    bool has(TensorId id) const { return m_values.contains(id); }
    /// Returns a value that it has, and forgets it after the last one that waits for it.
    DataValue give(TensorId id)
    {
        const auto found = m_values.find(id);
        DataValue value = found->second;
        if (--m_pending[id.index] > 0)
            return value;
        if (!isSpilled(value))
            m_bytes -= value.bytes();
        m_values.erase(found);
        return value;
    }
    std::uint64_t spilledBytes() const { return m_spilled; }

private:
    static bool isSpilled(const DataValue &value)
    {
        return value.tensor() && value.tensor()->isMapped();
    }

    std::uint64_t m_most, m_bytes = 0, m_spilled = 0;
    std::vector<std::uint32_t> m_pending; // by id of the original's tensors
    std::unordered_map<TensorId, DataValue> m_values;
};

/// Runs two graphs side by side.
class SideBySide {
public:
    SideBySide(const Runnable &original, const Runnable &plan, const TensorErrorOptions &options,
               TensorErrors &errors)
        : m_original(original), m_plan(plan), m_options(options), m_errors(errors),
          m_waiting(options.mostHeld, original.graph.tensorBound()),
          m_drawn(tensorsDrawn(original.graph, original.opsets, Draws::WithoutSeed)),
          m_rows(plan.graph.tensorBound(), none)
    {
    }

    /// Lists the tensors of the plan, none of which has been run.
    void list(const std::vector<TensorId> &counterparts)
    {
        for (const NodeId id : m_plan.graph.order())
            for (const TensorId output : m_plan.graph.node(id).outputs) {
                if (!output.valid())
                    continue;
                const TensorId original = counterparts[output.index];
                m_rows[output.index] = m_errors.tensors.size();
                m_errors.tensors.push_back({output, original, id,
                                            original.valid() ? State::NotRun : State::Alone,
                                            Comparison(), true});
                if (original.valid())
                    m_waiting.expect(original);
            }
    }

    Result<void> run(const std::vector<DataValue> &inputs);
    std::uint64_t spilledBytes() const { return m_waiting.spilledBytes(); }

private:
    static constexpr std::size_t none = ~std::size_t{0};

    InterpreterOptions optionsOf(std::function<void(TensorId, const DataValue &)> computed) const
    {
        InterpreterOptions options{m_options.stop, m_options.threads};
        options.maxBytes = machineMemory() / 2; // each
        options.computed = std::move(computed);
        return options;
    }
    Result<void> stepOriginal(Interpretation &original);
    Result<void> prepare(Interpretation &original, const Node &node);
    Result<void> finish(Interpretation &original, Interpretation &plan);
    void compareWith(TensorId id, const DataValue &value);
    void report(std::string_view what)
    {
        ++m_done;
        m_options.progress(
            double(m_done) / double(m_original.graph.nodeCount() + m_plan.graph.nodeCount()), what);
    }

    const Runnable &m_original, &m_plan;
    const TensorErrorOptions &m_options;
    TensorErrors &m_errors;
    Waiting m_waiting;
    std::vector<NodeId> m_drawn;     // by id of the original's tensors
    std::vector<std::size_t> m_rows; // in the errors, by id of the plan's tensors
    std::size_t m_done = 0;          // nodes of both graphs
};

Result<void> SideBySide::run(const std::vector<DataValue> &inputs)
{
    GL_TRY_RESULT(original,
                  Interpretation::of(m_original.graph, m_original.opsets, inputs,
                                     optionsOf([this](TensorId id, const DataValue &value) {
                                         m_waiting.take(id, value);
                                     })));
    // Now there are as many inputs as the original declares.
    GL_TRY_CONST(own, inputsFor(m_plan, m_original.graph, inputs));
    auto plan = Interpretation::of(
        m_plan.graph, m_plan.opsets, *own,
        optionsOf([this](TensorId id, const DataValue &value) { compareWith(id, value); }));
    if (!plan) {
        includeFailure(m_errors.verification, plan.error());
        return {};
    }
    while (!plan->isAtEnd()) {
        const NodeId next = plan->next();
        GL_TRY(prepare(*original, m_plan.graph.node(next)));
        auto stepped = plan->step();
        if (!stepped &&
            (m_options.stop.stop_requested() || stepped.error().kind != Error::Kind::Model))
            return tl::unexpected(std::move(stepped).error());
        if (!stepped) {
            if (!m_errors.begins.valid())
                m_errors.begins = next;
            includeFailure(m_errors.verification, stepped.error());
            return {};
        }
        report(m_plan.name);
    }
    return finish(*original, *plan);
}

/// Runs the original until it has computed all counterparts of what a node of the plan writes.
Result<void> SideBySide::prepare(Interpretation &original, const Node &node)
{
    for (const TensorId output : node.outputs) {
        const TensorId wanted =
            output.valid() ? m_errors.tensors[m_rows[output.index]].original : TensorId();
        while (wanted.valid() && !m_waiting.has(wanted) && !original.isAtEnd())
            GL_TRY(stepOriginal(original));
    }
    return {};
}

Result<void> SideBySide::stepOriginal(Interpretation &original)
{
    auto stepped = original.step();
    if (!stepped) {
        stepped.error().message += " (while running " + m_original.name + ")";
        return stepped;
    }
    report(m_original.name);
    return {};
}

Result<void> SideBySide::finish(Interpretation &original, Interpretation &plan)
{
    while (!original.isAtEnd())
        GL_TRY(stepOriginal(original));
    GL_TRY_CONST(expected, original.outputs());
    GL_TRY_CONST(actual, plan.outputs());
    std::vector<std::string> drawn;
    for (const TensorId output : m_original.graph.outputs()) {
        const NodeId from = m_drawn[output.index];
        drawn.push_back(from.valid() ? m_original.graph.node(from).label() : std::string());
    }
    compareOutputs(m_errors.verification, m_plan, *expected, *actual, drawn,
                   [this](const Comparison &c) { return c.maxRelError <= m_options.tolerance; });
    return {};
}

void SideBySide::compareWith(TensorId id, const DataValue &value)
{
    TensorError &error = m_errors.tensors[m_rows[id.index]];
    if (!error.original.valid() || !m_waiting.has(error.original))
        return;
    const DataValue expected = m_waiting.give(error.original);
    error.comparison = compare(expected, value);
    error.state = State::Compared;
    error.passes = error.comparison.maxRelError <= m_options.tolerance;
    if (!error.passes && m_drawn[error.original.index].valid() &&
        differenceOfForm(expected, value).empty()) {
        error.state = State::Drawn;
        error.comparison = {};
        error.passes = true;
    }
    if (!error.passes && !m_errors.begins.valid())
        m_errors.begins = error.node;
}

} // namespace

Result<std::optional<TensorErrors>> tensorErrors(const Runnable &original, const Runnable &plan,
                                                 const TensorErrorOptions &options)
{
    const std::vector<TensorId> counterparts =
        counterpartsOf(original.graph, plan.graph, options.stop);
    std::vector<Runnable> both{original, plan};
    const auto filled = fillSplatWeights(both, {.seed = options.seed, .stop = options.stop});
    if (options.stop.stop_requested())
        return std::nullopt;
    if (!filled)
        return tl::unexpected(filled.error());
    auto inputs = options.inputs ? Result<std::vector<DataValue>>(*options.inputs)
                                 : randomValues(original.graph, options.seed);
    if (!inputs)
        return tl::unexpected(std::move(inputs).error());

    std::optional<TensorErrors> errors(std::in_place);
    Verification &verification = errors->verification;
    verification.passed = true;
    verification.tolerance = options.tolerance;
    verification.inputs = 1;
    verification.filledWeights = *filled;
    if (hasChangedSplats(both[0].graph, both[1].graph))
        verification.warnings.push_back(
            "weights that passes have changed have the same value in all elements, or nearly so: "
            "an error that mixes up channels may go unnoticed");
    SideBySide runs(both[0], both[1], options, *errors);
    runs.list(counterparts);
    auto ran = runs.run(*inputs);
    if (options.stop.stop_requested())
        return std::nullopt;
    if (!ran)
        return tl::unexpected(std::move(ran).error());
    errors->spilledBytes = runs.spilledBytes();
    return errors;
}

} // namespace graphloom
