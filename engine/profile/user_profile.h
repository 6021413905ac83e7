// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/profile/profile_database.h"

#include <memory>
#include <optional>

namespace graphloom {

/// Returns the named file, or else the user's own (defaultProfileFile()).
Result<std::filesystem::path> profileFile(const std::optional<std::filesystem::path> &named);

struct UserProfile {
    std::shared_ptr<ProfileDatabase> database; // null: there is none, or it is unusable
    std::string problem;                       // why the user's own database is unusable
};

/// Opens the database in the given file, which must exist, or else the user's own, if there is one.
/// Fails (Missing) if a file was named that cannot be used. The user's own was not asked for: if it
/// is damaged or cannot be written, work goes on without it. A stop request ends waiting for other
/// processes.
Result<UserProfile> openProfile(const std::optional<std::filesystem::path> &file,
                                std::stop_token stop = {});
/// Does the same, but creates the database if there is none yet.
Result<UserProfile> openOrMakeProfile(const std::optional<std::filesystem::path> &file,
                                      std::stop_token stop = {});

} // namespace graphloom
