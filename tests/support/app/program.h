// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

/// Runs the program from outside: arguments in, files and exit codes out.
namespace graphloom::test {

struct Outcome {
    int code = -1; // -1: it did not end in time, -2: it crashed
    QString out, err;
};

/// Runs the program as a user without a display does: a Qt application object would abort.
/// `variables` holds "NAME=value" entries in addition to the test's own environment.
Outcome runProgram(const QStringList &arguments, const QStringList &variables = {});
/// Runs another copy of the program in the same way.
Outcome runProgramAt(const QString &program, const QStringList &arguments,
                     const QStringList &variables = {});

/// Returns variables with which the program finds no C compiler.
QStringList withoutCompilers();

/// Makes a C compiler with this path and returns the path, for CC: it answers queries, but does not
/// compile ("error: not today"). Needs a real compiler.
QString failingCompiler(const QString &path);

/// Returns the path of a model that comes with the program: "mobilenet_v2_224.onnx".
QString sampleFile(const char *name);

QByteArray contentOf(const QString &path);
void writeFile(const QString &path, const QByteArray &content);
/// Reads a JSON file. Returns a discarded value if the file does not exist or holds something else.
nlohmann::ordered_json readJson(const QString &path);
nlohmann::ordered_json readJson(const std::filesystem::path &path);

} // namespace graphloom::test
