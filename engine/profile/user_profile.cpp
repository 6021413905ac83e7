// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/user_profile.h"

#include <cstdlib>

namespace graphloom {

namespace {

std::string variable(const char *name)
{
    const char *value = std::getenv(name);
    return value ? value : "";
}

} // namespace

Result<std::filesystem::path> profileFile(const std::optional<std::filesystem::path> &named)
{
    return named ? Result<std::filesystem::path>(*named)
                 : defaultProfileFile(variable("XDG_DATA_HOME"), variable("HOME"));
}

Result<std::shared_ptr<ProfileDatabase>>
openProfile(const std::optional<std::filesystem::path> &named)
{
    const auto file = profileFile(named);
    std::error_code failed;
    if (!file || !std::filesystem::exists(*file, failed)) {
        if (named)
            return fail(Error::Kind::Missing, "there is no profile database here", named->string());
        return nullptr;
    }
    return openOrMakeProfile(named);
}

Result<std::shared_ptr<ProfileDatabase>>
openOrMakeProfile(const std::optional<std::filesystem::path> &named)
{
    const auto file = profileFile(named);
    if (!file)
        return tl::unexpected(file.error());
    auto database = ProfileDatabase::open(*file);
    if (!database)
        return tl::unexpected(database.error());
    return std::make_shared<ProfileDatabase>(std::move(*database));
}

} // namespace graphloom
