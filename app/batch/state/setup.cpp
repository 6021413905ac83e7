// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/state/setup.h"

#include "app/batch/report/baseline.h"
#include "app/batch/report/metric_rules.h"
#include "engine/package/staged_package.h"
#include "engine/pass/device_parameter.h"
#include "engine/profile/user_profile.h"
#include "engine/system/stream_path.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace graphloom {

namespace fs = std::filesystem;

namespace {

/// Returns the pass or target of this name. Fails (Usage) with the available names.
template <class Plugin, class Interface>
Result<std::shared_ptr<const Interface>> find(const std::string &name,
                                              const std::vector<Plugin> &plugins,
                                              std::shared_ptr<const Interface> Plugin::*made,
                                              const std::string &noun, const std::string &option)
{
    std::string names, problems;
    for (const Plugin &plugin : plugins) {
        if (plugin.*made && (plugin.*made)->name() == name)
            return plugin.*made;
        if (plugin.*made)
            names += (names.empty() ? "" : ", ") + std::string((plugin.*made)->name());
        else
            problems +=
                ". " + plugin.file.filename().string() + " cannot be used: " + plugin.problem;
    }
    return fail(Error::Kind::Usage,
                "unknown " + noun + "; available: " + (names.empty() ? "none" : names) + problems,
                option + " " + name);
}

Result<ChosenTarget> chosenTarget(const BatchOptions::TargetName &name,
                                  const std::vector<TargetPlugin> &targets)
{
    if (name.target.empty())
        return thisMachineAmong(targets);
    GL_TRY_RESULT(target, find(name.target, targets, &TargetPlugin::target, "target", "--target"));
    const std::vector<std::string> devices = (*target)->devices();
    if (name.device.empty())
        return ChosenTarget{*target, devices.front()};
    if ((*target)->hasDevice(name.device))
        return ChosenTarget{*target, name.device};
    std::string names;
    for (const std::string &device : devices)
        names += (names.empty() ? "" : ", ") + device;
    return fail(Error::Kind::Usage, "unknown device of the target; available: " + names,
                "--target " + name.target + ":" + name.device);
}

Result<void> applySettings(const BatchOptions &options, std::vector<ChosenPass> &passes)
{
    for (const BatchOptions::Setting &setting : options.settings) {
        bool found = false;
        for (ChosenPass &chosen : passes) {
            if (chosen.pass->name() != setting.pass)
                continue;
            found = true;
            if (auto set = chosen.settings.set(setting.parameter, setting.value); !set) {
                Error error = set.error();
                error.where =
                    "--set " + setting.pass + "." + setting.parameter + "=" + setting.value;
                return tl::unexpected(std::move(error));
            }
        }
        if (!found)
            return fail(Error::Kind::Usage, "\"" + setting.pass + "\" is not one of the --passes",
                        "--set " + setting.pass + "." + setting.parameter);
    }
    return {};
}

/// Sets the parameter "seconds" or "trials" of passes that search.
Result<void> applyBudget(const Budget &budget, std::vector<ChosenPass> &passes)
{
    const std::string_view wanted = budget.unit == Budget::Unit::Seconds ? "seconds" : "trials";
    bool found = false;
    for (ChosenPass &chosen : passes) {
        if (!std::ranges::count(chosen.pass->parameters(), wanted, &Parameter::name))
            continue;
        found = true;
        GL_TRY(chosen.settings.set(wanted, budget.amount));
    }
    if (!found)
        return fail(Error::Kind::Usage, "no pass has a budget in " + std::string(wanted),
                    "--budget");
    return {};
}

/// Refuses limits that no pass would use.
Result<void> checkObjective(const BatchOptions &options, const std::vector<ChosenPass> &passes)
{
    const std::string &option = options.objective.option;
    const bool used = std::ranges::any_of(
        passes, [](const ChosenPass &chosen) { return chosen.pass->usesObjective(); });
    if (!option.empty() && !used)
        return fail(Error::Kind::Usage, "no pass uses an objective", option);
    return {};
}

/// Finds the device that passes plan for.
Result<void> choosePlanned(const BatchOptions &options, const std::vector<TargetPlugin> &targets,
                           Setup &setup)
{
    if (options.device) {
        const std::string where = "--device " + *options.device;
        setup.described = findDevice(*options.device);
        if (!setup.described) {
            std::string names;
            for (const std::string_view name : deviceNames())
                names += (names.empty() ? "" : ", ") + std::string(name);
            return fail(Error::Kind::Usage,
                        "unknown device; available: " + names +
                            ". Devices that plans are built for are chosen by --target",
                        where);
        }
        if (options.target && !options.target->target.empty())
            return fail(Error::Kind::Usage,
                        "--target chooses the device, too; to plan for another one, set the "
                        "parameter \"device\" of a pass",
                        where);
        return {};
    }
    if (std::ranges::none_of(setup.passes, [](const ChosenPass &chosen) {
            return usesPlanDevice(*chosen.pass, chosen.settings);
        }))
        return {};
    if (setup.target)
        setup.plannedOn = setup.target;
    else if (auto here = thisMachineAmong(targets))
        setup.plannedOn = *std::move(here);
    else
        setup.described = &devices().front();
    return {};
}

/// Makes two names for one file equal, even if it does not exist yet.
fs::path normalized(const fs::path &path)
{
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    const fs::path canonical = fs::weakly_canonical(absolute, error);
    return error ? absolute : canonical;
}

/// Checks the nearest existing folder, in which a missing one is created.
Result<void> checkFolder(const char *option, const fs::path &folder)
{
    const std::string where = option + (" " + folder.string());
    std::error_code ignored;
    fs::path place = normalized(folder);
    while (!fs::exists(place, ignored) && place.has_relative_path())
        place = place.parent_path();
    if (!fs::is_directory(place, ignored))
        return fail(Error::Kind::Usage, place.string() + " is not a folder", where);
    if (::access(place.c_str(), W_OK) != 0)
        return fail(Error::Kind::Missing,
                    "cannot write to " + place.string() + ": " + std::strerror(errno), where);
    return {};
}

/// Refuses tolerances that match no figure.
Result<void> checkTolerances(const BatchOptions &options)
{
    for (const Tolerance &tolerance : options.tolerances)
        if (!matchesSomeMetric(tolerance.pattern))
            return fail(Error::Kind::Usage,
                        "it matches no compared figure; examples are fusion.layers_after, "
                        "memory.arena_bytes, latency.after_ms, partition.*",
                        "--tolerance " + tolerance.pattern);
    return {};
}

} // namespace

