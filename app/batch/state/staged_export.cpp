// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/state/staged_export.h"

#include "engine/onnx/format/external_name.h"
#include "engine/system/stream_path.h"

#include <vector>

namespace graphloom {

namespace fs = std::filesystem;

namespace {

/// Resolves links, so that the file that a link points to is replaced.
fs::path placeOf(const fs::path &target)
{
    std::error_code ignored;
    return fs::weakly_canonical(target, ignored);
}

} // namespace

Result<StagedExport> StagedExport::write(const Plan &plan, const fs::path &target,
                                         const ExportOptions &options)
{
    if (isStream(target))
        return fail(Error::Kind::Usage, "is not a file", target.string());
    const fs::path place = placeOf(target);
    removeAbandoned(place.parent_path());
    auto folder = Temporary::folder(place.parent_path());
    if (!folder)
        return fail(Error::Kind::Missing, folder.error().message, target.string());
    StagedExport staged(*std::move(folder), place);
    if (auto written = exportOnnx(plan, staged.path(), options); !written) {
        Error error = written.error();
        if (error.where == staged.path().string()) // a temporary path, unknown to the user
            error.where = target.string();
        return tl::unexpected(std::move(error));
    }
    return staged;
}

void StagedExport::removeOwn(const fs::path &target)
{
    removeOwnTemporaries(placeOf(target).parent_path());
}

Result<void> StagedExport::place()
{
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(m_folder.path(), error))
        if (entry.path() != path())
            files.push_back(entry.path());
    files.push_back(path());
    if (const fs::file_status old = fs::status(m_target, error); fs::is_regular_file(old))
        fs::permissions(path(), old.permissions(), error);
    for (const fs::path &file : files) {
        fs::rename(file, m_target.parent_path() / file.filename(), error);
        if (error)
            return fail(Error::Kind::Missing, "cannot write the file: " + error.message(),
                        (m_target.parent_path() / file.filename()).string());
    }
    removeOldData(m_target, files.front() == path() ? "" : files.front().filename().string());
    return {};
}

} // namespace graphloom
