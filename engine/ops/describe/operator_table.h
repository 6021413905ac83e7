// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/data_value.h"
#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

class Steps;
class Expr;
struct Description;

/// Describes one operator call as an entry of the table sees it: its attributes and what is known
/// of its inputs. Inputs that the node omits are absent.
class Call {
public:
    /// Makes a call whose kernel results take at most `maxBytes` each. `steps` counts what kernels
    /// do and tells when they are to stop; may be null.
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

    /// Returns the elements of a small integer input if inference or a constant tells them.
    std::optional<std::vector<Dim>> values(std::size_t input) const;
    /// Returns the same if all elements are plain integers.
    std::optional<std::vector<std::int64_t>> integers(std::size_t input) const;
    /// Returns the elements of a small constant input as numbers.
    std::optional<std::vector<double>> reals(std::size_t input) const;

    /// Counts steps of a kernel (base/steps.h), one for each element computed or looked at, and
    /// tells whether the kernel is to stop; its result is then stoppedError().
    bool stopped(std::uint64_t steps) const;

    /// Returns a Model error that names the node.
    tl::unexpected<Error> refuse(std::string reason) const;

private:
    const Node &m_node;
    std::vector<const Tensor *> m_inputs;
    std::int64_t m_opset;
    std::uint64_t m_maxBytes;
    Steps *m_steps;
};

class AdjointBuilder;

/// Holds a call of a graph that becomes part of a training step. The operator's entry may give it
/// more outputs so that its gradient needs to read less.
class TrainedCall {
public:
    explicit TrainedCall(Node before) : node(std::move(before)) {}
    virtual ~TrainedCall() = default;
    /// Tells whether normalizations take the statistics of the batch instead of the stored ones.
    virtual bool takesBatchStatistics() const = 0;
    /// Returns the value of an input, or null if it is not constant or omitted.
    virtual const TensorData *constant(std::size_t input) const = 0;
    /// Adds an output, named after the first one with `suffix`. Returns false if the call already
    /// has it.
    virtual bool addOutput(std::size_t output, std::string_view suffix) = 0;
    /// Makes an output hold the value that an input, a stored statistic, has after the step.
    virtual void renew(std::size_t input, std::size_t output) = 0;
    /// Returns a number that is different for each call.
    virtual std::int64_t number() const = 0;

    Node node; // in its new form
};

/// Pairs an output of a nested graph with the input that takes its value in the next iteration.
struct CarriedState {
    std::size_t input, output;
};

/// Describes an operator: everything else about it is derived from what `describe` returns
/// (analysis.h).
struct Operator {
    std::string_view domain, name;
    std::int64_t since = 1;              // first opset version of this form
    int leastInputs = 1, mostInputs = 1; // mostInputs < 0: any number
    int outputs = 1;                     // the most; < 0: any number
    /// Returns the stages of a call. All present inputs have a known type and rank, unless
    /// `anyRank`. Fails (Model) if attributes, types or shapes contradict the operator's
    /// definition.
    Result<Description> (*describe)(const Call &call);
    /// Computes a call of an operator whose description is opaque; null for all others. `inputs`
    /// are null where omitted. Returns one tensor per output of the node. Asks call.stopped() every
    /// few thousand steps.
    using Kernel = Result<std::vector<TensorData>> (*)(const Call &call,
                                                       std::span<const TensorData *const> inputs);
    Kernel kernel = nullptr;
    bool anyRank = false;
    /// Takes the place of `kernel` for operators with nested graphs or with values that are not
    /// tensors. `run` returns the outputs of the graph in the named attribute; what the graph
    /// captures is already bound.
    using RunNested = std::function<Result<std::vector<DataValue>>(
        std::string_view attribute, const std::vector<DataValue> &inputs)>;
    using ValueKernel = Result<std::vector<DataValue>> (*)(const Call &call,
                                                           std::span<const DataValue *const> inputs,
                                                           const RunNested &run);
    ValueKernel valueKernel = nullptr;
    /// Returns what is known of the inputs that a nested graph is called with (Loop's iteration
    /// number, condition and carried values). Set for operators with nested graphs.
    std::vector<Tensor> (*bodyInputs)(const Call &call) = nullptr;
    /// Returns what is carried from one iteration to the next. Set for operators that run a nested
    /// graph repeatedly.
    std::vector<CarriedState> (*carried)(const Call &call) = nullptr;
    /// Returns the attribute of the nested graph that runs, or "" if what is known of the inputs
    /// does not tell it. Set for operators that run one of their nested graphs once and return its
    /// outputs.
    std::string_view (*chosenBody)(const Call &call) = nullptr;
    /// Example call (example.h).
    std::string_view example = {};
    /// Returns the derivative of the result with respect to the argument of the outermost function
    /// of its body, as an expression of the result: y * (1 - y) for Sigmoid; empty if attributes
    /// forbid it. It makes gradients cheaper than deriving the stages (adjoint.h). Terms of the
    /// argument have the factor 1, so that the slope holds for each of them.
    Expr (*slope)(const Expr &result, const Attributes &attributes) = nullptr;
    /// Adds the stages of the gradient with respect to the builder's input in a closed form.
    /// Returns false if there is none for this call.
    Result<bool> (*gradient)(AdjointBuilder &builder) = nullptr;

    /// Changes a call for training. Returns false if the call stays as it is.
    bool (*train)(TrainedCall &call) = nullptr;
    /// True if the result depends on the extents of its input only, not on its elements.
    bool tellsExtents = false;
    /// Names the input that holds the extents of the result. If `repeats`, the elements of the
    /// first input are repeated to fill the result; otherwise their number stays the same.
    struct Target {
        int input = -1;
        bool repeats = false;
    };
    Target target = {};

    /// Inputs, as bits, that hold statistics of data: training carries them along instead of
    /// learning them.
    std::uint32_t statistics = 0;
    /// Tells whether an input holds sums or means of squares, which are never negative; null if
    /// none does.
    bool (*isOfSquares)(const Node &node, std::size_t input) = nullptr;
    /// True if calls whose description is opaque draw random numbers: different ones each time,
    /// unless the attribute `seed` is set.
    bool draws = false;

    /// Returns the entry with these statistics.
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
    /// Returns the entry with this example.
    constexpr Operator like(std::string_view call) const
    {
        Operator entry = *this;
        entry.example = call;
        return entry;
    }
    /// Return the entry with this slope, or with this closed form of its gradients.
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

/// Returns all operators, sorted by domain and name.
std::span<const Operator> operatorTable();
/// Returns the entry for a node of the given opset, or null if the table has none.
const Operator *findOperator(std::string_view domain, std::string_view name, std::int64_t opset);

/// Returns the tensors that a call takes, null where the node omits one.
std::vector<const Tensor *> operandsOf(const Graph &graph, const Node &node);

/// Returns what a node of a graph computes, with the shapes of all values derived. An operator that
/// is not in the table, or whose inputs have unknown rank, gets an opaque description that says so.
/// Fails (Model) if the node contradicts its operator's definition.
Result<Description> describe(const Graph &graph, NodeId node, const Opsets &opsets);
Result<Description> describe(const Call &call);

/// Checks the shape of an output. Fails (Model) if no tensor can have it: an extent is negative, or
/// it has too many elements or dimensions.
Result<void> checkShape(const Call &call, const Shape &shape, int output);

} // namespace graphloom
