// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace graphloom {

/// Holds the content of a sealed file: a checksum (XXH3, 128 bits) of its name and content follows
/// the content, so that damage is found before the content is used. Readers of ELF files ignore the
/// checksum.
struct SealedContent {
    std::string content;
    std::string checksum; // in hexadecimal
};

/// Appends the checksum to the content of a file that is to become `name`, makes the file
/// accessible to its owner only, and waits until it is on the disk. Fails (Missing) if it cannot be
/// written.
Result<void> sealFile(const std::filesystem::path &file, std::string_view content,
                      std::string_view name);

/// Returns the content. Fails (Missing) if it cannot be read, and (Fault) if it is damaged, was
/// never sealed, belongs to another user, or is writable by others.
Result<SealedContent> readSealed(const std::filesystem::path &file);

/// Returns the checksum, in hexadecimal, of one of our own texts that is kept in a file of this
/// name.
std::string checksumOf(std::string_view content, std::string_view name);

} // namespace graphloom
