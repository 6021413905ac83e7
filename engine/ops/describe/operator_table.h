// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/data_value.h"
#include "engine/ir/graph.h"
#include "engine/ops/describe/stage.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

class Steps;

/// One operator call as an entry of the table sees it: attributes, and what is known of the
/// inputs. Inputs that the node omits are absent.
class Call {
public:
    /// `maxBytes`: what each result of a kernel may take. `steps` counts what kernels do, and says
    /// when they are to stop; may be null.
    Call(const Node &node, std::vector<const Tensor *> inputs, std::int64_t opset,
         std::uint64_t maxBytes = ~std::uint64_t{0}, Steps *steps = nullptr)
        : m_node(node), m_inputs(std::move(inputs)), m_opset(opset), m_maxBytes(maxBytes),
          m_steps(steps)
    {
    }

    const Node &node() const { return m_node; }
    const Attributes &attributes() const { return m_node.attributes; }
    std::int64_t opset() const { return m_opset; } // of the node's domain
    std::uint64_t maxBytes() const { return m_maxBytes; }
    std::size_t inputCount() const { return m_inputs.size(); }
    std::size_t outputCount() const { return m_node.outputs.size(); }

    bool has(std::size_t input) const { return input < m_inputs.size() && m_inputs[input]; }
    /// The next three require has(input).
    const Tensor &input(std::size_t input) const { return *m_inputs[input]; }
    DataType type(std::size_t input) const { return m_inputs[input]->type; }
    const Shape &shape(std::size_t input) const { return *m_inputs[input]->shape; } // rank known
    std::size_t rank(std::size_t input) const { return shape(input).size(); }
    bool isConstant(std::size_t input) const { return has(input) && m_inputs[input]->constant; }

    /// The elements of a small integer input, if inference or a constant tells them.
    std::optional<std::vector<Dim>> values(std::size_t input) const;
    /// The same when all of them are plain integers.
    std::optional<std::vector<std::int64_t>> integers(std::size_t input) const;
    /// The elements of a small constant input as numbers.
    std::optional<std::vector<double>> reals(std::size_t input) const;

    /// Counts so many steps of a kernel, an element computed or looked at each (base/steps.h), and
    /// asks whether it is to stop; its result is stoppedError() then.
    bool stopped(std::uint64_t steps) const;

    /// A Model error that names the node.
    tl::unexpected<Error> refuse(std::string reason) const;

private:
    const Node &m_node;
    std::vector<const Tensor *> m_inputs;
    std::int64_t m_opset;
    std::uint64_t m_maxBytes;
    Steps *m_steps;
};

class AdjointBuilder;

/// A call of a graph that becomes one of a step of training: its entry may have it give more, so
/// that its gradient needs to read less.
class TrainedCall {
public:
    explicit TrainedCall(Node before) : node(std::move(before)) {}
    virtual ~TrainedCall() = default;
    /// The statistics of normalizations are those of the batch, and not the stored ones.
    virtual bool takesBatchStatistics() const = 0;
    /// The value of an input; null where it is no constant, or omitted.
    virtual const TensorData *constant(std::size_t input) const = 0;
    /// Adds an output, named after the first one; false where the call has it already.
    virtual bool addOutput(std::size_t output, std::string_view suffix) = 0;
    /// An output is what an input, a stored statistic, is after the step.
    virtual void renew(std::size_t input, std::size_t output) = 0;
    /// Another one for each call.
    virtual std::int64_t number() const = 0;

    Node node; // as it will be
};

/// Output `output` of a nested graph is its input `input` in the next iteration.
struct CarriedState {
    std::size_t input, output;
};

