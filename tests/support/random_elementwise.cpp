// SPDX-License-Identifier: Apache-2.0
#include "tests/support/attribute.h"
#include "tests/support/random_calls.h"

namespace graphloom::test {

bool unary(NetworkBuilder &to, const Known &x)
{
    static const std::vector<const char *> smooth{
        "Sigmoid",  "Tanh", "Erf", "HardSwish", "HardSigmoid", "Elu",  "Softplus",
        "Softsign", "Mish", "Sin", "Cos",       "Selu",        "Celu", "Gelu"};
    static const std::vector<const char *> exact{"Relu", "Neg", "Abs", "Identity", "LeakyRelu"};
    static const std::vector<const char *> steps{"Floor", "Ceil", "Round", "Sign"};
    if (x.exact && to.oneIn(5))
        return to.call(steps[std::size_t(to.pick(4))], {x.id}, {}, true);
    if (to.oneIn(2))
        return to.call(exact[std::size_t(to.pick(5))], {x.id}, {}, x.exact);
    return to.call(smooth[std::size_t(to.pick(int(smooth.size())))], {x.id});
}

bool binary(NetworkBuilder &to, const Known &x)
{
    static const std::vector<const char *> names{"Add", "Sub", "Mul", "Max", "Min", "PRelu"};
    const char *name = names[std::size_t(to.pick(int(names.size())))];
    const bool exact = x.exact && (name == names[3] || name == names[4]);
    if (to.oneIn(2))
        return to.call(name, {x.id, to.broadcastConstant(x.extents)}, {}, exact);
    const Known y = to.any();
    return to.oneIn(2) ? to.call(name, {x.id, y.id}) : to.call(name, {y.id, x.id});
}

bool compared(NetworkBuilder &to, const Known &x)
{
    if (!x.exact) // otherwise the slightest error changes the choice
        return false;
    static const std::vector<const char *> names{"Less", "Greater", "LessOrEqual", "Equal"};
    if (!to.call(names[std::size_t(to.pick(4))], {x.id, to.broadcastConstant(x.extents)}, {}, true,
                 1, false))
        return false;
    const TensorId condition = to.last();
    if (to.oneIn(4))
        return to.call("Cast", {condition}, {integer("to", 1)}, true);
    const Known y = to.any();
    return to.call("Where",
                   {condition, x.id, to.oneIn(2) ? y.id : to.broadcastConstant(x.extents)});
}

} // namespace graphloom::test
