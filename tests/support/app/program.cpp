// SPDX-License-Identifier: Apache-2.0
#include "tests/support/app/program.h"

#include "engine/codegen/build/c_compiler.h"
#include "tests/support/app/own_folders.h"

#include <QFile>
#include <QProcess>

#include <nlohmann/json.hpp>

namespace graphloom::test {

Outcome runProgram(const QStringList &arguments, const QStringList &variables)
{
    return runProgramAt(GRAPHLOOM_BINARY, arguments, variables);
}

Outcome runProgramAt(const QString &program, const QStringList &arguments,
                     const QStringList &variables)
{
    static const OwnFolders folders;
    constexpr int patience = 240'000; // milliseconds
    QProcess process;
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_QPA_PLATFORM", "none-such");
    environment.remove("DISPLAY");
    environment.remove("WAYLAND_DISPLAY");
    for (const QString &variable : variables)
        environment.insert(variable.section('=', 0, 0), variable.section('=', 1));
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    if (!process.waitForFinished(patience)) {
        process.kill();
        process.waitForFinished();
        return {-1, {}, "did not end: " + process.errorString()};
    }
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

QStringList withoutCompilers()
{
    return {"PATH=/nowhere", "CC="}; // CC takes precedence
}

QString failingCompiler(const QString &path)
{
    writeFile(path, "#!/bin/sh\nfor word; do\n    [ \"$word\" = -shared ] && "
                    "{ echo 'error: not today' >&2; exit 1; }\ndone\nexec '" +
                        QByteArray::fromStdString(findCCompiler()->program.string()) +
                        "' \"$@\"\n");
    std::filesystem::permissions(path.toStdString(), std::filesystem::perms::owner_all);
    return path;
}

QString sampleFile(const char *name)
{
    return QString(GRAPHLOOM_SAMPLES) + '/' + name;
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeFile(const QString &path, const QByteArray &content)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write %s", qPrintable(path));
}

nlohmann::ordered_json readJson(const QString &path)
{
    return nlohmann::ordered_json::parse(contentOf(path).toStdString(), nullptr, false);
}

nlohmann::ordered_json readJson(const std::filesystem::path &path)
{
    return readJson(QString::fromStdString(path.string()));
}

} // namespace graphloom::test
