// SPDX-License-Identifier: Apache-2.0
#include "engine/machine_code/architecture.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace graphloom {

namespace {

using Text = std::string_view;

bool isOneOf(Text word, std::initializer_list<Text> words)
{
    return std::ranges::find(words, word) != words.end();
}

// 64-bit ARM

bool spillsOnArm(Text instruction)
{
    const Text mnemonic = mnemonicOf(instruction);
    return (mnemonic.starts_with("ld") || mnemonic.starts_with("st")) &&
           operandsOf(instruction).starts_with('q') && instruction.find("[sp") != Text::npos;
}

bool addsProductsOnArm(Text instruction)
{
    return isOneOf(mnemonicOf(instruction), {"fmla", "fmls"}) &&
           operandsOf(instruction).starts_with('v');
}

std::vector<std::string> independentOnArm(Text multiplyAdd)
{
    // "v0.4s, v1.4s, v2.s[0]": other results, the same kind of operands.
    constexpr int results = 24;
    const Text operands = operandsOf(multiplyAdd);
    const auto dot = operands.find('.');
    const std::string shape(operands.substr(dot, operands.find(',') - dot));
    const auto element = operands.rfind('[');
    const std::string last = element == Text::npos ? shape : "." + shape.substr(2) + "[0]";
    std::vector<std::string> list;
    for (int i = 0; i < results; ++i)
        list.push_back("fmla\tv" + std::to_string(i) + shape + ", v30" + shape + ", v15" + last);
    return list;
}

bool jumpsOnArm(Text mnemonic)
{
    return isOneOf(mnemonic, {"b", "bl", "br", "blr", "ret"}) || mnemonic.starts_with("b.") ||
           mnemonic.starts_with("cb") || mnemonic.starts_with("tb");
}

// x86-64, in Intel's syntax

/// Returns the kind of vector register that an operand list begins with: 'z', 'y' or 'x'.
char vectorOf(Text operands)
{
    return operands.size() > 3 && operands.substr(1, 2) == "mm" ? operands.front() : '\0';
}

bool spillsOnX86(Text instruction)
{
    const Text mnemonic = mnemonicOf(instruction), operands = operandsOf(instruction);
    // rbp is the frame's register where the stack is aligned, and an ordinary one elsewhere, in
    // which pointers are hardly read with negative offsets.
    return (mnemonic.starts_with("vmov") || mnemonic.starts_with("mov")) &&
           (operands.find("mmword ptr [rsp") != Text::npos ||
            operands.find("mmword ptr [rbp -") != Text::npos);
}

bool addsProductsOnX86(Text instruction)
{
    const Text mnemonic = mnemonicOf(instruction);
    return (mnemonic.starts_with("vfmadd") || mnemonic.starts_with("vfnmadd") ||
            mnemonic.starts_with("vfmsub") || mnemonic.starts_with("vfnmsub")) &&
           mnemonic.ends_with("ps") && vectorOf(operandsOf(instruction)) != '\0';
}

std::vector<std::string> independentOnX86(Text multiplyAdd)
{
    constexpr int results = 14; // all of 16 registers but two operands
    const std::string registers = std::string(1, vectorOf(operandsOf(multiplyAdd))) + "mm";
    std::vector<std::string> list;
    for (int i = 0; i < results; ++i)
        list.push_back("vfmadd231ps\t" + registers + std::to_string(i) + ", " + registers + "14, " +
                       registers + "15");
    return list;
}

bool jumpsOnX86(Text mnemonic)
{
    return mnemonic.starts_with('j') || isOneOf(mnemonic, {"call", "ret", "loop"});
}

constexpr Text armExtensions = "+v8.2a,+dotprod,+fullfp16";
constexpr std::array<Text, 1> armListing = {"--mattr=+v8.2a,+dotprod,+fullfp16"},
                              armAnalysis = {"-mattr=+v8.2a,+dotprod,+fullfp16"},
                              x86Listing = {"--x86-asm-syntax=intel"};
static_assert(armListing[0].ends_with(armExtensions) && armAnalysis[0].ends_with(armExtensions));

constexpr std::array<Architecture, 2> architectures = {
    Architecture{"aarch64", "aarch64-linux-gnu", armListing, armAnalysis, "", spillsOnArm,
                 addsProductsOnArm, independentOnArm, jumpsOnArm},
    Architecture{"x86_64",
                 "x86_64-linux-gnu",
                 x86Listing,
                 {},
                 ".intel_syntax noprefix",
                 spillsOnX86,
                 addsProductsOnX86,
                 independentOnX86,
                 jumpsOnX86}};

} // namespace

const Architecture *findArchitecture(std::string_view triple)
{
    const auto found = std::ranges::find_if(
        architectures, [&](const Architecture &of) { return triple.starts_with(of.name); });
    return found == architectures.end() ? nullptr : &*found;
}

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    return first == Text::npos ? Text()
                               : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string_view mnemonicOf(std::string_view instruction)
{
    const Text text = trimmed(instruction);
    return text.substr(0, text.find_first_of(" \t"));
}

std::string_view operandsOf(std::string_view instruction)
{
    return trimmed(trimmed(instruction).substr(mnemonicOf(instruction).size()));
}

std::optional<std::uint64_t> jumpTarget(const Architecture &architecture,
                                        std::string_view instruction)
{
    if (!architecture.jumps(mnemonicOf(instruction)))
        return std::nullopt;
    Text operands = operandsOf(instruction);
    operands = operands.substr(0, operands.find(" <"));
    const auto at = operands.rfind("0x");
    if (at == Text::npos)
        return std::nullopt;
    constexpr int hexadecimal = 16;
    const Text digits = operands.substr(at + 2);
    std::uint64_t target = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), target, hexadecimal);
    return error == std::errc() && end == digits.data() + digits.size() ? std::optional(target)
                                                                        : std::nullopt;
}

} // namespace graphloom
