// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/connection/connection.h"

namespace graphloom {

/// Names a board: "user@host", and its port; 0: as the user's configuration of ssh says.
struct SshAddress {
    std::string host;
    int port = 0;
};

/// Parses "user@host:port" or a part of it; a host in brackets may be an address of IPv6. Fails
/// (Usage) if it cannot be a host: ssh would read a name that begins with a hyphen as an option.
Result<SshAddress> parseSshAddress(const std::string &text);

/// Returns a connection by OpenSSH's client, with the keys, known hosts and configuration that the
/// user has; it never asks for a password. The environment variable GRAPHLOOM_SSH names another
/// client, perhaps with arguments. One connection serves all commands for as long as the object is
/// there. Nothing is done before the first of them.
std::unique_ptr<Connection> sshConnection(SshAddress address);

} // namespace graphloom
