// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace graphloom {

/// While it lives, a page of the given mapping that the system cannot deliver, because the file
/// was cut short or its disk failed, reads as zeros instead of ending the process with SIGBUS,
/// and wasHit() says that it happened.
///
/// The first guard installs a SIGBUS handler for the process. The handler puts an empty page in
/// place of the missing one; faults outside guarded mappings go to the handler that was there
/// before.
class MappingGuard {
public:
    MappingGuard(const void *begin, std::size_t size);
    ~MappingGuard();
    MappingGuard(const MappingGuard &) = delete;
    MappingGuard &operator=(const MappingGuard &) = delete;

    bool wasHit() const;

private:
    struct Slot;
    friend struct GuardList;
    Slot *m_slot;
};

} // namespace graphloom
