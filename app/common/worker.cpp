// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/worker.h"

#include <QCoreApplication>

#include <new>
#include <stdexcept>

namespace graphloom {

namespace {

struct WorkerText {
    Q_DECLARE_TR_FUNCTIONS(Worker)
};

} // namespace

Error workError(const std::exception &exception)
{
    const bool isMemory = dynamic_cast<const std::bad_alloc *>(&exception) ||
                          dynamic_cast<const std::length_error *>(&exception); // a huge container
    return isMemory ? Error{Error::Kind::Missing,
                            WorkerText::tr("not enough memory").toStdString(),
                            {},
                            {}}
                    : Error{Error::Kind::Fault, exception.what(), {}, {}};
}

void Worker::tellProblem(const Error &problem)
{
    if (m_jobs)
        Q_EMIT m_jobs->failed(m_what, fromUtf8(problem.text()));
    else
        qWarning("work in the background failed: %s", problem.text().c_str());
}

void Worker::endJob()
{
    if (m_jobs)
        m_jobs->end(std::exchange(m_job, 0));
    m_jobs = nullptr;
}

} // namespace graphloom
