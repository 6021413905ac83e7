// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace graphloom {

/// Keeps the calling thread on one core as long as this object lives, for measurements. The core is
/// number `number`, modulo their count, of those that the thread may use. If the system does not
/// allow it, the thread is not pinned.
class PinnedThread {
public:
    explicit PinnedThread(unsigned number);
    ~PinnedThread(); // call it in the same thread
    PinnedThread(const PinnedThread &) = delete;
    PinnedThread &operator=(const PinnedThread &) = delete;

    bool pinned() const { return bool(m_before); }

private:
    struct Cores;
    std::unique_ptr<const Cores> m_before;
};

} // namespace graphloom
