// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/profile/profile_database.h"

#include <memory>
#include <optional>

namespace graphloom {

/// The file that was named, or else the user's own (defaultProfileFile()).
Result<std::filesystem::path> profileFile(const std::optional<std::filesystem::path> &named);

/// The database in the given file, which must be there, or else the user's, if there is one.
Result<std::shared_ptr<ProfileDatabase>>
openProfile(const std::optional<std::filesystem::path> &file);
/// The same, made where there is none yet.
Result<std::shared_ptr<ProfileDatabase>>
openOrMakeProfile(const std::optional<std::filesystem::path> &file);

} // namespace graphloom
