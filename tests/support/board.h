// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/connection/connection.h"
#include "tests/support/scoped_variable.h"

#include <QProcess>
#include <QTemporaryDir>
#include <memory>
#include <optional>
#include <string>

namespace graphloom::test {

/// Stands for a board or a phone on the loopback interface: a server of OpenSSH, or our stand-in
/// for adbd. What it runs runs on this machine; programs that are kept there run under `emulator`.
class Board {
public:
    enum class Kind { Ssh, Adb };
    /// Starts it. `diesAfter`: a phone breaks the connection after so many bytes.
    explicit Board(Kind kind, const std::string &emulator = {}, std::int64_t diesAfter = -1);
    ~Board();
    Board(const Board &) = delete;
    Board &operator=(const Board &) = delete;

    /// Returns why there is none: what the machine lacks.
    const std::string &problem() const { return m_problem; }
    /// Returns how a device's name says the connection: "ssh:user@127.0.0.1:40001".
    const std::string &address() const { return m_address; }
    std::unique_ptr<Connection> connection() const;
    /// Pulls the cable: the server is gone, with all connections.
    void disappear();
    /// Returns where the workbench keeps its files there.
    QString folder() const;

private:
    void startSsh(const QString &emulator);
    void startAdb(const QString &emulator, std::int64_t diesAfter);

    Kind m_kind;
    QTemporaryDir m_folder;
    QProcess m_server;
    std::string m_problem, m_address;
    std::optional<ScopedVariable> m_client, m_port;
};

} // namespace graphloom::test
