// SPDX-License-Identifier: Apache-2.0
#include "engine/package/staged_package.h"

#include "engine/package/package.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

namespace fs = std::filesystem;

fs::path normalized(const fs::path &folder)
{
    const fs::path path = fs::absolute(folder).lexically_normal();
    return path.has_filename() ? path : path.parent_path(); // without a slash at the end
}

bool holdsPackage(const fs::path &folder)
{
    std::ifstream file(folder / packageDescription);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    return json.is_object() && json.value("format", "") == packageFormat;
}

} // namespace

Result<void> StagedPackage::check(const fs::path &folder)
{
    std::error_code failed;
    if (!fs::exists(folder, failed))
        return {};
    if (!fs::is_directory(folder, failed))
        return fail(Error::Kind::Usage, "is not a folder", folder.string());
    if (!fs::is_empty(folder, failed) && !holdsPackage(folder))
        return fail(Error::Kind::Usage,
                    "the folder holds something else than a package: name a new or an empty one",
                    folder.string());
    return {};
}

Result<StagedPackage> StagedPackage::make(const Target &target, const Plan &plan,
                                          const PackageOptions &options, const fs::path &folder)
{
    const fs::path path = normalized(folder);
    GL_TRY(check(path));
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    GL_TRY_RESULT(made, Temporary::folder(path.parent_path()));
    GL_TRY_CONST(facts, target.package(plan, options, made->path()));
    return StagedPackage(path, *std::move(made), *facts);
}

Result<void> StagedPackage::place()
{
    using enum fs::perms;
    std::error_code failed;
    fs::permissions(m_made.path(), owner_all | group_read | group_exec | others_read | others_exec,
                    failed);
    GL_TRY(check(m_folder));
    if (fs::exists(m_folder, failed)) {
        GL_TRY_RESULT(aside, Temporary::folder(m_folder.parent_path()));
        const fs::path old = aside->path() / "old"; // removed with its new parent
        fs::rename(m_folder, old, failed);
        if (!failed)
            fs::rename(m_made.path(), m_folder, failed);
        std::error_code ignored;
        if (failed && !fs::exists(m_folder, ignored))
            fs::rename(old, m_folder, ignored);
    } else {
        fs::rename(m_made.path(), m_folder, failed);
    }
    if (failed)
        return fail(Error::Kind::Missing, "cannot be written: " + failed.message(),
                    m_folder.string());
    m_made.keep();
    return {};
}

} // namespace graphloom
