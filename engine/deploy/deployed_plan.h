// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/connection/connection.h"
#include "engine/package/package.h"
#include "engine/system/temporary.h"

#include <memory>
#include <mutex>

namespace graphloom {

/// Describes an input or output of a graph.
struct TensorDeclaration {
    std::string name;
    DataType type = DataType::Undefined;
    TensorData::Extents extents;
};

/// Holds a package with its program, and what is known of the plan that it was made of.
struct PackagedPlan {
    explicit PackagedPlan(Temporary made) : folder(std::move(made)) {}

    Temporary folder; // with weights.bin, if there are weights, and the program
    std::filesystem::path program;
    std::string model; // its name in the package
    std::vector<TensorDeclaration> inputs, outputs;
    std::vector<PlanStep> steps;
    /// Seconds of each step by the model of the device, which stand for times where the connection
    /// is an emulator.
    std::vector<double> modelledSeconds;
    PlanMemory memory;
    unsigned threads = 1;        // that kernels are made for
    unsigned runningThreads = 1; // that run them
    std::string toolchain, instructionSet;
    bool hasWeights = false;
    bool isTrial = false; // its program is not kept on the device when this ends
    std::vector<std::int64_t> tasks; // of each step, for threads to share
    Device device;                   // with the units that run the plan
};

/// Runs a package on another device. Times are those of the runner, measured there, or those of the
/// model if the device is emulated.
class DeployedPlan final : public BuiltPlan {
public:
    DeployedPlan(PackagedPlan plan, std::shared_ptr<Connection> connection);
    ~DeployedPlan() override;

    const std::vector<PlanStep> &steps() const override { return m_plan.steps; }
    PlanMemory memory() const override { return m_plan.memory; }
    unsigned threads() const override { return m_plan.threads; }
    std::string toolchain() const override { return m_plan.toolchain; }
    std::string instructionSet() const override { return m_plan.instructionSet; }
    Provenance provenance() const override;
    bool isEmulated() const { return m_connection->isEmulated(); }
    std::string connectionTitle() const { return m_connection->title(); }

    /// Sends the program and the weights, unless the device has them.
    Result<void> deploy(std::stop_token stop);

    Result<void> setInputs(const std::vector<TensorData> &inputs) override;
    /// Starts the program for one run. Fails (Missing) if the device does not answer, (Model) if an
    /// index that depends on data leaves its tensor, (Fault) with what the program wrote otherwise.
    Result<void> runOnce() override;
    Result<std::vector<TensorData>> outputs() const override;
    Result<std::vector<double>> timeSteps() override;
    /// Returns one slice for each step, one after the other.
    Result<std::vector<TraceSlice>> trace() override;

    /// Holds milliseconds of runs, and those of each step in the same number of further runs.
    struct Runs {
        std::vector<double> whole;
        std::vector<std::vector<double>> steps;
        double clockBefore = 0, clockAfter = 0;     // MHz; 0: the device does not tell
        double celsiusBefore = 0, celsiusAfter = 0; // of its hottest zone; likewise
        double joules = 0;                          // of all whole runs together; likewise
        std::string energyOf;                       // Measurement::energyOf
    };
    /// Starts the program for some timed runs.
    Result<Runs> timedRuns(int warmup, int runs, bool withSteps, std::stop_token stop);
    /// Returns the times of the model.
    Measurement modelled() const;
    /// Runs once in one thread through another connection to the same device, such as one that
    /// counts. Fails as runOnce() does.
    Result<void> runOnceThrough(Connection &connection, std::stop_token stop);
    const PackagedPlan &content() const { return m_plan; }

private:
    Result<std::vector<std::string>> run(std::vector<std::string> arguments, std::stop_token stop);
    Result<std::vector<std::string>> runThrough(Connection &connection, unsigned threads,
                                                const std::vector<std::string> &arguments,
                                                std::stop_token stop);

    PackagedPlan m_plan;
    std::shared_ptr<Connection> m_connection;
    std::string m_program, m_weights, m_folder; // on the device; empty: not there yet
};

/// Implements Target::measure() for such plans: turns of a few runs each, or the times of the
/// model. A turn during which the clock of the device changes, or after which it is much warmer, is
/// repeated. Fails (Missing) if that does not help.
Result<std::vector<Measurement>> measureDeployed(std::span<const std::shared_ptr<BuiltPlan>> plans,
                                                 const MeasureOptions &options);

} // namespace graphloom
