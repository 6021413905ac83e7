// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/plan/report/report.h"
#include "engine/plan/training_record.h"
#include "engine/target/target_report.h"

#include <string>

namespace graphloom {

// Return the lines that --batch prints: a keyword, then its text.

std::string summaryOf(const Model &model, const Plan &plan);
std::string summaryOf(const TrainingRecord &training);
std::string summaryOf(const PassRecord &record);
std::string summaryOf(const Partition &partition, const PartitionStatistics &statistics);
std::string summaryOf(const std::string &what, const Verification &verification);
std::string summaryOf(const Gate &gate);
std::string summaryOfTuning(const TargetOutcome &outcome, const Plan &before, const Plan &tuned);
std::string summaryOfBuild(const TargetOutcome &outcome);
std::string summaryOfMeasurement(const TargetOutcome &outcome);
std::string summaryLine(const std::string &what, const std::string &text);

} // namespace graphloom
