// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

#include <QString>

namespace graphloom::test {

/// Returns the message of the Model error with which the table refused the node "under test", or ""
/// if it described the call, or failed otherwise.
inline QString refusalOf(const Result<Description> &description)
{
    if (description || description.error().kind != Error::Kind::Model ||
        description.error().where.find("under test") == std::string::npos)
        return {};
    return QString::fromStdString(description.error().message);
}

} // namespace graphloom::test
