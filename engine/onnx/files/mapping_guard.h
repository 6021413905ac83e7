// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace graphloom {

/// Guards a mapping while it lives: a page that the system cannot deliver, because the file was
/// truncated or its disk failed, reads as zeros instead of ending the process with SIGBUS, and
/// wasHit() says that this happened.
///
/// The first guard installs a SIGBUS handler for the process. The handler maps an empty page in
/// place of the missing one; faults outside guarded mappings go to the previously installed
/// handler.
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
