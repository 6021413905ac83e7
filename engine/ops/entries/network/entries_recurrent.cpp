// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/body.h"
#include "engine/ops/describe/build.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/entries/entries.h"
#include "engine/ops/kernels/kernels.h"

#include <array>

namespace graphloom::entries {

namespace {

/// Describes the recurrent operators, which differ in the number of gates and in the cell state:
/// X [seq, batch, in], W [dirs, gates*hidden, in], R [dirs, gates*hidden, hidden]; with layout 1
/// the batch comes first.
template <int gates, bool cell> Result<Description> recurrent(const Call &call)
{
    if (call.rank(0) != 3 || call.rank(1) != 3 || call.rank(2) != 3)
        return call.refuse("its input and weights must have rank 3");
    const std::string direction = call.attributes().text("direction", "forward");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
        return call.refuse("direction \"" + direction +
                           "\" is not forward, reverse or bidirectional");
    const Dim directions = direction == "bidirectional" ? 2 : 1;
    const Dim hidden = call.shape(2)[2];
    if (contradict(call.shape(1)[0], directions) || contradict(call.shape(2)[0], directions) ||
        contradict(call.shape(1)[1], hidden * Dim(gates)) ||
        contradict(call.shape(2)[1], hidden * Dim(gates)) ||
        contradict(call.shape(1)[2], call.shape(0)[2]) ||
        contradict(call.attributes().integer("hidden_size", hidden.constant().value_or(0)), hidden))
        return call.refuse("its weights of shapes " + text(call.shape(1)) + " and " +
                           text(call.shape(2)) + " do not match its input of shape " +
                           text(call.shape(0)) + ", direction and hidden_size");
    const bool batchFirst = call.attributes().integer("layout", 0) != 0;
    const Dim &steps = call.shape(0)[batchFirst ? 1 : 0],
              &batch = call.shape(0)[batchFirst ? 0 : 1];
    const DataType type = call.type(0);
    const Shape last =
        batchFirst ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
    std::vector<Value> values{{type,
                               batchFirst ? Shape{batch, steps, directions, hidden}
                                          : Shape{steps, directions, batch, hidden},
                               {}},
                              {type, last, {}}};
    if (cell)
        values.push_back({type, last, {}});
    values.resize(std::min(values.size(), call.outputCount()));
    Description description =
        build::opaque("it carries state from step to step", std::move(values));
    // W times the input and R times the state, at every step.
    description.opaqueMacs =
        steps * batch * directions * call.shape(1)[1] * (call.shape(1)[2] + hidden);
    return description;
}

constexpr std::array recurrentEntries{
    Operator{"", "GRU", 7, 3, 6, 2, recurrent<3, false>, kernels::gru}.like(
        "[5,2,8] w[1,12,8] w[1,12,4] hidden_size=4"),
    Operator{"", "LSTM", 7, 3, 8, 3, recurrent<4, true>, kernels::lstm}.like(
        "[5,2,8] w[1,16,8] w[1,16,4] hidden_size=4 ->3"),
    Operator{"", "RNN", 7, 3, 6, 2, recurrent<1, false>, kernels::rnn}.like(
        "[5,2,8] w[1,4,8] w[1,4,4] hidden_size=4"),
};

} // namespace

std::span<const Operator> recurrent()
{
    return recurrentEntries;
}

} // namespace graphloom::entries
