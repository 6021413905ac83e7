// SPDX-License-Identifier: Apache-2.0
#include "engine/session/plan_file.h"

#include "engine/onnx_export/export.h"
#include "engine/session/session_file.h"

namespace graphloom {

Result<Plan> planOfFile(const std::filesystem::path &path, const ImportOptions &options,
                        const std::filesystem::path &extracted)
{
    if (isSessionFile(path)) {
        GL_TRY_RESULT(content, loadSession(path, extracted, options.stop));
        if (content->current >= content->states.size())
            return fail(Error::Kind::Usage, "the session contains no plan", path.string());
        return *content->states[content->current].plan;
    }
    GL_TRY_RESULT(model, importOnnx(path, options));
    return importPlan(std::make_shared<const Model>(*std::move(model)), options.stop);
}

} // namespace graphloom
