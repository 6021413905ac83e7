# SPDX-License-Identifier: Apache-2.0
"""What is timed here: Tables 1 and 6, Figures 6 and 7. All contestants of a model take turns in one run."""
from harness import process
from harness.contests import add_times, each, mean, median, peers, ratio, remarks, times_table
from harness.failures import Failed, Missing
from harness.program import settings
from harness.sheet import Bars, Column, Table

from . import numbers, structure, switches

TUNING_SECONDS = 60


def none(context, name, model, tune):
    """No pass at all: each operator is a kernel."""
    return context.ours(name, model, ["--passes", "none"], tune)


def planned(context, name, model, values, tune):
    return context.ours(name, model, ["--passes", "dnnfusion", *settings("dnnfusion", values)], tune)


def ourb_plus(context, sheet, model, tune):
    setting = switches.fixed_patterns(context.program)
    if setting is None:
        sheet.miss(switches.NO_PATTERNS)
        return []
    return [planned(context, "OurB+", model, [switches.NO_REWRITING, setting], tune)]


def latencies(context, sheet, file):
    """The contest of Table 6, which Table 1 takes its speed from, too."""
    tune = context.seconds(TUNING_SECONDS)
    model = context.models.full(file) / "model.onnx"
    contestants = [*peers(context, sheet, model), none(context, "OurB", model, tune),
                   *ourb_plus(context, sheet, model, tune), planned(context, "DNNF", model, [], tune)]
    return context.contest(file, contestants, tune)


def tuned(context):
    seconds = context.seconds(TUNING_SECONDS)
    return f"each plan of ours tuned for {seconds:g} s" if seconds else "without tuning"


def table_1(context, sheet):
    table = sheet.put(Table("Computation, layers and execution efficiency", [
        Column("model"), Column("layers", "paper"), Column("layers", "ours"), Column("IR MB", "paper"),
        Column("IR MB", "ours", "{:.0f}"), Column("GFLOP", "paper", "{:.1f}"), Column("GFLOP", "ours", "{:.1f}"),
        Column("OurB+ GFLOP/s", "paper"), Column("OurB GFLOP/s", "host", "{:.1f}"),
        Column("OurB+ GFLOP/s", "host", "{:.1f}"), Column("DNNF GFLOP/s", "host", "{:.1f}"),
        Column("runs", "host")], context.host(tuned(context))))
    chart = sheet.put(Bars("Execution efficiency", "GFLOP/s"))
    times = times_table(sheet, table.provenance)
    for row in context.chosen(numbers.TABLE_1):
        try:
            facts = structure.of(context, row.file)
        except (Missing, Failed) as problem:
            sheet.miss(f"{row.name}: {problem}")
            continue
        try:
            found = latencies(context, sheet, row.file)
        except (Missing, Failed) as problem:
            sheet.miss(f"{row.name}, times: {problem}")
            found = {}
        remarks(sheet, row.name, found)
        add_times(times, row.name, found)
        speed = {one: ratio(facts["flops_before"], (median(found, one) or 0) * 1e6)
                 for one in ("OurB", "OurB+", "DNNF")}
        table.add(row.name, row.layers, facts["layers_before"], row.size,
                  facts["irs_bytes_before"] / structure.MEGA, row.flops, facts["flops_before"] / 1e9, row.speed,
                  *speed.values(), found.get("DNNF", {}).get("runs"))
        chart.add(row.name, {"OurB+ on Adreno 650, paper": row.speed,
                             **{f"{one}, here": value for one, value in speed.items() if value}})
    sheet.note("Speed is the FLOPs of the model as it came, divided by the time. The paper's is of a GPU of a phone "
               "(Adreno 650), ours of this processor: only how it falls with the number of layers can be compared.")


def opencl(context, sheet, row, device, runs):
    """Milliseconds of the model as it came, each operator a kernel, and of our plan on a device of OpenCL."""
    def extract(report):
        latency = report["latency"]
        return {"OurB": latency["before_ms"], "DNNF": latency["after_ms"]}
    try:
        return context.facts(row.file, ["--passes", "dnnfusion", "--target", f"opencl:{device}", "--measure", str(runs)],
                             extract, "opencl")
    except (Missing, Failed) as problem:
        sheet.miss(f"{row.name} on opencl:{device}: {problem}")
        return {}


