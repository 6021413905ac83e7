// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/report/environment.h"

#include "engine/cost/instruction_set.h"

#include <algorithm>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace graphloom {

Environment hostEnvironment(unsigned threads)
{
    utsname system = {};
    const std::string architecture = ::uname(&system) == 0 ? system.machine : "unknown";
    const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
    const double gibibytes =
        double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE)) / double(1 << 30);

    Environment environment;
    environment.cpu = hostFacts().cpu;
    environment.threads = threads ? threads : processors;
#if defined(__clang__)
    environment.compiler = "Clang " __clang_version__;
#elif defined(__GNUC__)
    environment.compiler = "GCC " __VERSION__;
#else
    environment.compiler = "unknown";
#endif
    environment.device = "host: " + architecture + ", executes " + executableInstructionSets() +
                         "; " + std::to_string(processors) + " processors, " +
                         std::to_string(int(gibibytes + 0.5)) + " GiB";
    return environment;
}

} // namespace graphloom
