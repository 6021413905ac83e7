// SPDX-License-Identifier: Apache-2.0
#include "engine/deploy/deployed_plan.h"

#include "engine/base/steady_clock.h"
#include "engine/connection/command.h"
#include "engine/system/child_process.h"
#include "engine/tensors/npy.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace graphloom {

namespace {

constexpr double patience = 3600; // seconds for a run of the program

std::string fileOf(const char *side, std::size_t number)
{
    return std::string(side) + "_" + std::to_string(number) + ".npy";
}

/// Returns the number of a list of the runner's report.
Result<std::vector<double>> numbersOf(const nlohmann::json &times, const std::string &title)
{
    std::vector<double> numbers;
    if (times.is_object() && times.contains("each") && times["each"].is_array())
        for (const nlohmann::json &number : times["each"])
            if (number.is_number())
                numbers.push_back(number.get<double>());
    if (numbers.empty())
        return fail(Error::Kind::Fault, "its program reported no times", title);
    return numbers;
}

/// Tells how the state of the device changed during runs, if it changed so much that their times
/// are worth nothing.
std::string driftOf(const DeployedPlan::Runs &runs)
{
    constexpr double clockShare = 0.05, mostCelsius = 10;
    std::ostringstream text;
    if (runs.clockBefore > 0 && runs.clockAfter > 0 &&
        std::abs(runs.clockAfter / runs.clockBefore - 1) > clockShare)
        text << "its clock went from " << runs.clockBefore << " to " << runs.clockAfter << " MHz";
    else if (runs.celsiusBefore > 0 && runs.celsiusAfter - runs.celsiusBefore > mostCelsius)
        text << "it went from " << runs.celsiusBefore << " to " << runs.celsiusAfter << " C";
    return text.str();
}

/// Times runs until the device stays as it is meanwhile.
Result<DeployedPlan::Runs> steadyRuns(DeployedPlan &plan, int warmup, int runs, bool withSteps,
                                      std::stop_token stop)
{
    constexpr int attempts = 4;
    std::string drift;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        GL_TRY_RESULT(times, plan.timedRuns(warmup, runs, withSteps, stop));
        drift = driftOf(*times);
        if (drift.empty())
            return times;
    }
    return fail(Error::Kind::Missing,
                "the device does not keep its clock while it measures (" + drift +
                    ", each time): let it cool down, or fix its clock",
                plan.connectionTitle());
}

} // namespace

DeployedPlan::DeployedPlan(PackagedPlan plan, std::shared_ptr<Connection> connection)
    : m_plan(std::move(plan)), m_connection(std::move(connection))
{
}

DeployedPlan::~DeployedPlan()
{
    if (!m_folder.empty())
        m_connection->removeFolder(m_folder);
    if (m_plan.isTrial && !m_program.empty())
        m_connection->forget(m_program);
}

Provenance DeployedPlan::provenance() const
{
    return isEmulated() ? Provenance::Modelled : Provenance::Device;
}

Result<void> DeployedPlan::deploy(std::stop_token stop)
{
    if (!m_folder.empty())
        return {};
    GL_TRY_RESULT(program, m_connection->keep(m_plan.program, stop));
    m_program = *std::move(program);
    if (m_plan.hasWeights) {
        GL_TRY_RESULT(weights, m_connection->keep(m_plan.folder.path() / "weights.bin", stop));
        m_weights = *std::move(weights);
    }
    GL_TRY_RESULT(folder, m_connection->makeFolder(stop));
    m_folder = *std::move(folder);
    return {};
}

Result<void> DeployedPlan::setInputs(const std::vector<TensorData> &inputs)
{
    if (inputs.size() != m_plan.inputs.size())
        return fail(Error::Kind::Usage, "the graph takes " + std::to_string(m_plan.inputs.size()) +
                                            " inputs, " + std::to_string(inputs.size()) +
                                            " were given");
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].type() != m_plan.inputs[i].type ||
            inputs[i].extents() != m_plan.inputs[i].extents)
            return fail(Error::Kind::Usage, "the input does not have the declared type and shape",
                        "input \"" + m_plan.inputs[i].name + "\"");
    GL_TRY(deploy({}));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::filesystem::path file = m_plan.folder.path() / fileOf("input", i);
        GL_TRY(writeNpy(inputs[i], file));
        GL_TRY(m_connection->send(file, m_folder + "/" + fileOf("input", i), {}));
    }
    return {};
}

