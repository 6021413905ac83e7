// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/interpreter/stages/stage_lowering.h"
#include "engine/interpreter/stages/strip_kernels.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace graphloom {

/// Records the first failure in a stage; shared by all threads that work on it.
class StageFailure {
public:
    struct Report {
        bool isFault = false; // the description is at fault; otherwise the data
        std::string message;
    };

    void report(bool isFault, std::string message);
    bool happened() const { return m_happened.load(std::memory_order_relaxed); }
    /// Returns the first failure. Call it only if happened() is true and no thread works on the
    /// stage any more.
    const Report &first() const { return *m_first; }

private:
    std::atomic<bool> m_happened = false;
    std::mutex m_mutex;
    std::optional<Report> m_first;
};

/// Describes how one map of a stage advances along one axis. A strip is a run of points along that
/// axis.
class StripAccess {
public:
    /// Prepares the map for strips along `axis`; if it is -1, strips have one point. The stage must
    /// not move while this object lives.
    StripAccess(const LoweredStage &stage, const LoweredMap &map, int axis);

    /// Tells whether all points of a strip have the same element.
    bool uniform() const { return m_uniform; }
    /// Returns the approximate time per element, where a contiguous float takes about 1.
    double cost() const;

    /// Loads the elements of the strip of `count` points that starts at `at`, applying the policy
    /// for indices outside the tensor. `T` belongs to the register bank of the tensor's type. After
    /// a reported failure the elements are unspecified.
    template <class T> void load(const Point &at, int count, T *out, StageFailure &failure) const;
    /// Writes 1 for each point whose indices lie inside the tensor, before any policy, and 0 for
    /// the others.
    void inside(const Point &at, int count, std::int64_t *out, StageFailure &failure) const;
    template <class T>
    void store(std::byte *target, const Point &at, int count, const T *in,
               StageFailure &failure) const;

private:
    struct Special {
        const LoweredIndex *index;
        std::unique_ptr<StripAccess> lookup; // set if the index looks a value up
    };
    /// Describes where the points lie. Only points from `first` up to `end` can be inside the
    /// tensor; if `places` has positions, Scratch::inside tells which of them are.
    struct Located {
        strip::Places places;
        int first = 0, end = 0;
    };
    struct Scratch {
        std::int64_t positions[strip::stripLength];
        std::int64_t inside[strip::stripLength];
    };

    Located locate(const Point &at, int count, bool raw, Scratch &scratch,
                   StageFailure &failure) const;
    void locateRange(const LoweredIndex &index, const Point &at, bool raw, Located &located,
                     StageFailure &failure) const;
    void locateEach(const Special &special, const Point &at, int count, bool raw, Scratch &scratch,
                    StageFailure &failure) const;
    bool settle(const LoweredIndex &index, std::int64_t &value, bool raw,
                StageFailure &failure) const;
    template <class Visit>
    static void forEachRun(const Located &located, int count, const Scratch &scratch, Visit visit);

    const LoweredStage &m_stage;
    const LoweredMap &m_map;
    int m_axis;
    std::int64_t m_step = 0;
    bool m_uniform = true;
    std::vector<Special> m_fixed;               // the same for all points of a strip
    std::vector<const LoweredIndex *> m_ranged; // affine: inside for one run of points
    std::vector<Special> m_each;                // anything else
};

} // namespace graphloom
