// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/cost/figure.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Identifies what a latency belongs to. Kernels with equal keys are assumed to be equally fast.
struct ProfileKey {
    std::string structure; // the fused operators, in the canonical form of kernelKeyOf()
    std::string shapes;    // extents and types of what it reads and writes
    std::string device;    // fingerprint: everything about it that a latency depends on
    std::string schedule;  // how its loops run; "" while there is one way only

    bool operator==(const ProfileKey &) const = default;
    std::uint64_t hash() const;
};

/// Summarizes repeated runs of one kernel, in nanoseconds.
struct LatencySamples {
    double minNs = 0, medianNs = 0;
    std::int64_t count = 0;
    Provenance provenance = Provenance::Host;
    std::int64_t measuredAtMs = 0; // since 1970, UTC
    std::string version;           // of the program that measured
};

/// Summarizes what is known of a kernel for one provenance: over all its samples the least, the
/// count, and the median of the medians, each weighted by its number of samples (exact if they
/// agree; the samples themselves are not kept). Time and version are those of the newest.
using ProfiledLatency = LatencySamples;

/// Tells what measured latencies were used for.
struct ProfileUse {
    std::string device; // as in a ProfileKey
    std::string pass, model;
    std::int64_t decisions = 0; // of the last run of the pass
    std::int64_t usedAtMs = 0;  // since 1970, UTC
};

/// Describes what one plan took on a device: an entry of the device's history.
struct ProfiledRun {
    std::string device;  // as for --target: "arm64:kirin990@ssh:board"
    std::string machine; // that measured, or was measured; it tells devices called "host:cpu" apart
    std::string model;   // its file, without folder
    std::string plan;    // the passes that made it, and whether it was tuned: "dnnfusion, tuned"
    std::int64_t threads = 1, runs = 1;
    double minMs = 0, medianMs = 0, p95Ms = 0; // or the bounds of a bracket and its middle
    bool isBracket = false;
    Provenance provenance = Provenance::Host;
    double megahertz = 0, celsius = 0; // of the device after the runs; 0: it does not tell
    double joules = 0;                 // of one run; likewise
    std::int64_t measuredAtMs = 0;     // since 1970, UTC
    std::string version;               // of the program that measured
};

struct ProfileImport {
    std::int64_t added = 0;  // measurements of kernels that were unknown
    std::int64_t merged = 0; // further measurements of known kernels
    std::int64_t known = 0;  // measurements that were already there, such as from an earlier import
    std::int64_t refused = 0;
    std::vector<std::string> reasons; // of the first refused ones, with file and line
};

/// Stores measured and modelled latencies of kernels in a SQLite file. What was recorded survives
/// the end of the process, or of the machine, at any moment; several processes and threads may use
/// one file at once.
class ProfileDatabase {
public:
    /// Opens the file, or creates it and the folders above it. Refuses (Usage) a file that is no
    /// profile database, is damaged or was written by a later version, and leaves it as it is;
    /// fails (Missing) if it cannot be written. A stop request ends waiting for other processes,
    /// now and later.
    static Result<ProfileDatabase> open(const std::filesystem::path &file,
                                        std::stop_token stop = {});
    static Result<ProfileDatabase> inMemory();

    ProfileDatabase(ProfileDatabase &&) noexcept;
    ProfileDatabase &operator=(ProfileDatabase &&) noexcept;
    ~ProfileDatabase();

    /// Returns one latency for each provenance that has samples, in the order of the enumeration:
    /// figures of different provenance are never combined.
    Result<std::vector<ProfiledLatency>> lookup(const ProfileKey &key) const;
    /// Stores the samples. Refuses (Fault) figures that no measurement yields: less than 0, not
    /// finite, a minimum above the median, a count below 1.
    Result<void> record(const ProfileKey &key, const LatencySamples &samples);
    /// Does the same without waiting for other processes for more than a moment: samples that
    /// cannot be written now are written with the next ones, or at the latest by the destructor,
    /// which may wait. Fails as record() does, but not because another process writes.
    Result<void> recordSoon(const ProfileKey &key, const LatencySamples &samples);
    /// Visits every kernel with the result of lookup() for it.
    Result<void> forEach(
        const std::function<void(const ProfileKey &, const std::vector<ProfiledLatency> &)> &visit)
        const;

    /// Notes a use, in place of an earlier one of the same device, pass and model. Waits no longer
    /// for other processes than recordSoon(); fails if the note cannot be written by then.
    Result<void> noteUse(const ProfileUse &use);
    /// Returns all uses, by device, pass and model.
    Result<std::vector<ProfileUse>> uses() const;

    /// Adds an entry to the history, and drops the oldest ones beyond 10,000. Waits for other
    /// processes as noteUse() does. Refuses (Fault) figures that no measurement yields.
    Result<void> noteRun(const ProfiledRun &run);
    /// Returns the newest entries, at most so many, the newest first.
    Result<std::vector<ProfiledRun>> history(std::int64_t most) const;

    /// Writes all measurements of kernels as JSON Lines: a header, then one object for each.
    /// Readers see the old file or the whole new one.
    Result<void> exportTo(const std::filesystem::path &file) const;
    /// Imports what exportTo() wrote, all in one transaction. Lines that hold no measurement are
    /// refused one by one; a file that is no export (Usage), or cannot be read (Missing), as a
    /// whole.
    Result<ProfileImport> importFrom(const std::filesystem::path &file);

private:
    struct State;
    explicit ProfileDatabase(std::unique_ptr<State> state);
    static Result<ProfileDatabase> openAs(const std::string &name, std::stop_token stop);

    std::unique_ptr<State> m_state;
};

/// Returns the path of the database if no other file is named: graphloom/profile.db below
/// XDG_DATA_HOME, or below ~/.local/share if that is empty or relative (XDG Base Directory
/// Specification). Fails (Usage) if there is no home folder either.
Result<std::filesystem::path> defaultProfileFile(const std::string &xdgDataHome,
                                                 const std::string &home);

} // namespace graphloom
