// SPDX-License-Identifier: Apache-2.0
#include "engine/base/steps.h"
#include "engine/ops/kernels/kernel_data.h"
#include "engine/ops/kernels/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace graphloom::kernels {

namespace {

/// An activation function of the recurrent operators, with its parameters.
struct Activation {
    std::string name; // lower case
    double alpha = 0, beta = 0;

    double operator()(double x) const
    {
        if (name == "sigmoid")
            return 1 / (1 + std::exp(-x));
        if (name == "tanh")
            return std::tanh(x);
        if (name == "relu")
            return std::max(x, 0.0);
        if (name == "affine")
            return alpha * x + beta;
        if (name == "leakyrelu")
            return x < 0 ? alpha * x : x;
        if (name == "thresholdedrelu")
            return x > alpha ? x : 0;
        if (name == "scaledtanh")
            return alpha * std::tanh(beta * x);
        if (name == "hardsigmoid")
            return std::clamp(alpha * x + beta, 0.0, 1.0);
        if (name == "elu")
            return x < 0 ? alpha * (std::exp(x) - 1) : x;
        if (name == "softsign")
            return x / (1 + std::fabs(x));
        return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); // softplus
    }
};

struct KnownActivation {
    std::string_view name;
    bool hasAlpha, hasBeta;
    double alpha, beta; // defaults
};
constexpr std::array knownActivations{
    KnownActivation{"sigmoid", false, false, 0, 0},
    KnownActivation{"tanh", false, false, 0, 0},
    KnownActivation{"relu", false, false, 0, 0},
    KnownActivation{"affine", true, true, 1, 0},
    KnownActivation{"leakyrelu", true, false, 0.01, 0},
    KnownActivation{"thresholdedrelu", true, false, 1, 0},
    KnownActivation{"scaledtanh", true, true, 1, 1},
    KnownActivation{"hardsigmoid", true, true, 0.2, 0.5},
    KnownActivation{"elu", true, false, 1, 0},
    KnownActivation{"softsign", false, false, 0, 0},
    KnownActivation{"softplus", false, false, 0, 0},
};

/// Returns the activations of all directions. Attribute values for alpha and beta are assigned in
/// order to the functions that have such parameters.
Result<std::vector<Activation>>
activationsOf(const Call &call, const std::vector<std::string> &fallback, std::size_t directions)
{
    std::vector<std::string> names;
    if (const AttributeValue *value = call.attributes().find("activations"))
        if (const auto *given = std::get_if<std::vector<std::string>>(value))
            names = *given;
    if (names.empty())
        for (std::size_t d = 0; d < directions; ++d)
            names.insert(names.end(), fallback.begin(), fallback.end());
    if (names.size() != fallback.size() * directions)
        return call.refuse("needs " + std::to_string(fallback.size() * directions) +
                           " activations, but has " + std::to_string(names.size()));
    const auto alphas = call.attributes().reals("activation_alpha");
    const auto betas = call.attributes().reals("activation_beta");
    std::size_t alpha = 0, beta = 0;
    std::vector<Activation> result;
    for (std::string &name : names) {
        const std::string written = name;
        std::ranges::transform(name, name.begin(),
                               [](unsigned char c) { return char(std::tolower(c)); });
        const auto known = std::ranges::find(knownActivations, name, &KnownActivation::name);
        if (known == knownActivations.end())
            return call.refuse("unknown activation \"" + written + "\"");
        Activation activation{name, known->alpha, known->beta};
        if (known->hasAlpha && alpha < alphas.size())
            activation.alpha = alphas[alpha++];
        if (known->hasBeta && beta < betas.size())
            activation.beta = betas[beta++];
        result.push_back(std::move(activation));
    }
    return result;
}

