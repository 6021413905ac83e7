// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_program.h"

#include "tests/support/instruction_sets.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom::test {

namespace {

/// Returns the tests by name, such as "engine.ir.graph".
std::map<std::string, TestMain> &entries()
{
    static std::map<std::string, TestMain> all;
    return all;
}

/// Returns the CTest name, "engine.ir.graph" for tests/engine/ir/graph_test.cpp in any folder.
std::string nameOf(std::string_view file)
{
    constexpr std::string_view folder = "tests/", suffix = "_test.cpp";
    if (const std::size_t at = file.rfind(folder); at != file.npos)
        file.remove_prefix(at + folder.size());
    if (file.ends_with(suffix))
        file.remove_suffix(suffix.size());
    std::string name(file);
    std::ranges::replace(name, '/', '.');
    return name;
}

} // namespace

TestEntry::TestEntry(const char *file, TestMain run)
{
    entries().emplace(nameOf(file), run);
}

} // namespace graphloom::test

int main(int argc, char **argv)
{
    using graphloom::test::entries;
    const auto entry = argc > 1 ? entries().find(argv[1]) : entries().end();
    if (entry == entries().end()) {
        std::fprintf(stderr, "usage: %s TEST [option of QtTest...], where TEST is one of\n",
                     argv[0]);
        for (const auto &[name, run] : entries())
            std::fprintf(stderr, "  %s\n", name.c_str());
        return 2;
    }
    std::vector<char *> arguments{argv[0]};
    arguments.insert(arguments.end(), argv + 2, argv + argc);
    arguments.push_back(nullptr);
    const int code = entry->second(int(arguments.size()) - 1, arguments.data());
    constexpr int skipped = 77; // as tests/CMakeLists.txt tells CTest
    return code == 0 && graphloom::test::wasNotRun() ? skipped : code;
}
