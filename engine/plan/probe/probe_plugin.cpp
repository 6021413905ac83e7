// SPDX-License-Identifier: Apache-2.0
// Loads one plugin and asks for its entry, so that a library that crashes while it is loaded
// ends this process and not the program that wants to use it.
#include <cstdio>
#include <dlfcn.h>

int main(int count, char **arguments)
{
    if (count != 2) {
        std::fprintf(stderr, "usage: graphloom-probe-plugin LIBRARY\n");
        return 2;
    }
    void *library = ::dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        std::fprintf(stderr, "%s\n", ::dlerror());
        return 1;
    }
    const auto entry = reinterpret_cast<const void *(*)()>(::dlsym(library, "graphloom_pass"));
    return entry && entry() ? 0 : 1;
}