/// The inputs of one recurrent call; the layout determines the positions of batch and time.
struct Recurrence {
    const Call &call;
    std::size_t gates = 0;
    std::size_t steps = 0, batch = 0, width = 0, hidden = 0, directions = 0;
    bool batchFirst = false;
    bool firstReversed = false; // the first, or only, direction runs backwards
    double clip = HUGE_VAL;     // infinity if there is no clipping
    std::vector<double> x{}, weights{}, recurrent{}, bias{}, initialHidden{}, initialCell{},
        peepholes{};
    std::vector<std::int64_t> lengths{};
    std::vector<Activation> activations{};

    std::size_t xAt(std::size_t t, std::size_t b) const
    {
        return (batchFirst ? b * steps + t : t * batch + b) * width;
    }
    std::size_t outputAt(std::size_t t, std::size_t d, std::size_t b) const
    {
        return (batchFirst ? (b * steps + t) * directions + d : (t * directions + d) * batch + b) *
               hidden;
    }
    std::size_t stateAt(std::size_t d, std::size_t b) const
    {
        return (batchFirst ? b * directions + d : d * batch + b) * hidden;
    }
    const Activation &activation(std::size_t direction, std::size_t number) const
    {
        return activations[direction * (activations.size() / directions) + number];
    }
    double clipped(double value) const { return std::clamp(value, -clip, clip); }
    /// Counts the products of `of` rows and returns whether the call was stopped.
    bool stopped(std::size_t of) const { return call.stopped(of * (width + hidden)); }

    /// Returns row `row` of the input weights times x[t,b] plus its bias.
    double fromInput(std::size_t d, std::size_t row, std::size_t t, std::size_t b) const
    {
        const double *w = weights.data() + (d * gates * hidden + row) * width;
        const double *values = x.data() + xAt(t, b);
        double sum = bias[d * 2 * gates * hidden + row];
        for (std::size_t i = 0; i < width; ++i)
            sum += w[i] * values[i];
        return sum;
    }
    /// Returns row `row` of the recurrent weights times a state plus its bias.
    double fromState(std::size_t d, std::size_t row, const std::vector<double> &state) const
    {
        const double *r = recurrent.data() + (d * gates * hidden + row) * hidden;
        double sum = bias[(d * 2 + 1) * gates * hidden + row];
        for (std::size_t i = 0; i < hidden; ++i)
            sum += r[i] * state[i];
        return sum;
    }
};

Result<Recurrence> read(const Call &call, Inputs inputs, std::size_t gates,
                        const std::vector<std::string> &activations)
{
    const Attributes &attributes = call.attributes();
    const auto &xExtents = inputs[0]->extents();
    const std::string direction = attributes.text("direction", "forward");
    Recurrence r{.call = call, .gates = gates};
    r.batchFirst = attributes.integer("layout", 0) != 0;
    r.steps = std::size_t(xExtents[r.batchFirst ? 1 : 0]);
    r.batch = std::size_t(xExtents[r.batchFirst ? 0 : 1]);
    r.width = std::size_t(xExtents[2]);
    r.hidden = std::size_t(inputs[2]->extents()[2]);
    r.directions = direction == "bidirectional" ? 2 : 1;
    r.firstReversed = direction == "reverse";
    r.clip = attributes.real("clip", HUGE_VALF);
    if (!(r.clip >= 0))
        return call.refuse("its clip must not be negative");
    r.x = realsOf(call, *inputs[0]);
    r.weights = realsOf(call, *inputs[1]);
    r.recurrent = realsOf(call, *inputs[2]);

    const auto optional = [&](std::size_t number,
                              std::size_t count) -> Result<std::vector<double>> {
        if (number >= inputs.size() || !inputs[number])
            return std::vector<double>(count, 0.0);
        if (std::size_t(inputs[number]->elements()) != count)
            return call.refuse("its input " + std::to_string(number) + " has " +
                               std::to_string(inputs[number]->elements()) + " elements; expected " +
                               std::to_string(count));
        return realsOf(call, *inputs[number]);
    };
    const std::size_t states = r.directions * r.batch * r.hidden;
    for (const auto &[number, count, target] :
         {std::tuple{3, r.directions * 2 * gates * r.hidden, &r.bias},
          std::tuple{5, states, &r.initialHidden}, std::tuple{6, states, &r.initialCell},
          std::tuple{7, r.directions * 3 * r.hidden, &r.peepholes}}) {
        GL_TRY_RESULT(values, optional(std::size_t(number), count));
        *target = std::move(*values);
    }
    r.lengths.assign(r.batch, std::int64_t(r.steps));
    if (inputs.size() > 4 && inputs[4]) {
        r.lengths = inputs[4]->integers();
        const auto fits = [&](std::int64_t n) { return n >= 0 && n <= std::int64_t(r.steps); };
        if (r.lengths.size() != r.batch || !std::ranges::all_of(r.lengths, fits))
            return call.refuse("its sequence_lens do not match " + std::to_string(r.batch) +
                               " sequences of up to " + std::to_string(r.steps) + " steps");
    }
    if (call.stopped(0)) // while the inputs were read
        return stoppedError();
    GL_TRY_RESULT(functions, activationsOf(call, activations, r.directions));
    r.activations = std::move(*functions);
    return r;
}