Result<void> checkPlaces(const BatchOptions &options)
{
    std::vector<std::pair<std::string, fs::path>> taken = {
        {"the model", normalized(options.model)}};
    if (options.baseline)
        taken.emplace_back("--baseline", normalized(*options.baseline));
    if (options.compare)
        taken.emplace_back("--compare", normalized(*options.compare));
    if (const auto database = profileFile(options.profile))
        taken.emplace_back("the profile database", normalized(*database));
    if (const auto &resume = options.objective.resume) {
        std::error_code ignored;
        if (!fs::is_regular_file(*resume, ignored))
            return fail(Error::Kind::Missing, "file not found", "--resume " + resume->string());
    }
    for (const auto &[name, path] : {std::pair{"--export", options.exportTo},
                                     {"--checkpoint", options.objective.checkpoint},
                                     {"--report", options.report},
                                     {"--html", options.html},
                                     {"--save", options.save},
                                     {"--junit", options.junit},
                                     {"--sarif", options.sarif},
                                     {"--trace", options.trace}}) {
        if (!path)
            continue;
        const fs::path place = normalized(*path);
        const std::string where = std::string(name) + " " + path->string();
        for (const auto &[what, other] : taken)
            if (place == other)
                return fail(Error::Kind::Usage, "would overwrite " + what, where);
        std::error_code ignored;
        if (fs::is_directory(place, ignored))
            return fail(Error::Kind::Usage, "is a folder", where);
        if (!fs::is_directory(place.parent_path(), ignored))
            return fail(Error::Kind::Missing, "its folder does not exist", where);
        if (isStream(*path)) { // several outputs may share a stream
            if (path == options.exportTo || path == options.objective.checkpoint ||
                path == options.save)
                return fail(Error::Kind::Usage, "is not a file", where);
            continue;
        }
        if (::access(place.parent_path().c_str(), W_OK) != 0)
            return fail(Error::Kind::Missing,
                        "cannot write to its folder: " + std::string(std::strerror(errno)), where);
        taken.emplace_back(name, place);
    }
    if (options.emitKernels)
        GL_TRY(checkFolder("--emit-kernels", *options.emitKernels));
    if (!options.emitPackage)
        return {};
    GL_TRY(StagedPackage::check(*options.emitPackage));
    return checkFolder("--emit-package", normalized(*options.emitPackage).parent_path());
}

bool buildsPlan(const BatchOptions &options)
{
    // Without a name, something else than building needs the target.
    const bool isAsked = options.target && !options.emitKernels && !options.emitPackage &&
                         !(options.modelledTimes && options.target->target.empty());
    return isAsked || (options.target && (options.measure || options.trace || options.verify ||
                                          !options.testData.empty()));
}

Result<Setup> setUp(const BatchOptions &options, const std::vector<PassPlugin> &passes,
                    const std::vector<TargetPlugin> &targets, std::stop_token stop)
{
    Setup setup;
    for (const std::string &name : options.passes) {
        GL_TRY_RESULT(pass, find(name, passes, &PassPlugin::pass, "pass", "--passes"));
        setup.passes.push_back({*pass, Settings((*pass)->parameters(), (*pass)->rules())});
    }
    GL_TRY(applySettings(options, setup.passes));
    GL_TRY(checkObjective(options, setup.passes));
    // With a target the budget is for tuning.
    if (options.budget && !options.target)
        GL_TRY(applyBudget(*options.budget, setup.passes));
    if (options.target) {
        GL_TRY_RESULT(target, chosenTarget(*options.target, targets));
        const bool tunes = options.budget && options.budget->amount > 0 && !options.modelledTimes;
        if (buildsPlan(options) || tunes)
            GL_TRY(target->target->checkDevice(target->device));
        setup.target = std::move(*target);
    }
    for (const BatchOptions::TargetName &name : options.otherTargets) {
        GL_TRY_RESULT(other, chosenTarget(name, targets));
        GL_TRY(other->target->checkDevice(other->device));
        setup.otherTargets.push_back(std::move(*other));
    }
    GL_TRY(choosePlanned(options, targets, setup));
    for (const std::string &text : options.assertions) {
        GL_TRY_RESULT(expression, Expression::parse(text));
        setup.assertions.push_back(std::move(*expression));
    }
    if (options.baseline) {
        GL_TRY_RESULT(baseline, readBaseline(*options.baseline, stop));
        setup.baseline = std::make_shared<const nlohmann::ordered_json>(std::move(*baseline));
    }
    GL_TRY(checkTolerances(options));
    return setup;
}

} // namespace graphloom