def table_6(context, sheet):
    ours = ("ONNX Runtime", "Torch Mobile", "OurB", "OurB+", "DNNF")
    table = sheet.put(Table("Milliseconds on the CPU", [
        Column("model"), *(Column(title, "paper") for title in ("MNN", "TVM", "TFLite", "Pytorch", "OurB",
                                                                "OurB+", "DNNF")),
        *(Column(one, "host") for one in ours), Column("runs", "host")],
        context.host(tuned(context))))
    speedups = sheet.put(Table("Speed-up of DNNFusion", [
        Column("model"), *(Column(f"over {one}", "paper", "{:.2f}") for one in ("TFLite", "OurB", "OurB+")),
        *(Column(f"over {one}", "host", "{:.2f}") for one in ours[:-1])], table.provenance))
    gpu = sheet.put(Table("Milliseconds with OpenCL: the phone's GPU in the paper; here PoCL on this processor, and the "
                          "model of an Adreno 650", [
        Column("model"), *(Column(title, "paper") for title in ("MNN", "TVM", "TFLite", "OurB", "OurB+",
                                                                "DNNF")),
        *(Column(f"{one}, PoCL", "host") for one in ("OurB", "DNNF")),
        *(Column(f"{one}, Adreno 650", "modelled") for one in ("OurB", "DNNF"))],
        context.host("all units, not tuned")))
    chart = sheet.put(Bars("Speed-up of DNNFusion over OurB and over ONNX Runtime", "times"))
    for row, found in each(context, sheet, numbers.TABLE_6, latencies, table.provenance):
        best = found.get("DNNF", {})
        table.add(row.name, *(pair[0] for pair in (row.mnn, row.tvm, row.tflite, row.pytorch, row.ourb,
                                                   row.ourb_plus, row.dnnf)),
                  *(median(found, one) for one in ours), best.get("runs"))
        over = [ratio(median(found, one), best.get("median")) for one in ours[:-1]]
        speedups.add(row.name, *(ratio(pair[0], row.dnnf[0]) for pair in (row.tflite, row.ourb, row.ourb_plus)),
                     *over)
        chart.add(row.name, {"over OurB, paper": ratio(row.ourb[0], row.dnnf[0]), "over OurB, ours": over[2],
                             "over ONNX Runtime, ours": over[0]})
        here, phone = opencl(context, sheet, row, "0", 20), opencl(context, sheet, row, "adreno650", 1)
        gpu.add(row.name, *(pair[1] for pair in (row.mnn, row.tvm, row.tflite, row.ourb, row.ourb_plus, row.dnnf)),
                *(found.get(one) for found in (here, phone) for one in ("OurB", "DNNF")))
    if speedups.rows:
        speedups.add("geometric mean", *(mean(row[c] for row in speedups.rows)
                                         for c in range(1, len(speedups.columns))))
    sheet.note("The paper's times are of a Galaxy S20 (Snapdragon 865, 8 threads): compare ratios, not milliseconds. Modelled times are "
               "those of the description alone: they know no schedules.")
    sheet.miss("MNN, TVM and TFLite on this machine; the mobile GPU")


def rewritten(context, file):
    """The model after rewriting alone, with weights: plain ONNX, without blocks and layouts."""
    folder = context.models.full(file)
    path = folder / f"rewritten-{context.program.identity.rsplit(' ', 1)[-1]}.onnx"
    if not path.exists():
        context.tell(f"rewriting {file}")
        unfinished = path.with_suffix(".part.onnx")
        process.run([context.program.path, "--batch", folder / "model.onnx", "--passes", "dnnfusion",
                     *settings("dnnfusion", [switches.NO_FUSION]), "--export-flat", "--export", unfinished,
                     "--progress", "none"], 900)
        unfinished.rename(path)
    return path


def substitution(context, sheet, file):
    """ONNX Runtime on the model as it came and after our rewriting, and our own plan."""
    tune = context.seconds(TUNING_SECONDS)
    model = context.models.full(file) / "model.onnx"
    contestants = [context.peers.onnx_runtime(model, "as it came"),
                   context.peers.onnx_runtime(rewritten(context, file), "rewritten"),
                   planned(context, "DNNF", model, [], tune)]
    contestants[1].key["program"] = context.program.identity
    return context.contest(file, contestants, tune)


