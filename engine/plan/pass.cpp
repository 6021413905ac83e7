// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/pass.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>

namespace graphloom {

namespace {

std::string numberText(double value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

/// What a parameter accepts, in words.
std::string allowed(const Parameter &parameter)
{
    switch (parameter.kind) {
    case Parameter::Kind::Toggle:
        return "true or false";
    case Parameter::Kind::Choice: {
        std::string names;
        for (const std::string_view choice : parameter.choices)
            names += (names.empty() ? "" : ", ") + std::string(choice);
        return "one of " + names;
    }
    case Parameter::Kind::Integer:
        return "a whole number from " + numberText(parameter.least) + " to " +
               numberText(parameter.most);
    case Parameter::Kind::Real:
        break;
    }
    return "a number from " + numberText(parameter.least) + " to " + numberText(parameter.most);
}

} // namespace

Settings::Settings(std::span<const Parameter> parameters) : m_parameters(parameters)
{
    for (const Parameter &parameter : parameters)
        m_values.emplace_back(parameter.name, parameter.initial);
}

Result<void> Settings::set(std::string_view name, double value)
{
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        const Parameter &parameter = m_parameters[i];
        if (parameter.name != name)
            continue;
        const bool whole = parameter.kind == Parameter::Kind::Real || value == std::floor(value);
        const double most = parameter.kind == Parameter::Kind::Choice
                                ? double(parameter.choices.size()) - 1
                            : parameter.kind == Parameter::Kind::Toggle ? 1
                                                                        : parameter.most;
        if (!whole || !(value >= parameter.least && value <= most))
            return fail(Error::Kind::Usage, "parameter \"" + std::string(name) + "\" takes " +
                                                allowed(parameter) + ", not " + numberText(value));
        m_values[i].second = value;
        return {};
    }
    std::string known;
    for (const Parameter &parameter : m_parameters)
        known += (known.empty() ? "" : ", ") + std::string(parameter.name);
    return fail(Error::Kind::Usage, "there is no parameter \"" + std::string(name) +
                                        "\"; there are: " + (known.empty() ? "none" : known));
}

Result<void> Settings::set(std::string_view name, std::string_view text)
{
    const auto parameter = std::ranges::find(m_parameters, name, &Parameter::name);
    if (parameter == m_parameters.end())
        return set(name, 0.0); // says which parameters there are
    const auto wrong = [&] {
        return fail(Error::Kind::Usage, "parameter \"" + std::string(name) + "\" takes " +
                                            allowed(*parameter) + ", not \"" + std::string(text) +
                                            "\"");
    };
    if (parameter->kind == Parameter::Kind::Choice) {
        const auto choice = std::ranges::find(parameter->choices, text);
        return choice == parameter->choices.end()
                   ? Result<void>(wrong())
                   : set(name, double(choice - parameter->choices.begin()));
    }
    if (parameter->kind == Parameter::Kind::Toggle) {
        const bool yes = text == "true" || text == "on" || text == "1";
        const bool no = text == "false" || text == "off" || text == "0";
        return yes || no ? set(name, yes ? 1.0 : 0.0) : Result<void>(wrong());
    }
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
        return wrong();
    return set(name, value);
}

double Settings::real(std::string_view name) const
{
    const auto found = std::ranges::find(m_values, name, &std::pair<std::string, double>::first);
    assert(found != m_values.end()); // a pass asks for its own parameters only
    return found != m_values.end() ? found->second : 0;
}

std::int64_t Settings::integer(std::string_view name) const
{
    return std::int64_t(real(name));
}

Result<Plan> runPass(const Pass &pass, Plan plan, const Context &context)
{
    const auto start = std::chrono::steady_clock::now();
    const std::string name(pass.name());
    // A context may come without settings; and those of another pass must not get through.
    Context own = context;
    own.settings = Settings(pass.parameters());
    for (const auto &[key, value] : context.settings.values())
        if (auto set = own.settings.set(key, value); !set)
            return fail(Error::Kind::Usage, set.error().message, name);
    const std::size_t recordsBefore = plan.history.size();
    const auto guarded = [&]() -> Result<Plan> {
        try {
            return pass.run(std::move(plan), own);
        } catch (const std::exception &error) {
            return fail(Error::Kind::Fault, std::string("the pass failed: ") + error.what(), name);
        } catch (...) {
            return fail(Error::Kind::Fault, "the pass failed with an unknown exception", name);
        }
    };
    auto result = guarded();
    if (!result)
        return result;
    for (const auto &partition : {result->partition, result->baselinePartition})
        if (partition)
            if (auto checked = checkPartition(result->graph, *partition); !checked)
                return fail(Error::Kind::Fault, checked.error().text(), name);
    // The pass may have appended a record with its summary; time and settings are the driver's.
    if (result->history.size() == recordsBefore)
        result->history.emplace_back();
    PassRecord &record = result->history.back();
    record.pass = name;
    record.settings = own.settings.values();
    record.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace graphloom
