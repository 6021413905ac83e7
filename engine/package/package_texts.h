// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace graphloom {

/// Holds a file of packages; `name` is relative to the package's folder.
struct PackageText {
    std::string_view name, content;
};

/// The files that are the same in all packages (resources/package).
extern const std::span<const PackageText> packageTexts;
/// The files in which @NAMES@ are replaced (resources/package/templates).
extern const std::span<const PackageText> packageTemplates;
/// The files that packages with kernels in OpenCL C have in place of those of the same name and of
/// graphloom_runtime.c (resources/package_opencl).
extern const std::span<const PackageText> openclPackageTexts;
extern const std::span<const PackageText> openclPackageTemplates;

} // namespace graphloom
