// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Describes memory that candidates read and write. The memory after it is protected: a kernel that
/// goes more than 63 bytes beyond the end crashes.
struct TrialBuffer {
    enum class Fill {
        Zeros,
        Floats,   // single precision, uniform in [-1, 1]
        Integers, // of `itemBytes` bytes each, uniform in [0, below)
        File      // the first bytes of `file`
    };
    std::int64_t bytes = 0;
    Fill fill = Fill::Zeros;
    int itemBytes = 4; // 1, 2, 4 or 8
    std::int64_t below = 1;
    std::filesystem::path file;
    bool isRecent = false; // in use just before each call: see TrialJob::otherBytes
};

/// Describes one parallel loop of a candidate: a KernelFunction and its number of tasks.
struct TrialPhase {
    std::string symbol;
    std::int64_t tasks = 1;
    /// The function's buffers, as indices into TrialJob::buffers; empty: the candidate's.
    std::vector<std::uint32_t> buffers = {};
};

struct TrialOutput {
    std::uint32_t buffer = 0; // index into TrialJob::buffers
    std::filesystem::path file;
};

struct TrialCandidate {
    std::vector<TrialPhase> phases;     // run one after the other
    std::vector<std::uint32_t> buffers; // for its functions, as indices into TrialJob::buffers
    /// Buffers written to files after the first run, which uses freshly filled buffers.
    std::vector<TrialOutput> outputs;
};

/// Describes what is measured, and how.
struct TrialJob {
    std::vector<std::filesystem::path> libraries; // with the functions of all candidates
    std::vector<TrialBuffer> buffers;
    std::vector<TrialCandidate> candidates;
    std::uint64_t seed = 1;        // of random fills
    unsigned threads = 1;          // each on a core of its own where the system allows it
    std::int64_t scratchBytes = 0; // of each thread
    /// Bytes of other data that pass through the caches before each call, as the rest of a plan
    /// does between two calls of a kernel; after them pass the recent buffers, as if written by the
    /// preceding kernel. At most as much as the caches hold, and nothing if a core's own cache
    /// holds it all.
    std::int64_t otherBytes = 0;
    int rounds = 50;         // samples at most
    double seconds = 0.1;    // of samples at most; at least three are taken
    double limitSeconds = 2; // a candidate that takes longer, all runs together, is ended
    /// The limit for all candidates together; 0: no limit. Those not done by then have no result.
    double totalSeconds = 0;
    /// A candidate whose first sample exceeds `hopeless` times the best so far is not measured
    /// further (0: no such limit); `bestSeconds` is the best from before (0: none).
    double hopeless = 0;
    double bestSeconds = 0;
};

/// Holds the outcome of a candidate. Times are seconds of one call.
struct TrialResult {
    std::size_t candidate = 0;
    std::string problem; // why there are no times: "crashed with SIGSEGV", "took more than 2 s"
    double least = 0, median = 0, p95 = 0;
    int samples = 0, callsPerSample = 0;
};

/// Measures the candidates, in their order, in a child process: the program graphloom-trial. A
/// candidate that crashes, hangs or ends the process becomes a result that says so, and another
/// process continues with the next. Calls `row` with each result as soon as it is available; when
/// stopped, kills the process at once, and no more results follow. Fails if trials cannot begin:
/// (Missing) if there is no such program, (Fault) if a library or file cannot be read, a function
/// is missing, or memory is lacking.
Result<void> runTrials(const TrialJob &job, const std::function<void(const TrialResult &)> &row,
                       std::stop_token stop);

} // namespace graphloom
