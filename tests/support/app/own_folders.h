// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>

namespace graphloom::test {

/// Replaces the user's folders for compiled kernels and measurements, so that a test started by
/// hand neither reads nor fills them. Folders named by CTest are kept.
class OwnFolders {
public:
    OwnFolders()
    {
        for (const char *name : {"XDG_CACHE_HOME", "XDG_DATA_HOME"})
            if (qEnvironmentVariableIsEmpty(name))
                qputenv(name, m_folder.filePath(QString::fromLatin1(name)).toUtf8());
    }

private:
    QTemporaryDir m_folder;
};

} // namespace graphloom::test
