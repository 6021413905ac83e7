// SPDX-License-Identifier: Apache-2.0
// Loads one plugin and asks for its entry, so that a library that crashes, hangs or exits while
// loading affects this process and not the one that wants to use it.
#include "engine/pass/probe/verdict.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace {

/// Tells whether the address is in an executable mapping.
bool isCode(std::uintptr_t address)
{
    std::FILE *maps = std::fopen("/proc/self/maps", "r");
    if (!maps)
        return true; // unknown
    bool found = false;
    unsigned long long begin = 0, end = 0;
    char rights[5] = {};
    while (!found && std::fscanf(maps, "%llx-%llx %4s%*[^\n]", &begin, &end, rights) == 3)
        found = address >= begin && address < end && rights[2] == 'x';
    std::fclose(maps);
    return found;
}

/// The beginning of every entry (pass/plugin_library.h).
struct EntryHead {
    std::uint32_t abi;
    void (*make)();
};

/// Reads the entry, which crashes if it is invalid.
int verdictOf(const void *entry, std::uint32_t abi)
{
    EntryHead head{};
    std::memcpy(&head.abi, entry, sizeof head.abi);
    if (head.abi != abi)
        return graphloom::probe::refused; // the rest may look different
    std::memcpy(&head, entry, sizeof head);
    return isCode(reinterpret_cast<std::uintptr_t>(head.make)) ? graphloom::probe::loads
                                                               : graphloom::probe::wild;
}

} // namespace

int main(int count, char **arguments)
{
    using namespace graphloom::probe;
    if (count != 4) {
        std::fprintf(stderr, "usage: graphloom-probe-plugin LIBRARY SYMBOL ABI\n");
        return wrongUsage;
    }
    void *library = ::dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        std::fprintf(stderr, "%s\n", ::dlerror());
        return refused;
    }
    const auto entry = reinterpret_cast<const void *(*)()>(::dlsym(library, arguments[2]));
    const void *head = entry ? entry() : nullptr;
    return head ? verdictOf(head, std::uint32_t(std::strtoul(arguments[3], nullptr, 10))) : refused;
}
