// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTemporaryDir>

namespace graphloom::test {

/// Folders for compiled kernels and measurements in place of the user's, which a test that is
/// started by hand shall neither read nor fill. CTest names some, which are kept.
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
