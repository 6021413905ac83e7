// SPDX-License-Identifier: Apache-2.0
// Looks at an exported model without running it: structure_runner EXPORT.onnx SESSION.gloom, where
// the session has the plan that was exported. A line for each defect (tests/support/
// exported_structure.h); exit code 1 where there is one, 2 where a file cannot be read.
#include "engine/session/plan_file.h"
#include "tests/support/exported_structure.h"

#include <cstdio>

using namespace graphloom;

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::fputs("usage: structure_runner EXPORT.onnx SESSION.gloom\n", stderr);
        return 2;
    }
    const auto plan = planOfFile(argv[2], {}, std::filesystem::path(argv[2]).replace_extension());
    if (!plan) {
        std::fprintf(stderr, "%s\n", plan.error().text().c_str());
        return 2;
    }
    const auto defects = test::structuralDefects(*plan, argv[1]);
    for (const std::string &defect : defects)
        std::puts(defect.c_str());
    return defects.empty() ? 0 : 1;
}
