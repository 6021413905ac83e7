// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/call_timer.h"
#include "engine/plan/objective.h"
#include "engine/plan/plan.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace graphloom {

/// Describes one setting of a pass. The window's form, the --set options, the checks and the help
/// all derive from the pass's table of parameters.
struct Parameter {
    enum class Kind { Real, Integer, Toggle, Choice };

    std::string_view name, help;
    Kind kind = Kind::Real;
    double initial = 0, least = 0, most = 0; // a choice is the index into `choices`
    std::span<const std::string_view> choices = {};

    // For forms:
    std::string_view label = {}; // the name in words: "Time"; empty: as it is
    /// The choices in words; empty, or an empty one: as it is.
    std::span<const std::string_view> choiceLabels = {};
    std::string_view unit = {};  // "s", "KiB"
    std::string_view zero = {};  // what 0 means, in words: "no limit"
    std::string_view group = {}; // title of a group of special parameters; empty: for everybody
};

/// Returns a choice in words.
std::string_view choiceLabel(const Parameter &parameter, std::size_t choice);

/// Describes a rewrite rule as users see it: its effect, its domain, and whether it is used.
struct RuleFacts {
    std::string name;
    std::string category; // "associative", "distributive", "commutative", "cleanup"
    std::string formula;  // "Exp(ReduceMax(x)) <- ReduceMax(Exp(x))"
    std::string domain;   // where the rule holds: "all", "x >= 0"
    std::string flops;    // its change of FLOPs in words and symbols: "4*n -> 2*n"
    bool exact = true;    // over the real numbers; inexact rules are off by default
    bool initial = true;  // whether it is on by default
    /// Counts how often it was applied to the models that the paper evaluates; empty: never
    /// counted.
    std::optional<std::int64_t> fired = std::nullopt;
};

/// Holds values for the parameters of one pass; parameters that were not set have their initial
/// values. The pass's rules can be switched one by one, as parameters "rules.NAME".
class Settings {
public:
    Settings() = default;
    explicit Settings(std::span<const Parameter> parameters, std::span<const RuleFacts> rules = {});

    /// Reads "0.5", "3", "true" or a choice's name. Fails (Usage), naming the parameter, the value
    /// and the allowed values.
    Result<void> set(std::string_view name, std::string_view value);
    Result<void> set(std::string_view name, double value);

    double real(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    bool toggle(std::string_view name) const { return real(name) != 0; }
    /// Tells whether the rule of this name is to be used.
    bool usesRule(std::string_view name) const;
    const std::vector<std::pair<std::string, double>> &values() const { return m_values; }

private:
    const RuleFacts *ruleOf(std::string_view parameter) const;

    std::span<const Parameter> m_parameters;
    std::span<const RuleFacts> m_rules;
    std::vector<std::pair<std::string, double>> m_values; // parameters in order, then rules set
};

class ProfileDatabase;

/// Holds everything that a pass may use of its surroundings. A pass uses no globals and no other
/// clock.
struct Context {
    std::stop_token stop;
    std::uint64_t seed = 0;
    unsigned threads = 0; // 0: one per core
    Settings settings;
    /// Returns the seconds since the run began, without those in which it was held.
    std::function<double()> clock = [start = std::chrono::steady_clock::now()] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    /// Passes with usesObjective() read the objective, write the state of their search to the file
    /// `checkpoint` from time to time, if it is set, and continue from the state of an earlier
    /// search, `resume`.
    Objective objective;
    std::filesystem::path checkpoint;
    struct Resume {
        /// A checkpoint's content, or SearchRecord::state. Empty: that of the plan `from` alone.
        std::string state;
        std::string where; // where the state comes from, for messages
        /// Takes the best plan within the limits that the state holds, without searching further.
        bool only = false;
        /// The plan from which the search continues, or which is changed by hand: its state is one
        /// more starting point, and its locked parts stay. Null: there is none.
        std::shared_ptr<const Plan> from = nullptr;
    };
    std::optional<Resume> resume;
    /// Makes passes with editsFissions() change the plan resume->from by hand instead of searching.
    /// Fails (Usage) if the tree cannot be changed so.
    struct FissionEdit {
        int fission = 0; // index in the plan's MemoryPlan::fissions
        int number = 1;  // number of parts; 1: not carried out
        /// Lifts the fission (MAGIS 5.1): fissions that share nodes with it are no longer carried
        /// out.
        bool lift = false;
        bool locked = false;
    };
    std::optional<FissionEdit> edit;
    /// Measured latencies of kernels, which take precedence over modelled ones; null: there are
    /// none. Passes note what they have decided by them.
    std::shared_ptr<ProfileDatabase> profile;
    /// Returns a timer of calls on a target, for passes that price calls by measurements; nothing
    /// is prepared or run before it is called.
    CallTimers timers = [](std::string_view) -> Result<std::shared_ptr<CallTimer>> {
        return fail(Error::Kind::Missing, "calls cannot be timed here");
    };
    /// Receives snapshots of the work in progress; called from the pass's threads.
    std::function<void(std::shared_ptr<const Plan>)> publish = [](auto) {};
    /// Receives the record of the search so far; called often, from one thread at a time.
    std::function<void(const SearchRecord &)> observe = [](const SearchRecord &) {};
    /// Receives the fraction done in 0..1 and a text of what is being done. A held run waits inside
    /// this call; passes call it several times a second.
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
};

/// A `Pass` transforms plans. Stopping is not an error: run() then returns the best plan so far.
/// Passes have no state of their own; run() may be called from several threads.
class Pass {
public:
    virtual ~Pass() = default;
    virtual std::string_view name() const = 0;
    virtual std::string_view help() const = 0; // one paragraph, with the paper it implements
    virtual std::span<const Parameter> parameters() const = 0;
    /// Returns the rewrite rules that the pass applies, by name; they live as long as the library.
    virtual std::span<const RuleFacts> rules() const { return {}; }
    /// Tells whether the pass works towards Context::objective and keeps checkpoints.
    virtual bool usesObjective() const { return false; }
    /// Tells whether the pass carries out Context::edit.
    virtual bool editsFissions() const { return false; }
    /// Tells whether the pass times calls and keeps the results in the profile database.
    virtual bool measures(const Settings &) const { return false; }
    /// Returns the parts of a plan that a run creates in place of those that there are, with the
    /// names of partsOfGraph().
    virtual std::vector<std::string_view> creates(const Settings &) const { return {}; }
    virtual Result<Plan> run(Plan plan, const Context &context) const = 0;
};

/// The ABI number of pass plugins that this program loads.
inline constexpr std::uint32_t passAbiVersion = 13;
/// Holds what a plugin's `extern "C" const graphloom::PassEntry *graphloom_pass()` returns.
struct PassEntry {
    std::uint32_t abi; // must be first and equal passAbiVersion: the rest may differ otherwise
    std::unique_ptr<Pass> (*make)();
};

/// Runs a pass on a plan and times it. Drops from its result, and from the plans that it publishes,
/// everything that belongs to a graph that no longer exists (graph_change.h). Checks the result (a
/// partition must pass checkPartition()) and appends a PassRecord. A pass that throws is reported
/// (Fault), not fatal.
Result<Plan> runPass(const Pass &pass, Plan plan, const Context &context);

} // namespace graphloom
