// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

/// The program from outside: arguments in, files and exit codes out.
namespace graphloom::test {

struct Outcome {
    int code = -1; // -1: it did not end in time, -2: it crashed
    QString out, err;
};

/// Runs the program as a user without a display does: a Qt application object would abort.
/// `variables`: "NAME=value", on top of the test's own environment.
Outcome runProgram(const QStringList &arguments, const QStringList &variables = {});
/// The same with another copy of the program.
Outcome runProgramAt(const QString &program, const QStringList &arguments,
                     const QStringList &variables = {});

/// Variables with which the program finds no C compiler.
QStringList withoutCompilers();

/// Makes a C compiler of this path and gives it back, for CC: it answers questions, but does not
/// compile ("error: not today"). Needs one that does.
QString failingCompiler(const QString &path);

/// The path of a model that comes with the program: "mobilenet_v2_224.onnx".
QString sampleFile(const char *name);

QByteArray contentOf(const QString &path);
void writeFile(const QString &path, const QByteArray &content);
/// Discarded when the file is not there or holds something else.
nlohmann::ordered_json readJson(const QString &path);
nlohmann::ordered_json readJson(const std::filesystem::path &path);

} // namespace graphloom::test
