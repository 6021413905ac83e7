// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/connection/connection.h"

namespace graphloom {

/// Checks the serial of a phone, as `adb devices` lists it: "R58N", "192.168.1.20:5555". Fails
/// (Usage) if it is empty or adb would read it as an option.
Result<void> checkAdbSerial(const std::string &serial);

/// Returns a connection to a phone by Android's adb, of which the user has accepted this machine's
/// key. Files are kept in /data/local/tmp/graphloom.
std::unique_ptr<Connection> adbConnection(std::string serial);

} // namespace graphloom
