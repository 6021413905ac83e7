// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/import.h"
#include "engine/plan/plan.h"

#include <QtGlobal>
#include <filesystem>
#include <memory>
#include <string>

namespace graphloom::test {

/// Returns the plan of a sample model of the program as it is opened.
inline Plan planOfSample(const std::string &name)
{
    auto model = importOnnx(std::filesystem::path(GRAPHLOOM_SAMPLES) / name);
    if (!model)
        qFatal("%s", model.error().text().c_str());
    return *initialPlan(std::make_shared<const Model>(*std::move(model)));
}

} // namespace graphloom::test
