// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/user_profile.h"

#include "engine/base/environment.h"

namespace graphloom {

Result<std::filesystem::path> profileFile(const std::optional<std::filesystem::path> &named)
{
    return named ? Result<std::filesystem::path>(*named)
                 : defaultProfileFile(environmentVariable("XDG_DATA_HOME"),
                                      environmentVariable("HOME"));
}

Result<UserProfile> openProfile(const std::optional<std::filesystem::path> &named,
                                std::stop_token stop)
{
    const auto file = profileFile(named);
    std::error_code failed;
    if (!file || !std::filesystem::exists(*file, failed)) {
        if (named)
            return fail(Error::Kind::Missing, "profile database not found", named->string());
        return UserProfile{};
    }
    return openOrMakeProfile(named, std::move(stop));
}

Result<UserProfile> openOrMakeProfile(const std::optional<std::filesystem::path> &named,
                                      std::stop_token stop)
{
    const auto file = profileFile(named);
    auto database = file ? ProfileDatabase::open(*file, std::move(stop))
                         : Result<ProfileDatabase>(tl::unexpected(file.error()));
    if (database)
        return UserProfile{std::make_shared<ProfileDatabase>(*std::move(database)), {}};
    if (!named)
        return UserProfile{nullptr, database.error().text()};
    Error error = database.error();
    error.kind = Error::Kind::Missing;
    return tl::unexpected(std::move(error));
}

} // namespace graphloom
