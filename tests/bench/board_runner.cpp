// SPDX-License-Identifier: Apache-2.0
// Runs a command with a board or a phone on the loopback interface, whose programs run under QEMU:
// whether whole models get there and compute the same, as the tests do with small ones. {} in the
// command is the connection:
//     board_runner ssh|adb [--emulator "qemu-aarch64 -cpu cortex-a76"] --
//         graphloom --batch model.onnx --passes dnnfusion --target arm64:rpi5@{} --verify
// Times are those of the emulator. Ends with the exit code of the command, or 4 if something is
// missing.
#include "tests/support/board.h"

#include <QCoreApplication>

#include <cstdio>

using graphloom::test::Board;

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    QStringList words = QCoreApplication::arguments().mid(1);
    const QString kind = words.isEmpty() ? QString() : words.takeFirst();
    std::string emulator = "qemu-aarch64 -cpu cortex-a76";
    if (words.size() >= 2 && words.front() == "--emulator") {
        emulator = words[1].toStdString();
        words = words.mid(2);
    }
    if ((kind != "ssh" && kind != "adb") || words.size() < 2 || words.takeFirst() != "--") {
        std::fputs("usage: board_runner ssh|adb [--emulator \"PROGRAM ARGUMENTS\"] -- COMMAND\n",
                   stderr);
        return 2;
    }
    const Board board(kind == "ssh" ? Board::Kind::Ssh : Board::Kind::Adb, emulator);
    if (!board.problem().empty()) {
        std::fprintf(stderr, "%s\n", board.problem().c_str());
        return 4;
    }
    for (QString &word : words)
        word.replace("{}", QString::fromStdString(board.address()));
    return QProcess::execute(words.front(), words.mid(1));
}
