// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Describes an architecture as LLVM's tools know it and what its instructions look like as they
/// write them, with a tab between mnemonic and operands: "fmla\tv0.4s, v1.4s, v2.s[0]".
struct Architecture {
    std::string_view name;                                      // as triples begin: "x86_64"
    std::string_view triple;                                    // for the tools
    std::span<const std::string_view> disassembling, analyzing; // further options
    std::string_view syntax; // a directive that what is analyzed begins with
    /// Tells whether an instruction moves a whole vector register to or from the stack: a spill.
    bool (*isSpill)(std::string_view instruction);
    /// Tells whether an instruction is a multiply-add of vectors.
    bool (*isMultiplyAdd)(std::string_view instruction);
    /// Returns multiply-adds of the same width that do not depend on each other, so many that the
    /// pipes are always busy.
    std::vector<std::string> (*independent)(std::string_view multiplyAdd);
    /// Tells whether an instruction, by its mnemonic, jumps, and may come back or not.
    bool (*jumps)(std::string_view mnemonic);
};

/// Returns the architecture of a compiler, by its target triple; null if it is not described.
const Architecture *findArchitecture(std::string_view triple);

/// Returns a text without spaces and tabs at its ends.
std::string_view trimmed(std::string_view text);
/// Returns the parts of an instruction.
std::string_view mnemonicOf(std::string_view instruction);
std::string_view operandsOf(std::string_view instruction);

/// Returns the address that an instruction jumps to, if it does and says one.
std::optional<std::uint64_t> jumpTarget(const Architecture &architecture,
                                        std::string_view instruction);

} // namespace graphloom