Result<std::vector<std::string>> DeployedPlan::runThrough(Connection &connection, unsigned threads,
                                                          const std::vector<std::string> &arguments,
                                                          std::stop_token stop)
{
    std::vector<std::string> command = {m_program,
                                        "--weights",
                                        m_weights,
                                        "--inputs",
                                        m_folder,
                                        "--threads",
                                        std::to_string(threads)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    GL_TRY_RESULT(result, connection.run(command, stop, patience));
    if (result->ending == 0)
        return std::move(result->lines);
    const std::string told = lastLines(*result);
    if (told.find("an index is out of range") != std::string::npos)
        return fail(Error::Kind::Model, told, connection.title());
    return fail(Error::Kind::Fault,
                "the program of the plan " + ChildProcess::describe(result->ending) +
                    (told.empty() ? "" : ":\n" + told),
                connection.title());
}

Result<std::vector<std::string>> DeployedPlan::run(std::vector<std::string> arguments,
                                                   std::stop_token stop)
{
    GL_TRY(deploy(stop));
    return runThrough(*m_connection, m_plan.runningThreads, arguments, stop);
}

Result<void> DeployedPlan::runOnceThrough(Connection &connection, std::stop_token stop)
{
    GL_TRY(deploy(stop));
    GL_TRY(runThrough(connection, 1, {"--runs", "1", "--warmup", "0"}, stop));
    return {};
}

Result<void> DeployedPlan::runOnce()
{
    GL_TRY(run({"--runs", "1", "--warmup", "0", "--outputs", m_folder}, {}));
    return {};
}

Result<std::vector<TensorData>> DeployedPlan::outputs() const
{
    std::vector<TensorData> outputs;
    for (std::size_t i = 0; i < m_plan.outputs.size(); ++i) {
        const std::filesystem::path file = m_plan.folder.path() / fileOf("output", i);
        GL_TRY(m_connection->fetch(m_folder + "/" + fileOf("output", i), file, {}));
        GL_TRY_RESULT(data, readNpy(file));
        if (data->type() != m_plan.outputs[i].type || data->extents() != m_plan.outputs[i].extents)
            return fail(Error::Kind::Fault, "the device returned another type or shape",
                        "output \"" + m_plan.outputs[i].name + "\"");
        outputs.push_back(*std::move(data));
        std::error_code ignored;
        std::filesystem::remove(file, ignored); // stays mapped; the next run has a file of its own
    }
    return outputs;
}

Result<DeployedPlan::Runs> DeployedPlan::timedRuns(int warmup, int runs, bool withSteps,
                                                   std::stop_token stop)
{
    std::vector<std::string> arguments = {"--runs", std::to_string(runs), "--warmup",
                                          std::to_string(warmup)};
    if (withSteps)
        arguments.push_back("--trace");
    if (!isEmulated())
        arguments.push_back("--pin");
    GL_TRY_CONST(lines, run(std::move(arguments), std::move(stop)));
    std::string report; // after what a shell may have written
    for (const std::string &line : *lines)
        if (!report.empty() || line.starts_with("{\"model\""))
            report += line + '\n';
    const auto json = nlohmann::json::parse(report, nullptr, false);
    if (!json.is_object())
        return fail(Error::Kind::Fault, "its program reported no times", m_connection->title());
    Runs times;
    GL_TRY_RESULT(whole,
                  numbersOf(json.value("milliseconds", nlohmann::json()), m_connection->title()));
    times.whole = *std::move(whole);
    const auto pair = [&](const char *key, double &before, double &after) {
        const nlohmann::json list = json.value(key, nlohmann::json());
        if (list.is_array() && list.size() == 2 && list[0].is_number() && list[1].is_number()) {
            before = list[0].get<double>();
            after = list[1].get<double>();
        }
    };
    pair("clock_mhz", times.clockBefore, times.clockAfter);
    pair("celsius", times.celsiusBefore, times.celsiusAfter);
    if (const auto joules = json.find("joules"); joules != json.end() && joules->is_number())
        times.joules = joules->get<double>();
    if (const auto of = json.find("energy_of"); of != json.end() && of->is_string())
        times.energyOf = of->get<std::string>();
    if (!withSteps)
        return times;
    for (const nlohmann::json &step : json.value("steps", nlohmann::json::array())) {
        GL_TRY_RESULT(
            each, numbersOf(step.value("milliseconds", nlohmann::json()), m_connection->title()));
        times.steps.push_back(*std::move(each));
    }
    if (times.steps.size() != m_plan.steps.size())
        return fail(Error::Kind::Fault,
                    "its program reported " + std::to_string(times.steps.size()) +
                        " steps, and the plan has " + std::to_string(m_plan.steps.size()),
                    m_connection->title());
    return times;
}

Result<std::vector<double>> DeployedPlan::timeSteps()
{
    if (isEmulated())
        return m_plan.modelledSeconds;
    GL_TRY_CONST(runs, timedRuns(0, 1, true, {}));
    std::vector<double> seconds;
    for (const std::vector<double> &step : runs->steps)
        seconds.push_back(1e-3 * step.front());
    return seconds;
}

Result<std::vector<TraceSlice>> DeployedPlan::trace()
{
    GL_TRY_CONST(seconds, timeSteps());
    std::vector<TraceSlice> slices;
    double start = 0;
    for (std::size_t i = 0; i < seconds->size(); ++i) {
        slices.push_back({std::uint32_t(i), 0, start, (*seconds)[i], 1});
        start += (*seconds)[i];
    }
    return slices;
}

Measurement DeployedPlan::modelled() const
{
    Measurement measurement;
    measurement.provenance = Provenance::Modelled;
    measurement.runs = 1;
    const auto &seconds = m_plan.modelledSeconds;
    measurement.whole = timesOf({1e3 * std::accumulate(seconds.begin(), seconds.end(), 0.0)});
    for (const double step : seconds)
        measurement.steps.push_back(timesOf({1e3 * step}));
    return measurement;
}

Result<std::vector<Measurement>> measureDeployed(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                                 const MeasureOptions &options)
{
    std::vector<DeployedPlan *> deployed;
    for (const auto &plan : plans) {
        auto *of = dynamic_cast<DeployedPlan *>(plan.get());
        if (!of)
            return fail(Error::Kind::Fault, "the plan was built by another target");
        deployed.push_back(of);
    }
    std::vector<Measurement> measurements;
    if (std::ranges::all_of(deployed, &DeployedPlan::isEmulated)) {
        for (const DeployedPlan *plan : deployed)
            measurements.push_back(plan->modelled());
        return measurements;
    }
    constexpr int mostTurns = 5;
    const int runs = std::max(options.runs, 1), turns = std::min(runs, mostTurns);
    const double until = steadySeconds() + options.seconds;
    std::vector<DeployedPlan::Runs> all(deployed.size());
    for (int turn = 0; turn < turns; ++turn) {
        if (turn > 0 && (options.stop.stop_requested() || steadySeconds() >= until))
            break;
        const int now = runs / turns + (turn < runs % turns);
        for (std::size_t p = 0; p < deployed.size(); ++p) {
            GL_TRY_CONST(times,
                         steadyRuns(*deployed[p], options.warmup, now, turn == 0, options.stop));
            all[p].whole.insert(all[p].whole.end(), times->whole.begin(), times->whole.end());
            if (turn == 0)
                all[p].steps = times->steps;
            all[p].clockAfter = times->clockAfter;
            all[p].celsiusAfter = times->celsiusAfter;
            all[p].joules += times->joules;
            all[p].energyOf = times->energyOf;
        }
        options.progress(double(turn + 1) / turns, "measuring");
    }
    for (std::size_t p = 0; p < deployed.size(); ++p) {
        Measurement &measurement = measurements.emplace_back();
        measurement.provenance = deployed[p]->provenance();
        measurement.runs = int(all[p].whole.size());
        measurement.megahertz = all[p].clockAfter;
        measurement.celsius = all[p].celsiusAfter;
        measurement.joules = all[p].joules / measurement.runs;
        measurement.energyOf = all[p].energyOf;
        measurement.whole = timesOf(std::move(all[p].whole));
        for (std::vector<double> &step : all[p].steps)
            measurement.steps.push_back(timesOf(std::move(step)));
    }
    return measurements;
}

} // namespace graphloom
