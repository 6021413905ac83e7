// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace graphloom {

/// A file with a checksum (XXH3, 128 bits) of its name and content behind the content, by which
/// damage is found before the content is used. What reads ELF files does not mind the checksum.
struct SealedContent {
    std::string content;
    std::string checksum; // in hexadecimal
};

/// Puts the checksum behind the content of a file that is to become `name`, makes it the owner's
/// alone, and waits until it is on the disk. Fails (Missing) when it cannot be written.
Result<void> sealFile(const std::filesystem::path &file, std::string_view content,
                      std::string_view name);

/// The content. Fails (Missing) when it cannot be read, and (Fault) when it is damaged, was never
/// sealed, belongs to another user, or others may write it.
Result<SealedContent> readSealed(const std::filesystem::path &file);

/// The checksum of a text of ours that is kept in a file of this name, in hexadecimal.
std::string checksumOf(std::string_view content, std::string_view name);

} // namespace graphloom