/// Runs step(direction, t, b, hidden state, cell state) over all sequences and returns all hidden
/// states, the last hidden state and the last cell state. A step returns false if it was stopped.
template <class Step> Result<Tensors> run(const Recurrence &r, Step step)
{
    std::vector<double> all(r.steps * r.directions * r.batch * r.hidden, 0.0);
    std::vector<double> lastHidden = r.initialHidden, lastCell = r.initialCell;
    for (std::size_t d = 0; d < r.directions; ++d)
        for (std::size_t b = 0; b < r.batch; ++b) {
            const auto start = std::ptrdiff_t(r.stateAt(d, b)),
                       end = start + std::ptrdiff_t(r.hidden);
            std::vector<double> hidden(r.initialHidden.begin() + start,
                                       r.initialHidden.begin() + end);
            std::vector<double> cell(r.initialCell.begin() + start, r.initialCell.begin() + end);
            const bool reversed = d == 1 || r.firstReversed;
            const auto length = std::size_t(r.lengths[b]);
            for (std::size_t s = 0; s < length; ++s) {
                const std::size_t t = reversed ? length - 1 - s : s;
                if (!step(d, t, b, hidden, cell))
                    return stoppedError();
                std::ranges::copy(hidden, all.begin() + std::ptrdiff_t(r.outputAt(t, d, b)));
            }
            std::ranges::copy(hidden, lastHidden.begin() + start);
            std::ranges::copy(cell, lastCell.begin() + start);
        }
    const auto extent = [](std::size_t n) { return std::int64_t(n); };
    const std::int64_t steps = extent(r.steps), batch = extent(r.batch),
                       directions = extent(r.directions), hidden = extent(r.hidden);
    const DataType type = r.call.type(0);
    const TensorData::Extents last = r.batchFirst ? TensorData::Extents{batch, directions, hidden}
                                                  : TensorData::Extents{directions, batch, hidden};
    Tensors outputs{tensorOf(type,
                             r.batchFirst ? TensorData::Extents{batch, steps, directions, hidden}
                                          : TensorData::Extents{steps, directions, batch, hidden},
                             all),
                    tensorOf(type, last, lastHidden), tensorOf(type, last, lastCell)};
    if (outputs.size() > r.call.outputCount())
        outputs.erase(outputs.begin() + std::ptrdiff_t(r.call.outputCount()), outputs.end());
    return outputs;
}

} // namespace

