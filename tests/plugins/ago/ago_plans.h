// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/ago/ago_pass.h"
#include "tests/support/synthetic_graphs.h"

#include <QtGlobal>

#include <initializer_list>
#include <string_view>
#include <utility>

/// Plans for the pass, and what it is run with.
namespace graphloom::test {

/// Values of parameters by name; the others are as they are by default.
using AgoSettings = std::initializer_list<std::pair<std::string_view, std::string_view>>;

inline Context with(AgoSettings settings)
{
    Context context;
    context.settings = Settings(ago::AgoPass().parameters());
    for (const auto &[name, value] : settings)
        if (!context.settings.set(name, value))
            qFatal("no such setting");
    return context;
}

/// The plan that a graph begins with.
inline Plan planOf(Graph graph)
{
    return *initialPlan(test::modelOf(std::move(graph)));
}

} // namespace graphloom::test
