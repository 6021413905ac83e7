// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/help/device_reference.h"

#include "app/common/format.h"
#include "engine/cost/device.h"
#include "engine/cost/machine_text.h"

#include <QCoreApplication>

#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

using Json = nlohmann::ordered_json;

struct DeviceReference {
    Q_DECLARE_TR_FUNCTIONS(DeviceReference)
};

/// Adds a row for each figure of an object of a description, and of the objects in it.
void addRows(const Json &object, const QString &place, QString &rows)
{
    for (const auto &[key, value] : object.items()) {
        if (value.is_array()) {
            for (const Json &item : value)
                if (item.is_object())
                    addRows(item,
                            (place.isEmpty() ? place : place + QStringLiteral(", ")) +
                                fromUtf8(item["name"].get<std::string>()),
                            rows);
        } else if (value.is_object() && !value.contains("value")) {
            addRows(value, QStringLiteral("`%1`").arg(fromUtf8(key)), rows);
        } else if (value.is_object()) {
            const auto source = std::next(value.begin());
            rows += QStringLiteral("| %1 | `%2` | %3 | %4: %5 |\n")
                        .arg(place, fromUtf8(key), fromUtf8(value["value"].dump()),
                             fromUtf8(source.key()), fromUtf8(source->get<std::string>()));
        }
    }
}

} // namespace

QString devicePage()
{
    QString text =
        QStringLiteral("# %1\n\n[%2](index.md)\n\n%3\n\n%4\n\n")
            .arg(DeviceReference::tr("Devices"), DeviceReference::tr("Contents"),
                 DeviceReference::tr(
                     "Passes plan for a device, which is [chosen](runs.md) once for a plan: they "
                     "estimate kernels by its units, its memory "
                     "levels and the time that any kernel takes. The figures below are those of "
                     "the devices that are only described; `graphloom --list devices --json` lists "
                     "them with those of the targets, whose figures are measured where the target "
                     "runs."),
                 DeviceReference::tr(
                     "Each figure has its source: *published* by the maker, *measured* on the "
                     "device itself, or *assumed* from what similar devices do."));
    for (const Device &device : devices()) {
        QString rows;
        addRows(jsonOf(*device.machine), {}, rows);
        text += QStringLiteral("## %1\n\n%2\n\n| %3 | %4 | %5 | %6 |\n|---|---|---|---|\n%7\n")
                    .arg(fromUtf8(device.name), fromUtf8(device.title),
                         DeviceReference::tr("Place"), DeviceReference::tr("Figure"),
                         DeviceReference::tr("Value"), DeviceReference::tr("Source"), rows);
    }
    return text +
           QStringLiteral("## %1\n\n%2\n\n```json\n\"launch_us\": {\"value\": 10, \"assumed\": "
                          "\"waking eight threads\"}\n```\n")
               .arg(DeviceReference::tr("Descriptions"),
                    DeviceReference::tr(
                        "A description is a JSON object. A figure is an object, too, with its "
                        "value and with its source as the value of `published`, `measured` or "
                        "`assumed`. Unknown keys are refused.")) +
           fromUtf8(machineSchema());
}

} // namespace graphloom
