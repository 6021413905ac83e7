// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/verification/tensor_error_model.h"

#include "app/common/format.h"

#include <cmath>

namespace graphloom {

namespace {

/// Returns a figure of the comparison; nothing if the tensor was not compared.
template <class Content> auto ofCompared(Content content)
{
    return [content](const TensorError &error) {
        using Value = std::remove_cvref_t<decltype(std::invoke(content, error.comparison))>;
        return error.state == TensorError::State::Compared
                   ? std::optional<Value>(std::invoke(content, error.comparison))
                   : std::nullopt;
    };
}

} // namespace

TensorErrorModel::TensorErrorModel(QObject *parent) : RowsModel(parent)
{
    const auto name = [this](const TensorError &error) {
        return nameOrNumber(graph().tensor(error.tensor), error.tensor);
    };
    const auto node = [this](const TensorError &error) {
        return nodeText(graph().node(error.node));
    };
    const auto original = [this](const TensorError &error) {
        return error.original.valid()
                   ? nameOrNumber(m_verification->plan->model->graph.tensor(error.original),
                                  error.original)
                   : QString();
    };
    const auto snr = [](const TensorError &error) {
        return error.state == TensorError::State::Compared ? signalToNoise(error.comparison)
                                                           : std::nullopt;
    };
    const auto decibels = [](double ratio) {
        return std::isinf(ratio) ? formatError(ratio) : QString::number(ratio, 'f', 1);
    };
    setColumns(
        {{tr("Tensor"), QStringLiteral("tensor"), of(name), tr("Tensor of the plan's graph")},
         {tr("Written by"), QStringLiteral("node"), of(node),
          tr("Operator and node that write the tensor")},
         {tr("Result"), QStringLiteral("result"),
          of([this](const TensorError &error) { return outcomeOf(error); }),
          tr("Passed: the relative error is at most the tolerance. Other tensors have no "
             "counterpart "
             "in the original model, or depend on random numbers")},
         {tr("Relative error"), QStringLiteral("relative_error"),
          of(ofCompared(&Comparison::maxRelError), formatError),
          tr("Largest absolute error, divided by the largest magnitude in the original tensor"),
          "relative-error"},
         {tr("Absolute error"), QStringLiteral("absolute_error"),
          of(ofCompared(&Comparison::maxAbsError), formatError),
          tr("Largest difference of an element from the original; ∞: integers that differ, or NaN "
             "against a number")},
         {tr("SNR dB"), QStringLiteral("snr_db"), of(snr, decibels),
          tr("Signal-to-noise ratio in decibels: the sum of squares of the original relative to "
             "that of the differences; ∞: identical"),
          "snr"},
         {tr("Elements"), QStringLiteral("different_elements"),
          of(ofCompared(&Comparison::different)), tr("Number of elements that differ at all")},
         {tr("Position"), QStringLiteral("position"),
          of([this](const TensorError &error) { return graph().position(error.node); }),
          tr("Position of the node in the schedule, from 0")},
         {tr("Original"), QStringLiteral("original_tensor"), of(original),
          tr("Tensor of the original model that it is compared with")},
         {tr("Worst element"), QStringLiteral("worst"),
          of([](const TensorError &error) { return fromUtf8(error.comparison.worst); }),
          tr("Index of the largest difference, with both values")}});
}

void TensorErrorModel::setVerification(VerificationPointer verification, bool linked)
{
    beginResetModel();
    m_verification = std::move(verification);
    m_linked = linked;
    m_rows.clear();
    for (int row = 0; row < rowCount(); ++row) {
        const auto [at, isFirst] = m_rows.emplace(this->at(row).node, row);
        if (!isFirst &&
            this->at(row).comparison.maxRelError > this->at(at->second).comparison.maxRelError)
            at->second = row;
    }
    endResetModel();
}

Item TensorErrorModel::itemAt(int row) const
{
    return m_linked ? Item::of(at(row).node) : Item();
}

int TensorErrorModel::rowOf(const Item &item) const
{
    if (!m_linked || item.kind != Item::Kind::Node)
        return -1;
    const auto found = m_rows.find(item.node());
    return found == m_rows.end() ? -1 : found->second;
}

QString TensorErrorModel::provenance(int) const
{
    return m_verification ? tr("interpreted, %1").arg(m_verification->inputsText()) : QString();
}

QString nodeText(const Node &node)
{
    const QString op = fromUtf8(node.qualifiedOp());
    return node.name.empty() ? op : QStringLiteral("%1 · %2").arg(op, fromUtf8(node.name));
}

QString TensorErrorModel::outcomeOf(const TensorError &error) const
{
    switch (error.state) {
    case TensorError::State::Compared:
        return error.passes ? tr("passed") : tr("failed");
    case TensorError::State::Alone:
        return tr("no counterpart");
    case TensorError::State::Drawn:
        return tr("random numbers");
    case TensorError::State::NotRun:
        break;
    }
    return tr("not run");
}

} // namespace graphloom
