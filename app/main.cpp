// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/batch.h"
#include "app/batch/list.h"
#include "app/batch/profile.h"
#include "app/html/plan_pictures.h"
#include "app/run/call_timers.h"
#include "app/start/run_window.h"

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

/// Opens standard descriptors that are closed when the program starts. Otherwise its own files and
/// pipes would take them, and text for the terminal would be written there.
void openStandardDescriptors()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) // takes the lowest free descriptor
            ::open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY);
}

/// Lets writes to a pipe without a reader fail instead of ending the program. Child processes keep
/// the default behaviour.
void surviveClosedPipes()
{
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGPIPE, &action, nullptr);
}

/// Returns the exit code of a command after flushing its output: that of Missing if writing failed,
/// unless the reader has closed the pipe.
int printed(int code)
{
    if (std::cout.flush())
        return code;
    const bool isStillBroken = ::write(STDOUT_FILENO, "\n", 1) < 0; // sets errno
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

/// Returns whether a display is configured. Qt would end the process without a helpful message.
bool canOpenWindow()
{
    return isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") || isSet("QT_QPA_PLATFORM");
}

int runWindowCommand(char **argv, const WindowOptions &options)
{
    if (options.screenshot || !options.exports.empty()) {
        ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
    } else if (!canOpenWindow()) {
        std::cerr
            << "graphloom: no display for the window; --batch, --screenshot and --export-view "
               "work without one\n";
        return exitCodeOf(Error::Kind::Missing);
    }
    // The arguments have been parsed; Qt must not interpret any of them.
    char *arguments[] = {argv[0], nullptr};
    return runWindow(1, arguments, options);
}

/// Loads only the plugins that are needed: each library is first loaded in a child process.
BatchPlugins pluginsFor(const BatchOptions &options)
{
    BatchPlugins plugins;
    if (!options.passes.empty())
        plugins.passes = ownPassPlugins();
    if (options.target || (!options.passes.empty() && !options.device)) // passes plan for a device
        plugins.targets = ownTargetPlugins();
    plugins.timers = [&options](std::function<void(const std::string &)> warn) {
        return callTimers([] { return ownTargetPlugins(); }, options.threads, options.profile,
                          std::move(warn));
    };
    return plugins;
}

/// Drops Qt's messages about the platform, which do not belong in the output of --batch.
void ignoreRemarks(QtMsgType type, const QMessageLogContext &, const QString &text)
{
    if (type == QtFatalMsg) {
        std::cerr << "graphloom: " << text.toStdString() << '\n';
        std::abort();
    }
}

/// Runs with an application for the pictures of --html, which are painted like those of the window
/// but need no display.
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
        std::cerr << textForUser(command.error()) << "\nSee graphloom --help.\n";
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
    // Lets a write beyond the file size limit fail with an error that names the file.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return graphloom::run(argc, argv);
    } catch (const std::bad_alloc &) {
        std::cerr << "graphloom: not enough memory\n";
        return graphloom::exitCodeOf(Error::Kind::Missing);
    } catch (const std::filesystem::filesystem_error &error) {
        std::cerr << "graphloom: " << error.what() << '\n';
        return graphloom::exitCodeOf(Error::Kind::Missing);
    } catch (const std::exception &fault) {
        std::cerr << "graphloom: " << fault.what() << " (internal error)\n";
    }
    return graphloom::exitCodeOf(Error::Kind::Fault);
}