/// One entry of the operator table: everything else about an operator is derived from what
/// `describe` returns (analysis.h).
struct Operator {
    std::string_view domain, name;
    std::int64_t since = 1;              // first opset version of this form
    int leastInputs = 1, mostInputs = 1; // mostInputs < 0: any number
    int outputs = 1;                     // at most; < 0: any number
    /// The call's stages. All present inputs have a known type and rank, unless `anyRank`.
    /// Fails (Model) when attributes, types or shapes contradict the operator's definition.
    Result<Description> (*describe)(const Call &call);
    /// Reference kernel of operators whose description is opaque; null for all others.
    /// `inputs` are null where omitted. Gives one tensor per output of the node. Asks
    /// call.stopped() every few thousand steps.
    using Kernel = Result<std::vector<TensorData>> (*)(const Call &call,
                                                       std::span<const TensorData *const> inputs);
    Kernel kernel = nullptr;
    bool anyRank = false;
    /// Instead of `kernel`, of operators with nested graphs or with values that are not tensors.
    /// `run` gives the outputs of the graph in the named attribute; what the graph captures is
    /// bound already.
    using RunNested = std::function<Result<std::vector<DataValue>>(
        std::string_view attribute, const std::vector<DataValue> &inputs)>;
    using ValueKernel = Result<std::vector<DataValue>> (*)(const Call &call,
                                                           std::span<const DataValue *const> inputs,
                                                           const RunNested &run);
    ValueKernel valueKernel = nullptr;
    /// Of operators with nested graphs: what is known of the inputs that the nested graph is
    /// called with (Loop's iteration number, condition and carried values).
    std::vector<Tensor> (*bodyInputs)(const Call &call) = nullptr;
    /// Of operators that run a nested graph again and again: what they carry along.
    std::vector<CarriedState> (*carried)(const Call &call) = nullptr;
    /// Of operators that run one of their nested graphs once and give what it gives: the name of
    /// its attribute; "" where what is known of the inputs does not tell which one.
    std::string_view (*chosenBody)(const Call &call) = nullptr;
    /// A typical call (example.h).
    std::string_view example = {};
    /// How gradients are cheaper than by the descriptions of the stages (adjoint.h). The derivative
    /// of the result by what the outermost function of its body is applied to, from the result:
    /// y * (1 - y) of Sigmoid; empty where attributes forbid. Terms in it have the factor 1.
    Expr (*slope)(const Expr &result, const Attributes &attributes) = nullptr;
    /// A closed form: adds the stages of the gradient by the builder's input; false where it has
    /// none for this call.
    Result<bool> (*gradient)(AdjointBuilder &builder) = nullptr;

    /// Changes a call for training; false where it stays as it is.
    bool (*train)(TrainedCall &call) = nullptr;
    /// The result tells the extents of its input and nothing of its elements.
    bool tellsExtents = false;
    /// The input that holds the extents of the result, and whether the elements of the first input
    /// are repeated to fill it; without that they keep their number.
    struct Target {
        int input = -1;
        bool repeats = false;
    };
    Target target = {};

    /// Inputs, as bits, that hold statistics of data: training carries them along, it does not
    /// learn them.
    std::uint32_t statistics = 0;
    /// Inputs that hold sums or means of squares, which are never negative: null if there are none.
    bool (*isOfSquares)(const Node &node, std::size_t input) = nullptr;
    /// Calls whose description is opaque draw random numbers: others each time, unless the
    /// attribute `seed` says which.
    bool draws = false;

    /// The entry with these statistics.
    constexpr Operator withStatistics(std::uint32_t bits) const
    {
        Operator entry = *this;
        entry.statistics = bits;
        return entry;
    }
    constexpr Operator withSquares(bool (*function)(const Node &, std::size_t)) const
    {
        Operator entry = *this;
        entry.isOfSquares = function;
        return entry;
    }
    constexpr Operator trainedBy(bool (*function)(TrainedCall &)) const
    {
        Operator entry = *this;
        entry.train = function;
        return entry;
    }
    constexpr Operator tellingExtents() const
    {
        Operator entry = *this;
        entry.tellsExtents = true;
        return entry;
    }
    constexpr Operator shapedBy(int input, bool repeats = false) const
    {
        Operator entry = *this;
        entry.target = {input, repeats};
        return entry;
    }
    constexpr Operator drawing() const
    {
        Operator entry = *this;
        entry.draws = true;
        return entry;
    }
    /// The entry with this example.
    constexpr Operator like(std::string_view call) const
    {
        Operator entry = *this;
        entry.example = call;
        return entry;
    }
    /// The entry with this slope, or with this closed form of its gradients.
    constexpr Operator withSlope(Expr (*function)(const Expr &, const Attributes &)) const
    {
        Operator entry = *this;
        entry.slope = function;
        return entry;
    }
    constexpr Operator withGradient(Result<bool> (*form)(AdjointBuilder &)) const
    {
        Operator entry = *this;
        entry.gradient = form;
        return entry;
    }
};

/// All operators, sorted by domain and name.
std::span<const Operator> operatorTable();
/// The entry for a node of the given opset; null when the table has none.
const Operator *findOperator(std::string_view domain, std::string_view name, std::int64_t opset);

/// The opset versions that nodes of a graph follow, by domain.
using Opsets = std::function<std::int64_t(std::string_view domain)>;

/// The tensors that a call takes, null where the node omits one.
std::vector<const Tensor *> operandsOf(const Graph &graph, const Node &node);

/// What a node of a graph computes, with the shapes of all values derived. An operator that is
/// not in the table, or whose inputs have unknown rank, gives an opaque description that says
/// so; a Model error means that the node contradicts its operator's definition.
Result<Description> describe(const Graph &graph, NodeId node, const Opsets &opsets);
Result<Description> describe(const Call &call);

/// Refuses (Model) a shape of an output that no tensor can have: it has an extent that is
/// negative, or too many elements or dimensions.
Result<void> checkShape(const Call &call, const Shape &shape, int output);

} // namespace graphloom
