// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/composites/composites.h"

#include "engine/rewrite/composites/composite_calls.h"

#include <cmath>

namespace graphloom {

namespace {

using Patterns = std::vector<Pattern>;

/// Is the value a constant of one element close to the number? Exporters round.
bool isAbout(const Match &m, std::string_view name, double number)
{
    if (!m.has(name))
        return true;
    const TensorData *data = m.constant(name);
    return data && data->elements() == 1 && std::abs(data->real(0) - number) < 2e-3;
}

template <class Spell> Patterns each(const Patterns &some, Spell spell)
{
    Patterns all;
    for (const Pattern &pattern : some)
        for (Pattern &spelt : spell(pattern))
            all.push_back(std::move(spelt));
    return all;
}

Patterns squares(const Pattern &x)
{
    return {call("Pow", {x, number(2)}).as("square"), call("Mul", {x, x}).as("square")};
}

/// x / Sqrt(v + epsilon).
Patterns overRoot(const Pattern &x, const Pattern &variance)
{
    const Pattern sum = call("Add", {variance, constant("epsilon")}).as("sum");
    Patterns all;
    for (const Pattern &root :
         {call("Sqrt", {sum}).as("root"), call("Pow", {sum, number(0.5)}).as("root")}) {
        all.push_back(call("Div", {x, root}).as("normal"));
        for (const Pattern &inverse : {call("Reciprocal", {root}).as("inverse"),
                                       call("Div", {number(1), root}).as("inverse")})
            all.push_back(call("Mul", {x, inverse}).as("normal"));
    }
    all.push_back(call("Mul", {x, call("Pow", {sum, number(-0.5)}).as("root")}).as("normal"));
    return all;
}

/// Returns x followed by a factor and an addend, by a factor, or by nothing.
Patterns affine(const Pattern &x)
{
    const Pattern scaled = call("Mul", {x, constant("scale")}).as("scaled");
    return {call("Add", {scaled, constant("shift")}).as("shifted"), scaled, x};
}

Pattern mean(const Pattern &x, std::string as)
{
    return call("ReduceMean", {x}).andMore().as(std::move(as));
}

Composite layerNormalization()
{
    const Pattern x = any("x");
    const Pattern centred = call("Sub", {x, mean(x, "mean")}).as("centred");
    return {"LayerNormalization",
            each(squares(centred),
                 [&](const Pattern &square) {
                     return each(overRoot(centred, mean(square, "variance")), affine);
                 }),
            [](const Match &m) { return m.shape("mean") == m.shape("variance"); },
            composite_calls::layerNormalization};
}

Composite rmsNormalization()
{
    const Pattern x = any("x");
    return {"RMSNormalization",
            each(squares(x),
                 [&](const Pattern &square) {
                     return each(overRoot(x, mean(square, "variance")), affine);
                 }),
            {},
            composite_calls::rmsNormalization};
}

/// a * b * c in every order.
Patterns products(const Pattern &a, const Pattern &b, const Pattern &c)
{
    Patterns all;
    for (const auto &[left, right, last] : {std::tuple(a, b, c), {a, c, b}, {b, c, a}})
        all.push_back(call("Mul", {call("Mul", {left, right}).as("product"), last}).as("result"));
    return all;
}

/// x * 0.5 * (1 + Erf(x / sqrt(2))), or with Tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)).
Composite gelu()
{
    const Pattern x = any("x");
    Patterns bells;
    for (const Pattern &scaled : {call("Div", {x, constant("root2")}).as("argument"),
                                  call("Mul", {x, constant("inverse2")}).as("argument")})
        bells.push_back(call("Erf", {scaled}).as("bell"));
    const Pattern square = call("Mul", {x, x}).as("square");
    for (const Pattern &cube :
         {call("Pow", {x, number(3)}).as("cube"), call("Mul", {square, x}).as("cube")})
        bells.push_back(
            call("Tanh",
                 {call("Mul", {call("Add", {x, call("Mul", {cube, constant("cubic")}).as("small")})
                                   .as("inner"),
                               constant("rate")})
                      .as("argument")})
                .as("bell"));
    const Pattern factor =
        call("Add", {call("Mul", {square, constant("cubic")}).as("small"), number(1)}).as("inner");
    for (const Pattern &argument : products(x, factor, constant("rate")))
        bells.push_back(call("Tanh", {call("Mul", {argument->inputs[0].as("half argument"),
                                                   argument->inputs[1]})
                                          .as("argument")})
                            .as("bell"));
    return {"Gelu",
            each(bells,
                 [&](const Pattern &bell) {
                     return products(x, number(0.5), call("Add", {bell, number(1)}).as("raised"));
                 }),
            [](const Match &m) {
                return isAbout(m, "root2", std::sqrt(2)) &&
                       isAbout(m, "inverse2", std::sqrt(0.5)) && isAbout(m, "cubic", 0.044715) &&
                       isAbout(m, "rate", 0.797885);
            },
            composite_calls::gelu};
}

Composite softmax()
{
    const Pattern x = any("x");
    Patterns all;
    for (const Pattern &shifted :
         {call("Sub", {x, call("ReduceMax", {x}).andMore().as("greatest")}).as("shifted"), x}) {
        const Pattern exponential = call("Exp", {shifted}).as("exponential");
        const Pattern sum = call("ReduceSum", {exponential}).andMore().as("sum");
        all.push_back(call("Div", {exponential, sum}).as("result"));
        all.push_back(
            call("Mul", {exponential, call("Reciprocal", {sum}).as("inverse")}).as("result"));
    }
    return {
        "Softmax", std::move(all),
        [](const Match &m) { return !m.has("greatest") || m.shape("greatest") == m.shape("sum"); },
        composite_calls::softmax};
}

Composite swish()
{
    const Pattern x = any("x");
    return {"Swish",
            {call("Mul", {x, call("Sigmoid", {x}).as("gate")}).as("result")},
            {},
            composite_calls::swish};
}

Composite mish()
{
    const Pattern x = any("x");
    const Pattern plus = call("Softplus", {x}).as("plus");
    return {"Mish",
            {call("Mul", {x, call("Tanh", {plus}).as("gate")}).as("result")},
            {},
            composite_calls::mish};
}

/// x * Clip(x + 3, 0, 6) / 6.
Composite hardSwish()
{
    const Pattern x = any("x");
    const Pattern clipped =
        call("Clip", {call("Add", {x, number(3)}).as("raised"), number(0), number(6)}).as("gate");
    Patterns all = products(x, clipped, constant("sixth"));
    all.push_back(call("Mul", {x, call("Div", {clipped, number(6)}).as("part")}).as("result"));
    all.push_back(call("Div", {call("Mul", {x, clipped}).as("part"), number(6)}).as("result"));
    all.push_back(call("Mul", {x, call("HardSigmoid", {x}).as("gate")}).as("result"));
    return {"HardSwish", std::move(all),
            [](const Match &m) {
                const Attributes &gate = m["gate"].attributes;
                const bool isHard = m["gate"].op == "HardSigmoid";
                return isAbout(m, "sixth", 1.0 / 6) &&
                       (!isHard || (std::abs(gate.real("alpha", 0.2f) - 1.0 / 6) < 1e-4 &&
                                    std::abs(gate.real("beta", 0.5f) - 0.5) < 1e-4));
            },
            composite_calls::hardSwish};
}

/// Softmax(q * k * scale + mask) * v.
Composite attention()
{
    const Pattern product = call("MatMul", {any("q"), any("k")}).as("scores");
    const Patterns scaled = {call("Div", {product, constant("divisor")}).as("scaled"),
                             call("Mul", {product, constant("factor")}).as("scaled"), product};
    const Patterns masked = each(scaled, [](const Pattern &scores) {
        Patterns all;
        for (const Pattern &chosen :
             {call("Where", {any("condition"), any("other"), scores}).as("chosen"),
              call("Where", {any("condition"), scores, any("other")}).as("chosen"), scores}) {
            all.push_back(call("Add", {chosen, any("mask")}).as("masked"));
            all.push_back(chosen);
        }
        return all;
    });
    return {"Attention", each(masked, [](const Pattern &scores) {
                const Pattern weights = call("Softmax", {scores}).as("weights");
                return Patterns{call("MatMul", {weights, any("v")}).as("result")};
            })};
}

} // namespace

const std::vector<Composite> &composites()
{
    static const std::vector<Composite> all = {
        attention(),
        layerNormalization(),
        rmsNormalization(),
        gelu(),
        softmax(),
        hardSwish(),
        mish(),
        swish(),
    };
    return all;
}

} // namespace graphloom
