// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/batch.h"
#include "app/batch/call_timers.h"
#include "app/batch/html/plan_pictures.h"
#include "app/batch/list.h"
#include "app/batch/profile.h"
#include "app/window/run_window.h"

#include <QApplication>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>

namespace graphloom {

namespace {

bool isSet(const char *variable)
{
    const char *value = std::getenv(variable);
    return value && *value;
}

/// Qt ends the process when it finds no display; better to say so, and what works without one.
bool canOpenWindow()
{
    return isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") || isSet("QT_QPA_PLATFORM");
}

int runWindowCommand(char **argv, const WindowOptions &options)
{
    if (options.screenshot || !options.exports.empty()) {
        ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
    } else if (!canOpenWindow()) {
        std::cerr << "graphloom: there is no display for the window; --batch, --screenshot and "
                     "--export-view work without one\n";
        return exitCodeOf(Error::Kind::Missing);
    }
    // The arguments are read already; Qt must not take any of them for its own.
    char *arguments[] = {argv[0], nullptr};
    return runWindow(1, arguments, options);
}

/// What is needed only: each library is loaded in a child process first.
BatchPlugins pluginsFor(const BatchOptions &options)
{
    BatchPlugins plugins;
    if (!options.passes.empty())
        plugins.passes = loadPassPlugins(defaultPluginFolder());
    if (options.target)
        plugins.targets = loadTargetPlugins(defaultTargetFolder());
    plugins.timers = callTimers([] { return loadTargetPlugins(defaultTargetFolder()); },
                                options.threads, options.profile);
    return plugins;
}

/// Qt's remarks about the platform are not for who reads the output of --batch.
void ignoreRemarks(QtMsgType type, const QMessageLogContext &, const QString &text)
{
    if (type == QtFatalMsg) {
        std::cerr << "graphloom: " << text.toStdString() << '\n';
        std::abort();
    }
}

/// With an application for the drawings of --html, which are painted like those of the window but
/// need no display; it takes none of the arguments.
int runBatchWithPictures(char **argv, const BatchOptions &options)
{
    ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
    qInstallMessageHandler(ignoreRemarks);
    int count = 1;
    char *arguments[] = {argv[0], nullptr};
    const QApplication application(count, arguments); // Qt Charts are widgets
    BatchPlugins plugins = pluginsFor(options);
    plugins.drawPictures = drawPlanPictures;
    return runBatch(options, plugins, std::cout, std::cerr);
}

int run(int argc, char **argv)
{
    const auto command = parseCommandLine({argv + (argc > 0 ? 1 : 0), argv + argc});
    if (!command) {
        std::cerr << textForUser(command.error()) << "\ngraphloom --help says what there is.\n";
        return exitCodeOf(command.error().kind);
    }
    // No Qt application exists unless the window or a picture is wanted.
    if (const auto *answer = std::get_if<Answer>(&*command)) {
        std::cout << answer->text;
        return exitDone;
    }
    if (const auto *list = std::get_if<ListOptions>(&*command))
        return runList(*list, std::cout, std::cerr);
    if (const auto *profile = std::get_if<ProfileOptions>(&*command))
        return runProfile(*profile, std::cout, std::cerr);
    if (const auto *batch = std::get_if<BatchOptions>(&*command); batch && batch->html)
        return runBatchWithPictures(argv, *batch);
    if (const auto *batch = std::get_if<BatchOptions>(&*command))
        return runBatch(*batch, pluginsFor(*batch), std::cout, std::cerr);
    return runWindowCommand(argv, std::get<WindowOptions>(*command));
}

} // namespace

} // namespace graphloom

int main(int argc, char **argv)
{
    // Writing beyond a limit of the shell's (ulimit -f) fails then, and is told like a full disk.
    std::signal(SIGXFSZ, SIG_IGN);
    constexpr auto missing = graphloom::Error::Kind::Missing;
    try {
        return graphloom::run(argc, argv);
    } catch (const std::bad_alloc &) {
        std::cerr << "graphloom: there is not enough memory\n";
        return graphloom::exitCodeOf(missing);
    } catch (const std::filesystem::filesystem_error &error) {
        std::cerr << "graphloom: " << error.what() << '\n';
        return graphloom::exitCodeOf(missing);
    } catch (const std::exception &fault) {
        std::cerr << "graphloom: " << fault.what() << " (a fault of the program)\n";
    }
    return graphloom::exitCodeOf(graphloom::Error::Kind::Fault);
}
