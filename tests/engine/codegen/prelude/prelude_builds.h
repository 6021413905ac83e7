// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/prelude.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <bit>
#include <cmath>
#include <dlfcn.h>

namespace graphloom::test {

using Floats = std::vector<float>;

/// A driver in C behind the text of cPrelude(), compiled by the compilers found for several
/// machines and widths: a row of test data each.
class PreludeBuilds {
public:
    explicit PreludeBuilds(QString driver) : m_driver(std::move(driver)) {}
    ~PreludeBuilds()
    {
        for (const auto &[name, library] : m_libraries)
            if (library)
                dlclose(library);
    }
    Q_DISABLE_COPY_MOVE(PreludeBuilds)

    static void addRows();
    /// Compiles the library of the current row, without a warning. Skips the row if that, or
    /// running it, is not possible on this machine. To be called from init().
    void prepareRow();

    template <class Call> Call find(const QString &name) const
    {
        void *symbol = dlsym(m_library, qPrintable(name));
        if (!symbol)
            qFatal("the driver has no %s", qPrintable(name));
        return reinterpret_cast<Call>(symbol);
    }

private:
    QString use();
    static QString missing();
    static QString notExecutable();

    QString m_driver;
    QTemporaryDir m_folder;
    std::map<std::string, void *> m_libraries;
    void *m_library = nullptr;
};

inline void PreludeBuilds::addRows()
{
    QTest::addColumn<QString>("compiler");
    QTest::addColumn<int>("lanes");
    QTest::addColumn<QStringList>("machine");
    const QStringList avx512{"-mavx512f", "-mavx512vl", "-mavx512bw", "-mavx512dq", "-mfma"};
    const QStringList avx2{"-mavx2", "-mfma", "-mf16c"};
    const std::pair<int, QStringList> builds[] = {{16, avx512}, {8, avx512}, {16, avx2},
                                                  {8, avx2},    {4, avx2},   {4, {}}};
    for (const QString compiler : {"gcc", "clang"})
        for (const auto &[lanes, machine] : builds)
            QTest::addRow("%s %d %s", qPrintable(compiler), lanes, qPrintable(machine.join(' ')))
                << compiler << lanes << machine;
}

inline void PreludeBuilds::prepareRow()
{
    if (const QString reason = missing(); !reason.isEmpty())
        QSKIP(qPrintable(reason));
    const QString error = use();
    QVERIFY2(error.isEmpty(), qPrintable(error));
    if (const QString reason = notExecutable(); !reason.isEmpty())
        QSKIP(qPrintable(reason));
}

/// Returns why the current row cannot be compiled here; empty if it can.
inline QString PreludeBuilds::missing()
{
    QFETCH(QString, compiler);
    return QStandardPaths::findExecutable(compiler).isEmpty() ? compiler + " is not installed"
                                                              : QString();
}

/// Returns why the current row can be compiled but not run.
inline QString PreludeBuilds::notExecutable()
{
    QFETCH(QStringList, machine);
    const bool has512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    const bool has2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if ((machine.contains("-mavx512f") && !has512) || (machine.contains("-mavx2") && !has2))
        return "compiled, not run: this processor cannot execute " + machine.join(' ');
    return {};
}

/// Loads the library of the current row; returns why that failed.
inline QString PreludeBuilds::use()
{
    QFETCH(QString, compiler);
    QFETCH(int, lanes);
    QFETCH(QStringList, machine);
    m_library = m_libraries[QTest::currentDataTag()];
    if (m_library)
        return {};
    QFile driver(m_driver);
    const QString base = m_folder.filePath(QString::number(m_libraries.size()));
    QFile source(base + ".c");
    if (!driver.open(QIODevice::ReadOnly) || !source.open(QIODevice::WriteOnly))
        return driver.errorString() + ", " + source.errorString();
    source.write(QByteArray(cPrelude().data(), qsizetype(cPrelude().size())) + driver.readAll());
    source.close();
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    const QStringList options{"-std=c11",        "-O2",     "-Wall",
                              "-Wextra",         "-Werror", "-Wno-psabi",
                              "-fno-math-errno", "-fPIC",   "-shared"};
    process.start(compiler, options + machine +
                                QStringList{QString("-DGL_LANES=%1").arg(lanes), source.fileName(),
                                            "-o", base + ".so", "-lm"});
    process.waitForFinished(60000);
    const QByteArray output = process.readAll();
    if (process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0 ||
        !output.isEmpty())
        return compiler + ": " + output;
    m_library = m_libraries[QTest::currentDataTag()] = dlopen(qPrintable(base + ".so"), RTLD_NOW);
    return m_library ? QString() : dlerror();
}

/// Padded to whole vectors.
inline Floats padded(Floats values)
{
    values.resize((values.size() + 15) / 16 * 16, 1.0f);
    return values;
}

/// Floats over all exponents and both signs, and values at which functions change their behaviour.
inline const Floats &sweep()
{
    static const Floats values = [] {
        Floats all{NAN, INFINITY, -INFINITY};
        for (const float x : {0.0f,        1e-45f,       1.1754942e-38f, 1.17549435e-38f,
                              0.49999997f, 0.5f,         0.7f,           1.0f,
                              1.5f,        2.0f,         2.5f,           3.0f,
                              8388607.5f,  8388608.0f,   16777215.0f,    87.3f,
                              88.72283f,   88.722845f,   103.9f,         104.1f,
                              1e5f,        3.4028235e38f}) {
            all.push_back(x);
            all.push_back(-x);
        }
        for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 8191)
            all.push_back(std::bit_cast<float>(std::uint32_t(bits)));
        return padded(std::move(all));
    }();
    return values;
}

/// Bit for bit; NaN equals NaN.
inline bool same(float a, float b)
{
    return (std::isnan(a) && std::isnan(b)) || std::bit_cast<int>(a) == std::bit_cast<int>(b);
}

} // namespace graphloom::test
