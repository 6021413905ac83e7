// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/staged_export.h"

#include <cerrno>
#include <cstring>
#include <stdlib.h>
#include <unistd.h>
#include <vector>

namespace graphloom {

namespace fs = std::filesystem;

namespace {

/// Tells whose folder it is.
std::string ownPrefix()
{
    return ".graphloom-export-" + std::to_string(::getpid()) + "-";
}

/// A link stays; the file that it points to is replaced.
fs::path placeOf(const fs::path &target)
{
    std::error_code ignored;
    return fs::weakly_canonical(target, ignored);
}

} // namespace

Result<StagedExport> StagedExport::write(const Plan &plan, const fs::path &target,
                                         const ExportOptions &options)
{
    const fs::path place = placeOf(target);
    std::string pattern = (place.parent_path() / (ownPrefix() + "XXXXXX")).string();
    if (!::mkdtemp(pattern.data()))
        return fail(Error::Kind::Missing, "cannot write here: " + std::string(std::strerror(errno)),
                    target.string());
    StagedExport staged(pattern, place);
    if (auto written = exportOnnx(plan, staged.path(), options); !written)
        return tl::unexpected(written.error());
    return staged;
}

void StagedExport::removeOwn(const fs::path &target)
{
    std::error_code ignored;
    std::vector<fs::path> folders;
    for (const auto &entry : fs::directory_iterator(placeOf(target).parent_path(), ignored))
        if (entry.path().filename().string().starts_with(ownPrefix()))
            folders.push_back(entry.path());
    for (const fs::path &folder : folders)
        fs::remove_all(folder, ignored);
}

StagedExport::StagedExport(StagedExport &&other) noexcept
    : m_folder(std::exchange(other.m_folder, {})), m_target(std::move(other.m_target))
{
}

StagedExport::~StagedExport()
{
    std::error_code ignored;
    if (!m_folder.empty())
        fs::remove_all(m_folder, ignored);
}

Result<void> StagedExport::place()
{
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(m_folder, error))
        if (entry.path() != path())
            files.push_back(entry.path());
    files.push_back(path());
    if (const fs::file_status old = fs::status(m_target, error); fs::is_regular_file(old))
        fs::permissions(path(), old.permissions(), error);
    for (const fs::path &file : files) {
        fs::rename(file, m_target.parent_path() / file.filename(), error);
        if (error)
            return fail(Error::Kind::Missing,
                        "cannot put the file in its place: " + error.message(),
                        (m_target.parent_path() / file.filename()).string());
    }
    return {};
}

} // namespace graphloom