def figure_6(context, sheet):
    table = sheet.put(Table("Rewriting alone, in ONNX Runtime, instead of TASO in TFLite", [
        Column("model"), Column("as it came, ms", "host"), Column("rewritten, ms", "host"),
        Column("rewriting gains", "host", "{:.3f}"), Column("DNNF, ms", "host"),
        Column("DNNF over rewritten", "host", "{:.2f}"), Column("runs", "host")], context.host(tuned(context))))
    chart = sheet.put(Bars("Speed-up over the rewritten graph in ONNX Runtime", "times"))
    rows = [numbers.latency(file) for file in numbers.FIGURE_6_MODELS]
    for row, found in each(context, sheet, rows, substitution, table.provenance):
        before, after, ours = (median(found, name) for name in ("as it came", "rewritten", "DNNF"))
        table.add(row.name, before, after, ratio(before, after), ours, ratio(after, ours),
                  found.get("DNNF", {}).get("runs"))
        chart.add(row.name, {"as it came": ratio(after, before), "DNNF": ratio(after, ours)})
    low, high = numbers.FIGURE_6_RANGE
    sheet.note(f"The paper's text: DNNFusion is {low} to {high} times as fast as graphs that TASO has optimized, in "
               "TFLite. The values of the figure's bars are not given in the text.")
    sheet.miss("TASO and TFLite; ONNX Runtime with our rewriting alone takes their place")


LADDER = ("OurB", "OurB+", "GR", "GR + Fuse", "GR + Fuse + Other", "Fuse + Other")


def breakdown(context, sheet, file):
    """OurB, and the plans with one part more each."""
    tune = context.seconds(TUNING_SECONDS)
    model = context.models.full(file) / "model.onnx"
    contestants = [none(context, "OurB", model, tune), *ourb_plus(context, sheet, model, tune),
                   none(context, "GR", rewritten(context, file), tune)]
    setting = switches.no_layouts(context.program)
    if setting is None:
        sheet.miss(switches.NO_LAYOUTS)
    else:
        contestants.append(planned(context, "GR + Fuse", model, [setting], tune))
    contestants += [planned(context, "GR + Fuse + Other", model, [], tune),
                    planned(context, "Fuse + Other", model, [switches.NO_REWRITING], tune)]
    return context.contest(file, contestants, tune)


def figure_7(context, sheet):
    table = sheet.put(Table("Milliseconds of each step", [
        Column("model"), *(Column(one, "host") for one in LADDER), Column("runs", "host")],
        context.host(tuned(context))))
    gains = sheet.put(Table("Speed-up over OurB", [
        Column("model"), *(Column(one, "host", "{:.2f}") for one in LADDER[1:])], table.provenance))
    chart = sheet.put(Bars("Speed-up over OurB", "times"))
    rows = [numbers.latency(file) for file in numbers.FIGURE_7_MODELS]
    for row, found in each(context, sheet, rows, breakdown, table.provenance):
        times = [median(found, one) for one in LADDER]
        table.add(row.name, *times, next((one["runs"] for one in found.values() if "runs" in one), None))
        over = [ratio(times[0], time) for time in times[1:]]
        gains.add(row.name, *over)
        chart.add(row.name, dict(zip(LADDER[1:], over)))
    stated = sheet.put(Table("Gains that the paper's text states, on the CPU of the phone", [
        Column("part"), Column("least", "paper", "{:.1f}"), Column("most", "paper", "{:.1f}")]))
    for part, (low, high) in numbers.FIGURE_7_RANGES.items():
        stated.add(part, low, high)
    layers(context, sheet)
    sheet.note("OurB is the model without any pass; GR is its graph after rewriting, exported and run without a "
               "pass; Fuse + Other has rewriting off. The values of the figure's bars are not given in the text.")
    sheet.miss("the mobile GPU")


def layers(context, sheet):
    """Section 5.3: what rewriting does for the fused layers of GPT-2."""
    table = sheet.put(Table("Fused layers of GPT-2", [
        Column("graph"), Column("layers", "paper"), Column("layers", "ours")],
        context.modelled("counted in the plans of the pass dnnfusion")))
    given = numbers.GPT2_LAYERS
    try:
        table.add("without rewriting", given["without rewriting"],
                  structure.of(context, "gpt2_124m", [switches.NO_REWRITING])["layers_after"])
        table.add("with rewriting", given["with rewriting"], structure.of(context, "gpt2_124m")["layers_after"])
    except (Missing, Failed) as problem:
        sheet.miss(f"GPT-2: {problem}")
