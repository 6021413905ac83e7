// SPDX-License-Identifier: Apache-2.0
#include "engine/cost/host.h"

#include <algorithm>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace graphloom {

namespace {

/// Returns "model name" (x86) or "Hardware" (ARM) of /proc/cpuinfo, or else the architecture.
std::string cpuName()
{
    std::ifstream info("/proc/cpuinfo");
    std::string line;
    while (std::getline(info, line)) {
        const auto colon = line.find(':');
        if (colon == std::string::npos)
            continue;
        if (line.starts_with("model name") || line.starts_with("Hardware")) {
            const auto start = line.find_first_not_of(" \t", colon + 1);
            if (start != std::string::npos)
                return line.substr(start);
        }
    }
    utsname system = {};
    return ::uname(&system) == 0 ? system.machine : "unknown";
}

/// Returns the bytes of a level of data cache of the first core, or 0 if there is none. /sys states
/// what a core can use; sysconf() may count all chips of a package.
std::int64_t cacheBytes(int level, int name)
{
    const std::filesystem::path folder = "/sys/devices/system/cpu/cpu0/cache";
    for (int index = 0; index < 8; ++index) {
        const auto text = [&](const char *file) {
            std::string word;
            std::ifstream(folder / ("index" + std::to_string(index)) / file) >> word;
            return word;
        };
        if (text("level") != std::to_string(level) || text("type") == "Instruction")
            continue;
        const std::string size = text("size"); // "48K"
        std::int64_t bytes = 0;
        std::size_t digits = 0;
        while (digits < size.size() && size[digits] >= '0' && size[digits] <= '9')
            bytes = bytes * 10 + (size[digits++] - '0');
        const char unit = digits < size.size() ? size[digits] : ' ';
        return unit == 'K' ? bytes << 10 : unit == 'M' ? bytes << 20 : bytes;
    }
    return std::max(0L, ::sysconf(name));
}

int usableCores()
{
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return std::max(1, int(std::thread::hardware_concurrency()));
}

#if defined(__x86_64__) || defined(__i386__)
/// Tells whether the CPU has F16C, a name that not every compiler's __builtin_cpu_supports() knows.
/// It needs the registers of AVX.
bool hasF16c()
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) && __builtin_cpu_supports("avx");
}
#endif

HostFacts look()
{
    HostFacts host;
    host.cpu = cpuName();
#if defined(__x86_64__) || defined(__i386__)
    // These also check which registers the operating system saves.
    host.avx2 = __builtin_cpu_supports("avx2");
    host.fma = __builtin_cpu_supports("fma");
    host.f16c = hasF16c();
    host.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#elif defined(__aarch64__)
    host.neon = host.fma = true; // parts of every 64-bit ARM
#endif
    host.l1Bytes = cacheBytes(1, _SC_LEVEL1_DCACHE_SIZE);
    host.l2Bytes = cacheBytes(2, _SC_LEVEL2_CACHE_SIZE);
    host.l3Bytes = cacheBytes(3, _SC_LEVEL3_CACHE_SIZE);
    host.lineBytes = int(std::max(0L, ::sysconf(_SC_LEVEL1_DCACHE_LINESIZE)));
    host.cores = usableCores();
    return host;
}

} // namespace

const HostFacts &hostFacts()
{
    static const HostFacts facts = look();
    return facts;
}

} // namespace graphloom
