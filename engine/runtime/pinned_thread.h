// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace graphloom {

/// Keeps the calling thread on one core as long as this lives, for measurements: the number-th of
/// those that it may use, counted round. Where the system does not allow it the thread stays free.
class PinnedThread {
public:
    explicit PinnedThread(unsigned number);
    ~PinnedThread(); // of the same thread
    PinnedThread(const PinnedThread &) = delete;
    PinnedThread &operator=(const PinnedThread &) = delete;

    bool pinned() const { return bool(m_before); }

private:
    struct Cores;
    std::unique_ptr<const Cores> m_before;
};

} // namespace graphloom
