// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/training_options.h"

#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace graphloom::bench {

/// Holds "--name" and the variable for its value: yes or no for a bool, batch or frozen for the
/// mode of batch normalization.
struct Option {
    std::string_view name;
    std::variant<std::string *, std::filesystem::path *, double *, int *, unsigned *,
                 std::uint64_t *, bool *, TrainingOptions::BatchNorm *>
        into;
};

inline bool read(std::string_view value, bool &into)
{
    into = value == "yes";
    return into || value == "no";
}

inline bool read(std::string_view value, TrainingOptions::BatchNorm &into)
{
    using Mode = TrainingOptions::BatchNorm;
    into = value == "batch" ? Mode::Batch : Mode::Frozen;
    return value == nameOf(into);
}

template <class Value> bool read(std::string_view value, Value &into)
{
    if constexpr (std::is_arithmetic_v<Value>) {
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), into);
        return error == std::errc() && end == value.data() + value.size();
    } else {
        into = value;
        return true;
    }
}

/// Reads "--name value" pairs of a command line. Prints a message and returns false if one is
/// unknown or its value is not valid.
inline bool readOptions(int argc, char **argv, const std::vector<Option> &options)
{
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
        bool isRead = false;
        for (const Option &option : options)
            if (option.name == name && i + 1 < argc)
                isRead = std::visit([&](auto *into) { return read(value, *into); }, option.into);
        if (!isRead) {
            std::fprintf(stderr, "%s %s is not understood\n", argv[i], std::string(value).c_str());
            return false;
        }
    }
    return true;
}

} // namespace graphloom::bench
