// SPDX-License-Identifier: Apache-2.0
#include "engine/pass/pass.h"

#include "engine/base/monotone_progress.h"
#include "engine/base/steps.h"
#include "engine/pass/graph_change.h"
#include "engine/plan/plan_check.h"

#include "engine/ops/derive/infer.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <chrono>
#include <cmath>
#include <exception>
#include <new>

namespace graphloom {

namespace {

std::string numberText(double value)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

constexpr std::string_view rulePrefix = "rules.";
/// Every rule is switched by a parameter like this.
constexpr Parameter ruleSwitch = {
    .name = "rules.NAME", .help = "", .kind = Parameter::Kind::Toggle, .most = 1};

/// Describes the values that a parameter accepts.
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

std::string_view choiceLabel(const Parameter &parameter, std::size_t choice)
{
    const auto labels = parameter.choiceLabels;
    return choice < labels.size() && !labels[choice].empty() ? labels[choice]
                                                             : parameter.choices[choice];
}

Settings::Settings(std::span<const Parameter> parameters, std::span<const RuleFacts> rules)
    : m_parameters(parameters), m_rules(rules)
{
    for (const Parameter &parameter : parameters)
        m_values.emplace_back(parameter.name, parameter.initial);
}

const RuleFacts *Settings::ruleOf(std::string_view parameter) const
{
    if (!parameter.starts_with(rulePrefix))
        return nullptr;
    const auto rule =
        std::ranges::find(m_rules, parameter.substr(rulePrefix.size()), &RuleFacts::name);
    return rule == m_rules.end() ? nullptr : &*rule;
}

bool Settings::usesRule(std::string_view name) const
{
    const std::string parameter = std::string(rulePrefix) + std::string(name);
    for (const auto &[key, value] : m_values)
        if (key == parameter)
            return value != 0;
    const RuleFacts *rule = ruleOf(parameter);
    return rule && rule->initial;
}

Result<void> Settings::set(std::string_view name, double value)
{
    if (ruleOf(name)) {
        if (value != 0 && value != 1)
            return fail(Error::Kind::Usage, "parameter \"" + std::string(name) + "\" must be " +
                                                allowed(ruleSwitch) + ", not " + numberText(value));
        const auto known =
            std::ranges::find(m_values, name, &std::pair<std::string, double>::first);
        if (known != m_values.end())
            known->second = value;
        else
            m_values.emplace_back(name, value);
        return {};
    }
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
            return fail(Error::Kind::Usage, "parameter \"" + std::string(name) + "\" must be " +
                                                allowed(parameter) + ", not " + numberText(value));
        m_values[i].second = value;
        return {};
    }
    std::string known;
    for (const Parameter &parameter : m_parameters)
        known += (known.empty() ? "" : ", ") + std::string(parameter.name);
    return fail(Error::Kind::Usage, "unknown parameter \"" + std::string(name) +
                                        "\"; available: " + (known.empty() ? "none" : known) +
                                        (m_rules.empty() ? "" : ", and rules.NAME (--list rules)"));
}

Result<void> Settings::set(std::string_view name, std::string_view text)
{
    const auto found = std::ranges::find(m_parameters, name, &Parameter::name);
    const bool isRule = ruleOf(name) != nullptr;
    if (found == m_parameters.end() && !isRule)
        return set(name, 0.0); // fails, and lists the parameters
    const Parameter *parameter = isRule ? &ruleSwitch : &*found;
    const auto wrong = [&] {
        return fail(Error::Kind::Usage, "parameter \"" + std::string(name) + "\" must be " +
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
    const std::string_view unit(read.ptr, text.data() + text.size());
    if (read.ec != std::errc() || (!unit.empty() && unit != parameter->unit))
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
    const double start = context.clock();
    const std::string name(pass.name());
    // A context may come without settings, or with those of another pass, which must be ignored.
    Context own = context;
    own.settings = Settings(pass.parameters(), pass.rules());
    for (const auto &[key, value] : context.settings.values())
        if (auto set = own.settings.set(key, value); !set)
            return fail(Error::Kind::Usage, set.error().message, name);
    own.progress = monotone(context.progress);
    const Plan before = plan;
    own.publish = [&](std::shared_ptr<const Plan> snapshot) {
        Plan fitting = *snapshot;
        if (!dropOutdated(fitting, before).empty())
            snapshot = std::make_shared<const Plan>(std::move(fitting));
        context.publish(std::move(snapshot));
    };
    const auto guarded = [&]() -> Result<Plan> {
        try {
            return pass.run(std::move(plan), own);
        } catch (const std::bad_alloc &) {
            return fail(Error::Kind::Missing, "not enough memory", name);
        } catch (const std::exception &error) {
            return fail(Error::Kind::Fault, std::string("the pass failed: ") + error.what(), name);
        } catch (...) {
            return fail(Error::Kind::Fault, "the pass failed with an unknown exception", name);
        }
    };
    auto result = guarded();
    const bool beganNothing = !result && context.stop.stop_requested() && isStopped(result.error());
    if (beganNothing)
        result = before; // being cancelled is not a failure
    if (!result)
        return result;
    const auto dropped = dropOutdated(*result, before);
    if (auto checked = checkPlan(*result); !checked)
        return fail(Error::Kind::Fault, checked.error().text(), name);
    // The pass may have appended a record with its summary; the driver adds time and settings.
    if (result->history.size() == before.history.size())
        result->history.emplace_back();
    PassRecord &record = result->history.back();
    record.pass = name;
    record.settings = own.settings.values();
    record.seconds = context.clock() - start;
    if (beganNothing)
        record.summary.push_back({"complete", false});
    if (!dropped.empty())
        record.summary.push_back({"dropped", listed(dropped)});
    return result;
}

} // namespace graphloom
