// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/connection/connection.h"

namespace graphloom {

/// Returns a connection to QEMU in user mode: `emulator` is the program with its arguments, which
/// precede each command. Files stay where they are.
std::unique_ptr<Connection> emulatorConnection(std::vector<std::string> emulator);

} // namespace graphloom
