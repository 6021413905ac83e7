// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/system/temporary.h"
#include "engine/target/target.h"

#include <filesystem>
#include <optional>

namespace graphloom {

/// Holds a package that is complete, next to the folder that it will have.
class StagedPackage {
public:
    /// Checks whether a package can be put there. Fails (Usage) if it is a file, or a folder with
    /// something else than a package.
    static Result<void> check(const std::filesystem::path &folder);
    /// Lets a target write the package of a plan. Fails as Target::package() and check() do, and
    /// (Missing) if nothing can be written next to the folder.
    static Result<StagedPackage> make(const Target &target, const Plan &plan,
                                      const PackageOptions &options,
                                      const std::filesystem::path &folder);

    const PackageFacts &facts() const { return m_facts; }
    /// Puts the package in place; one that is there is replaced. Fails (Missing) if that cannot be
    /// done; what was there then still is.
    Result<void> place();

private:
    StagedPackage(std::filesystem::path folder, Temporary made, const PackageFacts &facts)
        : m_folder(std::move(folder)), m_made(std::move(made)), m_facts(facts)
    {
    }

    std::filesystem::path m_folder;
    Temporary m_made;
    PackageFacts m_facts;
};

} // namespace graphloom
