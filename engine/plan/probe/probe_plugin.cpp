// SPDX-License-Identifier: Apache-2.0
// Loads one plugin and asks for its entry, so that a library that crashes, hangs or ends the
// program while it is loaded does so to this process and not to the one that wants to use it.
#include "engine/plan/probe/verdict.h"

#include <cstdio>
#include <dlfcn.h>

int main(int count, char **arguments)
{
    using namespace graphloom::probe;
    if (count != 3) {
        std::fprintf(stderr, "usage: graphloom-probe-plugin LIBRARY SYMBOL\n");
        return wrongUsage;
    }
    void *library = ::dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        std::fprintf(stderr, "%s\n", ::dlerror());
        return refused;
    }
    const auto entry = reinterpret_cast<const void *(*)()>(::dlsym(library, arguments[2]));
    return entry && entry() ? loads : refused;
}
