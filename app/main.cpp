// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/batch.h"
#include "app/batch/html/plan_pictures.h"
#include "app/batch/list.h"
#include "app/batch/profile.h"
#include "app/run/call_timers.h"
#include "app/shell/run_window.h"

#include <QApplication>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <new>
#include <unistd.h>

namespace graphloom {

namespace {

/// What is closed when the program starts would be taken by its own files and pipes, and what is
/// meant for a terminal would be written there.
void openStandardDescriptors()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) // the lowest one that is free
            ::open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY);
}

/// Who reads from a pipe may have read enough: writing then fails, and ends nothing that is being
/// worked on. Programs that are started have the usual behaviour.
void surviveClosedPipes()
{
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGPIPE, &action, nullptr);
}

/// The exit code of a command whose answer has been printed; Missing's where it could not be,
/// unless its reader has closed the pipe.
int printed(int code)
{
    if (std::cout.flush())
        return code;
    const bool isStillBroken = ::write(STDOUT_FILENO, "\n", 1) < 0; // tells why
    const int reason = isStillBroken ? errno : EIO;
    if (reason == EPIPE)
        return code;
    std::cerr << "graphloom: standard output: writing failed: " << std::strerror(reason) << '\n';
    return code == exitDone ? exitCodeOf(Error::Kind::Missing) : code;
}

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
        plugins.passes = ownPassPlugins();
    if (options.target)
        plugins.targets = ownTargetPlugins();
    plugins.timers = [&options](std::function<void(const std::string &)> warn) {
        return callTimers([] { return ownTargetPlugins(); }, options.threads, options.profile,
                          std::move(warn));
    };
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
        return printed(exitDone);
    }
    if (const auto *list = std::get_if<ListOptions>(&*command))
        return printed(runList(*list, std::cout, std::cerr));
    tellMissingParts(std::cerr);
    if (const auto *profile = std::get_if<ProfileOptions>(&*command))
        return printed(runProfile(*profile, std::cout, std::cerr));
    if (const auto *batch = std::get_if<BatchOptions>(&*command); batch && batch->html)
        return printed(runBatchWithPictures(argv, *batch));
    if (const auto *batch = std::get_if<BatchOptions>(&*command))
        return printed(runBatch(*batch, pluginsFor(*batch), std::cout, std::cerr));
    return runWindowCommand(argv, std::get<WindowOptions>(*command));
}

} // namespace

} // namespace graphloom

int main(int argc, char **argv)
{
    using graphloom::Error;
    graphloom::openStandardDescriptors();
    graphloom::surviveClosedPipes();
    // A file that must not grow any further is an error of the write, which names it.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return graphloom::run(argc, argv);
    } catch (const std::bad_alloc &) {
        std::cerr << "graphloom: there is not enough memory\n";
        return graphloom::exitCodeOf(Error::Kind::Missing);
    } catch (const std::filesystem::filesystem_error &error) {
        std::cerr << "graphloom: " << error.what() << '\n';
        return graphloom::exitCodeOf(Error::Kind::Missing);
    } catch (const std::exception &fault) {
        std::cerr << "graphloom: " << fault.what() << " (a fault of the program)\n";
    }
    return graphloom::exitCodeOf(Error::Kind::Fault);
}
