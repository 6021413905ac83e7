// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/Formatter.hpp>

namespace graphloom {

/// Formats --help in two columns that fit into a terminal of 100 characters.
class HelpFormat final : public CLI::Formatter {
public:
    std::string make_option(const CLI::Option *option, bool isPositional) const override;
};

} // namespace graphloom
