// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/profile/profile_database.h"

#include <memory>
#include <optional>

namespace graphloom {

/// The file that was named, or else the user's own (defaultProfileFile()).
Result<std::filesystem::path> profileFile(const std::optional<std::filesystem::path> &named);

struct UserProfile {
    std::shared_ptr<ProfileDatabase> database; // null: there is none, or it cannot be used
    std::string problem;                       // why the user's own cannot be used
};

/// The database in the given file, which must be there, or else the user's, if there is one. Fails
/// (Missing) when a file was named that cannot be used. The user's own is nobody's wish: where it
/// is damaged or cannot be written, work goes on without it. A stop ends waiting for other
/// processes.
Result<UserProfile> openProfile(const std::optional<std::filesystem::path> &file,
                                std::stop_token stop = {});
/// The same, made where there is none yet.
Result<UserProfile> openOrMakeProfile(const std::optional<std::filesystem::path> &file,
                                      std::stop_token stop = {});

} // namespace graphloom
