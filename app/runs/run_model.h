// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/table_model.h"
#include "app/results/pass_run.h"

namespace graphloom {

/// Lists the runs of passes, one a row, with their settings and their progress.
class RunModel final : public RowsModel<PassRun> {
    Q_OBJECT

public:
    enum Column { Number, Pass, Settings, State, Best, States, StatesPerSecond, Seconds, Began };

    explicit RunModel(QObject *parent = nullptr);

    /// Adds the run, or updates it if it is listed already.
    void set(const PassRun &run);
    void remove(int number);
    /// Returns the row of a run, or -1 if there is no such run.
    int rowOfRun(int number) const;

    /// Returns the provenance of the search's costs.
    QString provenance(int row) const override;

protected:
    std::span<const PassRun> allRows() const override { return m_runs; }

private:
    std::vector<PassRun> m_runs;
};

/// Returns the result of a run in one line: "peak 0.334, latency 1.096 of the original (modelled)".
QString resultText(const PassRun &run);
/// Returns the number of states that a search visited per second, or 0 while it is not known.
double statesPerSecond(const SearchRecord &record);

/// Lists the reasons why a search rejected candidates, one a row.
class RefusalModel final : public RowsModel<SearchRecord::Refusal> {
    Q_OBJECT

public:
    enum Column { Reason, Count, Share, Example };

    explicit RefusalModel(QObject *parent = nullptr);
    void setRecord(std::shared_ptr<const SearchRecord> record);

protected:
    std::span<const SearchRecord::Refusal> allRows() const override;

private:
    std::shared_ptr<const SearchRecord> m_record;
};

} // namespace graphloom
