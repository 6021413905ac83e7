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

/// One setting of a pass. The form in the window, the --set options, the checks and the help
/// all come from a pass's one table of these.
struct Parameter {
    enum class Kind { Real, Integer, Toggle, Choice };

    std::string_view name, help;
    Kind kind = Kind::Real;
    double initial = 0, least = 0, most = 0; // a choice is the index into `choices`
    std::span<const std::string_view> choices = {};
};

/// A rewrite rule as users see it: what it does, where it holds, and whether it is used.
struct RuleFacts {
    std::string name;
    std::string category; // "associative", "distributive", "commutative", "cleanup"
    std::string formula;  // "Exp(ReduceMax(x)) <- ReduceMax(Exp(x))"
    std::string domain;   // where it holds: "all", "x >= 0"
    std::string flops;    // its change of FLOPs in words and symbols: "4*n -> 2*n"
    bool exact = true;    // over the real numbers; one that is not is off unless asked for
    bool initial = true;  // on when nothing is said
    /// How often it was applied to the models that the paper evaluates; none: never counted.
    std::optional<std::int64_t> fired = std::nullopt;
};

/// Values for the parameters of one pass; what was not set has its initial value. Rules of the
/// pass can be switched one by one, as parameters "rules.NAME".
class Settings {
public:
    Settings() = default;
    explicit Settings(std::span<const Parameter> parameters, std::span<const RuleFacts> rules = {});

    /// Reads "0.5", "3", "true" or a choice's name. Fails (Usage) naming the parameter, the
    /// value and what is allowed.
    Result<void> set(std::string_view name, std::string_view value);
    Result<void> set(std::string_view name, double value);

    double real(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    bool toggle(std::string_view name) const { return real(name) != 0; }
    /// Is the rule of this name to be used?
    bool usesRule(std::string_view name) const;
    const std::vector<std::pair<std::string, double>> &values() const { return m_values; }

private:
    const RuleFacts *ruleOf(std::string_view parameter) const;

    std::span<const Parameter> m_parameters;
    std::span<const RuleFacts> m_rules;
    std::vector<std::pair<std::string, double>> m_values; // parameters in order, then rules set
};

class ProfileDatabase;

/// What a pass may use of its surroundings. Nothing else: no globals, no clock.
struct Context {
    std::stop_token stop;
    std::uint64_t seed = 0;
    unsigned threads = 0; // 0: one per core
    Settings settings;
    /// Seconds since the run began, without those in which it was held.
    std::function<double()> clock = [start = std::chrono::steady_clock::now()] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    /// For passes with usesObjective(): what they work towards; the file to which the state of
    /// the search is written from time to time, if any; what an earlier search wrote, to go on from
    /// there.
    Objective objective;
    std::filesystem::path checkpoint;
    struct Resume {
        std::string state; // a checkpoint's content, or SearchRecord::state
        std::string where; // it is from, for messages
        /// Take the best of what it has within the limits, and search no further.
        bool only = false;
        /// The plan that is gone on from, or changed by hand: its state is one more to begin with,
        /// and what is locked in it stays. Null: there is none.
        std::shared_ptr<const Plan> from = nullptr;
    };
    std::optional<Resume> resume;
    /// For passes with editsFissions(): to change the plan resume->from by hand, instead of
    /// searching. Refused (Usage) where the tree cannot be so.
    struct FissionEdit {
        int fission = 0; // in the plan's MemoryPlan::fissions
        int number = 1;  // of parts; 1: not carried out
        /// Lifting (MAGIS 5.1): those that it shares nodes with are not carried out any more.
        bool lift = false;
        bool locked = false;
    };
    std::optional<FissionEdit> edit;
    /// Measured latencies of kernels, which go before modelled ones; null: there are none.
    std::shared_ptr<const ProfileDatabase> profile;
    /// Times calls on a target, for passes that price them by measurements; nothing is prepared or
    /// run before it is asked.
    CallTimers timers = [](std::string_view) -> Result<std::shared_ptr<CallTimer>> {
        return fail(Error::Kind::Missing, "nothing here times calls");
    };
    /// Takes snapshots of the work in progress; called from the pass's threads.
    std::function<void(std::shared_ptr<const Plan>)> publish = [](auto) {};
    /// Takes what a search has done so far; called from one thread at a time, often.
    std::function<void(const SearchRecord &)> observe = [](const SearchRecord &) {};
    /// Fraction done in 0..1 and what is being done. It is here that a run is held: passes call it
    /// several times a second.
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
};

/// A transformation of plans. Stopping is not an error: run() then returns the best plan so
/// far. Passes have no state of their own; run() may be called from several threads.
class Pass {
public:
    virtual ~Pass() = default;
    virtual std::string_view name() const = 0;
    virtual std::string_view help() const = 0; // one paragraph, with the paper it implements
    virtual std::span<const Parameter> parameters() const = 0;
    /// The rewrite rules it applies, by name; they live as long as the library.
    virtual std::span<const RuleFacts> rules() const { return {}; }
    /// Whether it works towards Context::objective and keeps checkpoints.
    virtual bool usesObjective() const { return false; }
    /// Whether it carries out Context::edit.
    virtual bool editsFissions() const { return false; }
    /// Whether it times calls, and keeps what it finds in the profile database.
    virtual bool measures(const Settings &) const { return false; }
    virtual Result<Plan> run(Plan plan, const Context &context) const = 0;
};

/// What `extern "C" const graphloom::PassEntry *graphloom_pass()` of a plugin returns.
inline constexpr std::uint32_t passAbiVersion = 12;
struct PassEntry {
    std::uint32_t abi; // must be first and equal passAbiVersion: the rest may differ otherwise
    std::unique_ptr<Pass> (*make)();
};

/// Runs a pass on a plan, times it, drops what is of a graph that is no more from its result and
/// from what it publishes (graph_change.h), checks the result (a partition must pass
/// checkPartition) and appends a PassRecord. A pass that throws is reported (Fault), not fatal.
Result<Plan> runPass(const Pass &pass, Plan plan, const Context &context);

} // namespace graphloom
