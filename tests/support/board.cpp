// SPDX-License-Identifier: Apache-2.0
#include "tests/support/board.h"

#include "engine/connection/adb_connection.h"
#include "engine/connection/ssh_connection.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QTest>
#include <arpa/inet.h>
#include <csignal>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace graphloom::test {

namespace {

/// Returns a port that nobody listens to now.
int freePort()
{
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address);
    ::getsockname(listener, reinterpret_cast<sockaddr *>(&address), &size);
    ::close(listener);
    return ntohs(address.sin_port);
}

void write(const QString &path, const QString &text)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0)
        qFatal("cannot write %s", qPrintable(path));
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

QString userName()
{
    const passwd *user = ::getpwuid(::geteuid());
    return user ? QString(user->pw_name) : QString();
}

} // namespace

Board::Board(Kind kind, const std::string &emulator, std::int64_t diesAfter) : m_kind(kind)
{
    if (kind == Kind::Ssh)
        startSsh(QString::fromStdString(emulator));
    else
        startAdb(QString::fromStdString(emulator), diesAfter);
}

Board::~Board()
{
    disappear();
    if (m_kind == Kind::Adb && m_problem.empty())
        QProcess::execute("adb", {"kill-server"});
}

void Board::startSsh(const QString &emulator)
{
    const QString server = QStandardPaths::findExecutable("sshd", {"/usr/sbin", "/usr/local/sbin"});
    if (server.isEmpty() || QStandardPaths::findExecutable("ssh").isEmpty()) {
        m_problem = "needs openssh-server and openssh-client";
        return;
    }
    const QString folder = m_folder.path();
    for (const char *key : {"/host", "/user"})
        QProcess::execute("ssh-keygen", {"-q", "-t", "ed25519", "-N", "", "-f", folder + key});
    QFile::copy(folder + "/user.pub", folder + "/authorized");
    // As a board of another kind would answer.
    write(folder + "/board.sh",
          QString("#!/bin/sh\nexport XDG_CACHE_HOME='%1/cache'\ncase \"$SSH_ORIGINAL_COMMAND\" in\n"
                  "'uname -m') echo aarch64 ;;\n"
                  "\"'\"*/kept/*) eval \"exec %2 $SSH_ORIGINAL_COMMAND\" ;;\n"
                  "*) exec sh -c \"$SSH_ORIGINAL_COMMAND\" ;;\nesac\n")
              .arg(folder, emulator));
    const int port = freePort();
    write(folder + "/sshd_config",
          QString("Port %1\nListenAddress 127.0.0.1\nHostKey %2/host\nAuthorizedKeysFile "
                  "%2/authorized\nStrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication "
                  "no\nKbdInteractiveAuthentication no\nForceCommand %2/board.sh\nPrintMotd no\n"
                  // Lets bash not read the user's .bashrc, whose locks would stay when the server
                  // is killed.
                  "SetEnv SHLVL=2\n")
              .arg(port)
              .arg(folder));
    QFile hostKey(folder + "/host.pub");
    if (!hostKey.open(QIODevice::ReadOnly))
        qFatal("ssh-keygen made no key");
    write(folder + "/known", QString("[127.0.0.1]:%1 ").arg(port) + hostKey.readAll());
    write(folder + "/ssh_config",
          QString("Host *\n  IdentityFile %1/user\n  IdentitiesOnly yes\n  UserKnownHostsFile "
                  "%1/known\n")
              .arg(folder));
    if (::geteuid() == 0)
        QDir().mkpath("/run/sshd"); // as the system's service does
    m_server.start(server, {"-D", "-e", "-f", folder + "/sshd_config"});
    // It answers once it says so.
    m_server.setReadChannel(QProcess::StandardError);
    QByteArray told;
    while (!told.contains("Server listening") && m_server.waitForReadyRead(10000))
        told += m_server.readAllStandardError();
    if (!told.contains("Server listening")) {
        m_problem = "sshd does not start: " + told.toStdString();
        return;
    }
    m_client.emplace("GRAPHLOOM_SSH", "ssh -F " + (folder + "/ssh_config").toUtf8());
    m_address = "ssh:" + userName().toStdString() + "@127.0.0.1:" + std::to_string(port);
}

void Board::startAdb(const QString &emulator, std::int64_t diesAfter)
{
    if (QStandardPaths::findExecutable("adb").isEmpty() ||
        QStandardPaths::findExecutable("python3").isEmpty()) {
        m_problem = "needs adb and python3";
        return;
    }
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("BOARD_EMULATOR", emulator);
    m_server.setProcessEnvironment(environment);
    QStringList words = {GRAPHLOOM_SOURCE "/tests/support/adbd", m_folder.path()};
    if (diesAfter >= 0)
        words += {"--dies-after", QString::number(diesAfter)};
    m_server.start("python3", words);
    if (!m_server.waitForReadyRead(10000)) {
        m_problem = "the stand-in for adbd does not start";
        return;
    }
    // A server of its own for the client, too.
    m_port.emplace("ANDROID_ADB_SERVER_PORT", QByteArray::number(freePort()));
    m_client.emplace("HOME", m_folder.path().toUtf8());
    m_address = "adb:127.0.0.1:" + m_server.readLine().trimmed().toStdString();
}

std::unique_ptr<Connection> Board::connection() const
{
    const std::string place = m_address.substr(m_address.find(':') + 1);
    if (m_kind == Kind::Adb)
        return adbConnection(place);
    return sshConnection(*parseSshAddress(place));
}

void Board::disappear()
{
    // Each connection of sshd has processes of its own.
    std::vector<qint64> processes = {m_server.processId()};
    for (std::size_t i = 0; i < processes.size() && processes[i] > 0; ++i) {
        QProcess children;
        children.start("pgrep", {"-P", QString::number(processes[i])});
        children.waitForFinished();
        for (const QByteArray &line : children.readAllStandardOutput().split('\n'))
            if (!line.isEmpty())
                processes.push_back(line.toLongLong());
    }
    for (const qint64 process : processes)
        if (process > 0)
            ::kill(pid_t(process), SIGKILL);
    m_server.waitForFinished();
}

QString Board::folder() const
{
    return m_folder.path() + (m_kind == Kind::Ssh ? "/cache/graphloom" : "/graphloom");
}

} // namespace graphloom::test
