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

/// The first thing that went wrong in a stage, shared by all threads that work on it.
class StageFailure {
public:
    struct Report {
        bool isFault = false; // of the description; otherwise of the data
        std::string message;
    };

    void report(bool isFault, std::string message);
    bool happened() const { return m_happened.load(std::memory_order_relaxed); }
    /// Only when something happened and no thread works on the stage any more.
    const Report &first() const { return *m_first; }

private:
    std::atomic<bool> m_happened = false;
    std::mutex m_mutex;
    std::optional<Report> m_first;
};

/// How one map of a stage walks along one axis: a strip is a run of points along it.
class StripAccess {
public:
    /// `axis` -1: strips of one point. The stage must stay where it is.
    StripAccess(const LoweredStage &stage, const LoweredMap &map, int axis);

    /// All points of a strip have the same element.
    bool uniform() const { return m_uniform; }
    /// Time per element, roughly, where a contiguous float takes about 1.
    double cost() const;

    /// The elements of the strip of `count` points that starts at `at`, after the policy for
    /// indices outside of the tensor; in the bank that the tensor's type has. After a reported
    /// failure the elements are unspecified.
    template <class T> void load(const Point &at, int count, T *out, StageFailure &failure) const;
    /// 1 where the indices point into the tensor, before any policy; else 0.
    void inside(const Point &at, int count, std::int64_t *out, StageFailure &failure) const;
    template <class T>
    void store(std::byte *target, const Point &at, int count, const T *in,
               StageFailure &failure) const;

private:
    struct Special {
        const LoweredIndex *index;
        std::unique_ptr<StripAccess> lookup; // where the index looks something up
    };
    /// Where the points lie: those from `first` up to `end` may be inside of the tensor; with
    /// positions, scratch.inside tells which of them are.
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