/// The order of the gates is input, output, forget, cell; that of peepholes input, output, forget.
Result<Tensors> lstm(const Call &call, Inputs inputs)
{
    GL_TRY_CONST(recurrence, read(call, inputs, 4, {"Sigmoid", "Tanh", "Tanh"}));
    const Recurrence &r = *recurrence;
    const bool coupled = call.attributes().integer("input_forget", 0) != 0;
    std::vector<double> newHidden(r.hidden);
    return run(r, [&](std::size_t d, std::size_t t, std::size_t b, std::vector<double> &hidden,
                      std::vector<double> &cell) {
        const double *peephole = r.peepholes.data() + d * 3 * r.hidden;
        const auto gate = [&](std::size_t number, std::size_t h) {
            const std::size_t row = number * r.hidden + h;
            return r.fromInput(d, row, t, b) + r.fromState(d, row, hidden);
        };
        const Activation &f = r.activation(d, 0), &g = r.activation(d, 1),
                         &last = r.activation(d, 2);
        for (std::size_t h = 0; h < r.hidden; ++h) {
            const double input = f(r.clipped(gate(0, h) + peephole[h] * cell[h]));
            const double forget =
                coupled ? 1 - input
                        : f(r.clipped(gate(2, h) + peephole[2 * r.hidden + h] * cell[h]));
            const double candidate = g(r.clipped(gate(3, h)));
            cell[h] = forget * cell[h] + input * candidate;
            const double output = f(r.clipped(gate(1, h) + peephole[r.hidden + h] * cell[h]));
            newHidden[h] = output * last(cell[h]);
            if (r.stopped(r.gates))
                return false;
        }
        hidden = newHidden;
        return true;
    });
}

/// The order of the gates is update, reset, hidden.
Result<Tensors> gru(const Call &call, Inputs inputs)
{
    GL_TRY_CONST(recurrence, read(call, inputs, 3, {"Sigmoid", "Tanh"}));
    const Recurrence &r = *recurrence;
    const bool linearBeforeReset = call.attributes().integer("linear_before_reset", 0) != 0;
    std::vector<double> update(r.hidden), reset(r.hidden), kept(r.hidden), newHidden(r.hidden);
    return run(r, [&](std::size_t d, std::size_t t, std::size_t b, std::vector<double> &hidden,
                      std::vector<double> &) {
        const Activation &f = r.activation(d, 0), &g = r.activation(d, 1);
        for (std::size_t h = 0; h < r.hidden; ++h) {
            update[h] = f(r.clipped(r.fromInput(d, h, t, b) + r.fromState(d, h, hidden)));
            const std::size_t row = r.hidden + h;
            reset[h] = f(r.clipped(r.fromInput(d, row, t, b) + r.fromState(d, row, hidden)));
            kept[h] = reset[h] * hidden[h];
            if (r.stopped(2))
                return false;
        }
        for (std::size_t h = 0; h < r.hidden; ++h) {
            const std::size_t row = 2 * r.hidden + h;
            const double fromState = linearBeforeReset ? reset[h] * r.fromState(d, row, hidden)
                                                       : r.fromState(d, row, kept);
            const double candidate = g(r.clipped(r.fromInput(d, row, t, b) + fromState));
            newHidden[h] = (1 - update[h]) * candidate + update[h] * hidden[h];
            if (r.stopped(1))
                return false;
        }
        hidden = newHidden;
        return true;
    });
}

Result<Tensors> rnn(const Call &call, Inputs inputs)
{
    GL_TRY_CONST(recurrence, read(call, inputs, 1, {"Tanh"}));
    const Recurrence &r = *recurrence;
    std::vector<double> newHidden(r.hidden);
    return run(r, [&](std::size_t d, std::size_t t, std::size_t b, std::vector<double> &hidden,
                      std::vector<double> &) {
        for (std::size_t h = 0; h < r.hidden; ++h) {
            newHidden[h] =
                r.activation(d, 0)(r.clipped(r.fromInput(d, h, t, b) + r.fromState(d, h, hidden)));
            if (r.stopped(r.gates))
                return false;
        }
        hidden = newHidden;
        return true;
    });
}

} // namespace graphloom::kernels
