// SPDX-License-Identifier: Apache-2.0
#include "engine/base/environment.h"

#include <cstdlib>
#include <iterator>
#include <sstream>

namespace graphloom {

std::string environmentVariable(const char *name)
{
    const char *value = std::getenv(name);
    return value ? value : "";
}

std::vector<std::string> wordsOf(const std::string &command)
{
    std::istringstream words(command);
    return {std::istream_iterator<std::string>(words), {}};
}

} // namespace graphloom
