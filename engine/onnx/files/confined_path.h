// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/files/mapped_file.h"

#include <filesystem>
#include <string>

namespace graphloom {

/// Tells how a file named by an untrusted model may be reached.
struct Confinement {
    /// Permits symbolic and hard links; the path itself stays below the folder.
    bool followLinks = false;
    /// Walks the path components itself instead of asking the kernel to (openat2, Linux 5.6).
    bool withoutOpenat2 = false;
};

/// Opens `location`, which a model in `folder` names, for reading. Refuses (Model) an empty or
/// absolute path, one with "..", and anything but a regular file; unless links are permitted, also
/// any path with a symbolic link in it and files with several hard links. The check and the opening
/// are atomic: nothing can be swapped in between.
Result<Descriptor> openConfined(const std::filesystem::path &folder, const std::string &location,
                                const Confinement &confinement = {});

} // namespace graphloom
