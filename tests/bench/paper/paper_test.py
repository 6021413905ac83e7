#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the bench of the papers: figures of the papers against each other and against what their texts
state, what is read from reports, what is kept, and what is written. They need no built program."""
import csv
import importlib.machinery
import importlib.util
import io
import math
import os
import pathlib
import stat
import sys
import tempfile
import textwrap
import unittest
import xml.etree.ElementTree
from contextlib import redirect_stderr, redirect_stdout

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

import ago.budgets
import ago.numbers
import ago.partition
import ago.subgraphs
import dnnfusion.numbers
import dnnfusion.resources
import dnnfusion.structure
import dnnfusion.switches
import magis.numbers
import magis.searching
import magis.search
from harness import (charts, contests, csv_files, graphs, machine, options, page, process, tensors, text, timing,
                     tunings, wire)
from harness.failures import Failed, Missing
from harness.keep import Keep
from harness.models import Models
from harness.runner import Runner
from harness.sheet import Bars, Column, Entry, Lines, Sheet, Table


def load(name):
    """The program, whose file has no ending."""
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


paper = load("paper")


class Folder(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="paper-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, lines):
        """A script that can be started."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{sys.executable}\n" + textwrap.dedent(lines))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path


class DnnfusionNumbers(unittest.TestCase):
    numbers = dnnfusion.numbers

    def test_intensive_layers_add_up_but_in_one_row(self):
        for row in self.numbers.TABLE_5:
            same = row.cil + row.mil == row.layers
            self.assertEqual(same, row.file not in self.numbers.SUMS_DIFFER, row.name)

    def test_tables_5_and_6_have_the_same_models(self):
        names = [[(row.file, row.name) for row in table] for table in (self.numbers.TABLE_5, self.numbers.TABLE_6)]
        self.assertEqual(names[0], names[1])
        self.assertEqual(len(names[0]), 15)

    def test_table_1_agrees_with_tables_5_and_6(self):
        rates = {row.file: row for row in self.numbers.TABLE_5}
        for row in self.numbers.TABLE_1:
            self.assertEqual((row.layers, row.size), (rates[row.file].layers, rates[row.file].size), row.name)
            # DistilBERT has 35.3 in one table and 35.5 in the other.
            self.assertAlmostEqual(row.flops, self.numbers.latency(row.file).flops, delta=.21)

    def test_stated_fusion_rates(self):
        transformers = ("faster_rcnn_800", "mask_rcnn_800", "tinybert_4l", "distilbert", "albert_base", "bert_base",
                        "mobilebert", "gpt2_124m")
        for chosen, low, high in ((True, 3.9, 10.0), (False, 1.7, 3.6)):
            rates = [row.layers / row.fused for row in self.numbers.TABLE_5 if (row.file in transformers) == chosen]
            self.assertAlmostEqual(min(rates), low, delta=.06)
            self.assertAlmostEqual(max(rates), high, delta=.06)

    def test_stated_speedups(self):
        for name, ranges in self.numbers.STATED_SPEEDUPS.items():
            for device, stated in enumerate(ranges):
                found = [getattr(row, name)[device] / row.dnnf[device] for row in self.numbers.TABLE_6
                         if getattr(row, name)[device]]
                if stated is None:
                    self.assertEqual(found, [])
                    continue
                self.assertAlmostEqual(min(found), stated[0], delta=.06, msg=name)
                self.assertAlmostEqual(max(found), stated[1], delta=.06, msg=name)

    def test_mapping_types(self):
        named = [name for names in self.numbers.TABLE_2.values() for name in names.split()]
        self.assertEqual(len(named), len(set(named)))
        self.assertEqual(set(self.numbers.TABLE_2), set(self.numbers.TYPES))
        crosses = [(first, second) for first, row in self.numbers.TABLE_3.items()
                   for second, fused in zip(self.numbers.TYPES, row) if fused is None]
        self.assertEqual(crosses, [("One-to-Many", "Many-to-Many"), ("Many-to-Many", "Many-to-Many")])
        self.assertTrue(all(len(row) == 5 for row in self.numbers.TABLE_3.values()))

    def test_figure_6_has_the_models_of_tflite(self):
        self.assertEqual(set(self.numbers.FIGURE_6_MODELS),
                         {row.file for row in self.numbers.TABLE_6 if row.tflite[0]})
        self.assertEqual(len(self.numbers.FIGURE_6_MODELS), 11)

    def test_rules(self):
        self.assertEqual({row.category for row in self.numbers.TABLE_4}, set(self.numbers.RULES_DERIVED))
        self.assertEqual(sum(self.numbers.RULES_DERIVED.values()), 45 + 38 + 66)
        self.assertTrue(all(row.ours for row in self.numbers.TABLE_4))

    def test_layers_of_gpt2(self):
        layers = self.numbers.GPT2_LAYERS
        self.assertAlmostEqual(1 - layers["with rewriting"] / layers["without rewriting"], .18, delta=.005)
        row = next(row for row in self.numbers.TABLE_5 if row.file == "gpt2_124m")
        self.assertEqual(row.fused, layers["with rewriting"])


class MagisNumbers(unittest.TestCase):
    def test_figure_15_adds_up(self):
        counts, seconds = magis.numbers.FIGURE_15_COUNTS, magis.numbers.FIGURE_15_SECONDS
        self.assertEqual(counts["filtered"] + counts["scheduled"], counts["transformed"])
        self.assertAlmostEqual(sum(seconds.values()), magis.numbers.FIGURE_15_TOTAL, delta=.01)

    def test_every_setting_of_the_ablation_is_run(self):
        self.assertEqual(set(magis.numbers.ABLATION_SETTINGS), set(magis.numbers.ABLATION))

    def test_workloads(self):
        self.assertEqual([row.batch for row in magis.numbers.TABLE_2], [64, 32, 64, 32, 16, 32, 32])
        files = {row.file for row in magis.numbers.TABLE_2}
        self.assertLessEqual({magis.numbers.BERT, magis.numbers.VIT, magis.numbers.UNET, *magis.numbers.LARGE}, files)


class AgoNumbers(unittest.TestCase):
    def test_fourteen_workloads(self):
        files = [work.file for work in ago.numbers.CLASSICAL + ago.numbers.NEW]
        self.assertEqual(len(set(files)), 14)
        self.assertEqual(set(ago.numbers.IMPROVEMENTS), {work.file for work in ago.numbers.NEW})

    def test_speedups_by_shape(self):
        for paper_ in ago.numbers.SPEEDUPS.values():
            for values in paper_.values():
                self.assertEqual(len(values), len(ago.numbers.SHAPES))

    def test_variants_are_those_whose_losses_are_stated(self):
        self.assertEqual(set(ago.subgraphs.VARIANTS), {"AGO", *ago.numbers.LOSSES})


class Subgraphs(unittest.TestCase):
    """Figure 13."""
    workloads = ago.subgraphs.WORKLOADS

    def test_four_subgraphs_of_two_complex_operators(self):
        self.assertEqual(len({work.file for work in self.workloads}), 4 * len(ago.numbers.FIGURE_13_BATCHES))
        kinds = [tuple("depthwise" if step[3:] else "pointwise" for step in subgraph.steps if step[0] == "conv")
                 for subgraph in ago.subgraphs.SUBGRAPHS]
        self.assertEqual([" + ".join(kind) for kind in kinds], [one.title for one in ago.subgraphs.SUBGRAPHS])
        self.assertEqual(len(set(kinds)), 4)

    def test_batches(self):
        for work in self.workloads:
            given, = tensors.inputs_of(work.model())
            self.assertEqual(given.dims, [work.batch, *work.subgraph.dims[1:]])

    def test_losses(self):
        self.assertAlmostEqual(ago.subgraphs.loss(1.25), 20)
        self.assertAlmostEqual(ago.subgraphs.loss(.8), -25)
        self.assertIsNone(ago.subgraphs.loss(None))

    def test_figure(self):
        times = {"AGO": 2.0, "NI": 2.5, "NR": 4.0}

        class Fake:
            """As much of a context as the figure needs."""
            models = Models(HERE, HERE)

            def __init__(self):
                self.words = {}
                self.modelled_words = []

            def trials(self, usual, _):
                return usual

            def seconds(self, usual, _):
                return usual

            def host(self, more):
                return more

            def modelled(self, what):
                return what

            def facts(self, _, words, extract, __, ___):
                self.modelled_words.append(words)
                slow = 1.5 if "ago.reformer=off" in words else 1
                return extract({"tuning": {"trials": 30, "kernels": [{"ms": 2 * slow}, {"ms": slow}, {"block": 3}]},
                                "fusion": {"layers_after": 4}})

            def chosen(self, rows):
                return rows[:2]

            def ours(self, name, _, words, tune):
                self.words[name] = words
                return timing.Contestant(name, [], {"tune": tune}, tunes=True)

            def contest(self, _, contestants, tune):
                assert {one.key["tune"] for one in contestants} == {tune}
                return {one.name: {"min": times[one.name], "median": times[one.name], "p95": 5, "runs": 7,
                                   "tuning": {"before": 1, "after": 2, "trials": 399, "seconds": 8.5}}
                        for one in contestants}
        fake = Fake()
        fake.models.full = lambda name: pathlib.Path(name)
        sheet = Sheet("ago", "figure", 13, "t")
        ago.subgraphs.figure_13(fake, sheet)
        said = "\n".join(text.lines(sheet))
        self.assertRegex(said, r"pointwise \+ depthwise, B1 +2 +2.5 +4 +1.25 +2.00 +7")
        self.assertRegex(said, r"AGO-NI +17 +20.0 +1.25 +1.25 +2")
        self.assertRegex(said, r"AGO-NR +27 +50.0 +2.00 +2.00 +2")
        self.assertRegex(said, r"B4 +NR +1 +2 +399 +8.5")
        self.assertRegex(said, r"pointwise \+ depthwise, B1 +3 +3 +4.5 +1.00 +1.50 +4 +30")
        self.assertRegex(said, r"AGO-NR +27 +33.3 +1.50 +1.50")
        self.assertTrue(all(words[-2:] == ["--times", "modelled"] for words in fake.modelled_words))
        self.assertIn("ago.intensive=off", fake.words["NI"])
        self.assertEqual([words[-2:] for words in fake.words.values()], [["--trials", "400"]] * 3)


class Budgets(unittest.TestCase):
    """Figure 8."""

    def test_subgraphs(self):
        self.assertEqual(len({one.file for one in ago.budgets.SUBGRAPHS}), len(ago.budgets.SUBGRAPHS))
        stated = [one for one in ago.budgets.SUBGRAPHS
                  if one.structure == "Conv + Add" and one.sizes == ago.numbers.FIGURE_8_STATED]
        given, = tensors.inputs_of(stated[0].model())
        self.assertEqual(given.dims, [1, 32, 28, 28])
        self.assertTrue(any(one.quick for one in ago.budgets.SUBGRAPHS))

    def test_weight_is_the_sum_of_subgraphs(self):
        self.assertEqual(ago.budgets.weight({"partition": {"weights": [2.5, 4]}}), 6.5)

    def test_fit_of_a_line(self):
        slope, bias, square = ago.budgets.fit([(1, 5), (2, 7), (4, 11)])
        self.assertAlmostEqual(slope, 2)
        self.assertAlmostEqual(bias, 3)
        self.assertAlmostEqual(square, 1)

    def test_fit_of_what_is_no_line(self):
        slope, bias, square = ago.budgets.fit([(0, 0), (1, 1), (2, 0)])
        self.assertAlmostEqual(slope, 0)
        self.assertAlmostEqual(bias, 1 / 3)
        self.assertAlmostEqual(square, 0)

    def test_no_fit_through_one_place(self):
        self.assertIsNone(ago.budgets.fit([]))
        self.assertIsNone(ago.budgets.fit([(3, 1), (3, 2)]))

    def test_a_constant_number_is_fitted(self):
        self.assertEqual(ago.budgets.fit([(1, 5), (2, 5)]), (0, 5, 1.0))

    def test_figure(self):
        class Fake:
            """As much of a context as the figure needs; trials are 3 for each unit of weight."""
            cpu = "a processor"
            program = type("Program", (), {"version": "graphloom 9.9"})

            def __init__(self):
                self.options = type("Options", (), {"quick": False, "threads": 2})
                self.models = Models(HERE, HERE)

            def seconds(self, usual, _):
                return usual

            def chosen(self, rows):
                return rows

            def facts(self, model, words, extract, _):
                assert model in self.models.made and "ago.reformer=off" in words
                return extract({"partition": {"weights": [len(model), 100]}})

            def tuning(self, model, _, seconds, number):
                trials = 3 * (len(model) + 100) + number - 1
                late = seconds if model.endswith("_64_128_56_56") else 1.5
                return {"before": 1, "after": 1, "trials": trials, "seconds": late}
        sheet = Sheet("ago", "figure", 8, "t")
        ago.budgets.figure_8(Fake(), sheet)
        trials, fitted = sheet.tables()
        self.assertEqual(len(trials.rows), len(ago.budgets.SUBGRAPHS))
        self.assertEqual(sum(row[-1] for row in trials.rows), 2 * len(ago.budgets.STRUCTURES))
        name, points, slope, bias, square = fitted.rows[-1]
        self.assertEqual((name, points), ("all", 2 * len(ago.budgets.STRUCTURES)))  # stable ones only
        self.assertAlmostEqual(slope, 3)
        self.assertAlmostEqual(bias, 0)
        self.assertAlmostEqual(square, 1)
        chart = sheet.parts[-1]
        self.assertEqual(chart.dots, set(ago.budgets.STRUCTURES))
        self.assertEqual(len(chart.series["fit of all"]), 2)


FUSION_REPORT = {
    "model": {"parameters": 100, "macs": None, "nodes": 4}, "passes": [{"seconds": .5, "summary": {}}],
    "rewrite": {"flops_before": 30.0, "flops_after": 20.0,
                "applied": [{"rule": "merge-reshapes", "count": 2, "flops_saved": 0}]},
    "fusion": {
        "layers_before": 4, "layers_after": 2, "compute_intensive": 1, "memory_intensive": 3,
        "irs_bytes_before": 300, "irs_bytes_after": 100, "modelled_ms_before": 2.0, "modelled_ms": 1.0,
        "baseline": {"layers_after": 3, "irs_bytes_after": 200, "modelled_ms": 1.5, "method": "fixed patterns"},
        "blocks": [{"decisions": [{"reason": "costs decide (Many-to-Many before Shuffle, DNNFusion Table 3: yellow): "
                                             "fused 1 us"}],
                    "borders": [{"reason": "too large (One-to-Many before Many-to-Many, DNNFusion Table 3: red)"},
                                {"reason": "a limit"}]}]},
    "search": {"refused": [{"example": "x (Many-to-Many before Shuffle, DNNFusion Table 3: yellow)"}]},
}


class Reports(unittest.TestCase):
    def test_structure(self):
        facts = dnnfusion.structure.structure(FUSION_REPORT)
        self.assertEqual((facts["layers_before"], facts["layers_after"]), (4, 2))
        self.assertEqual(facts["fixed"], {"layers_after": 3, "irs_bytes_after": 200, "modelled_ms": 1.5})
        self.assertEqual(facts["applied"], {"merge-reshapes": 2})
        self.assertEqual(facts["cells"], [["Many-to-Many", "Shuffle", "yellow", 2],
                                          ["One-to-Many", "Many-to-Many", "red", 1]])

    def test_structure_without_a_baseline(self):
        report = {**FUSION_REPORT, "fusion": {name: value for name, value in FUSION_REPORT["fusion"].items()
                                              if name != "baseline"}}
        self.assertIsNone(dnnfusion.structure.structure(report)["fixed"])

    def test_memory(self):
        report = {"memory": {"arena_bytes": 7, "constant_bytes": 9}, "kernels": [{"bytes": 2}, {"bytes": 3}]}
        self.assertEqual(dnnfusion.resources.memory(report),
                         {"arena": 7, "constants": 9, "accesses": 5, "kernels": 2})

    def test_compilation(self):
        report = {"passes": [{"seconds": 1.5, "summary": {"measured_blocks": 4}}],
                  "tuning": {"seconds": 2.5, "trials": 8}, "build": {"seconds": 3.5}}
        self.assertEqual(dnnfusion.resources.compilation(report),
                         {"planning": 1.5, "tuning": 2.5, "trials": 8, "building": 3.5, "measured": 4})

    def test_outcome_of_a_search(self):
        step = {"start_ms": 0.0, "bytes": 5}
        report = {"model": {"nodes": 3}, "passes": [{"seconds": 2, "summary": {"peak_ratio": .5, "limits_met": True}}],
                  "memory": {"latency_ms_before": 9.0, "timeline_before": [step], "timeline": [],
                             "baselines": [{"name": "best order", "graph": "original",
                                            "points": [{"latency_ratio": 1.0, "peak_ratio": .9}]}]},
                  "pareto": [{"latency_ratio": 1.1, "peak_ratio": .4}],
                  "search": {"best_history": [{"seconds": .1, "cost": 10.0}], "states_generated": 3}}
        found = magis.search.outcome(report)
        self.assertEqual((found["peak_ratio"], found["front"], found["generated"]), (.5, [[1.1, .4]], 3))
        self.assertEqual(found["singles"][0]["points"], [[1.0, .9]])
        self.assertEqual(found["before"], [[0.0, 5]])

    def test_long_timelines_keep_their_peak(self):
        steps = [{"start_ms": k, "bytes": k % 977} for k in range(5000)]
        curve = magis.search.thinned(steps)
        self.assertLessEqual(len(curve), magis.search.MOST_POINTS)
        self.assertEqual(max(size for _, size in curve), 976)

    def test_partitions(self):
        one = {"subgraphs": 2, "trivial": 0, "mean": 3, "median": 3, "jain": 1, "acyclic": True, "weights": [2, 4],
               "method": "ago"}
        found = ago.partition.partitions({"partition": {**one, "baseline": {**one, "subgraphs": 5}}})
        self.assertEqual((found["AGO"]["subgraphs"], found["Relay"]["subgraphs"]), (2, 5))

    def test_bins_are_powers_of_two(self):
        self.assertEqual(ago.partition.bins([.5, 1, 2, 3.9, 4, 1023, 5000]), [2, 2, 1, 0, 0, 0, 0, 0, 0, 2])

    def test_scheduling_bench(self):
        found = magis.searching.parse_scheduling(
            "without a cache\n"
            "network, steps    full ms  incr. ms  of sums  mean  geom.  median  least  most   as low  worst\n"
            "1, 119              0.639     0.328      1.9   2.5    2.2     2.0    0.9    4.5   10/10  1.000\n"
            "all                 1.338     0.417      3.2  14.2    3.5     3.2    0.4  457.8  99/100  1.002\n")
        rows = found["without a cache"]
        self.assertEqual([row["network"] for row in rows], ["1, 119", "all"])
        self.assertEqual((rows[1]["mean"], rows[1]["good"], rows[1]["rounds"], rows[1]["worst"]),
                         (14.2, 99, 100, 1.002))

    def test_events_of_perf(self):
        text_ = "1234,,cache-misses,100,100.00,,\n<not supported>,,dTLB-load-misses,0,100.00,,\n\n"
        self.assertEqual(machine.events_of(text_), {"cache-misses": 1234, "dTLB-load-misses": None})


class Switches(unittest.TestCase):
    class Fake:
        def __init__(self, parameters):
            self.all = parameters

        def parameters(self, _):
            return self.all

    def test_switches_that_are_not_there(self):
        program = self.Fake({"rewrite": {"choices": ["greedy", "off"]}})
        self.assertIsNone(dnnfusion.switches.fixed_patterns(program))
        self.assertIsNone(dnnfusion.switches.no_layouts(program))

    def test_switches_that_are_there(self):
        program = self.Fake({"fusion": {"choices": ["mapping-types", "fixed-patterns"]}, "layouts": {}})
        self.assertEqual(dnnfusion.switches.fixed_patterns(program), "fusion=fixed-patterns")
        self.assertEqual(dnnfusion.switches.no_layouts(program), "layouts=false")


class Processes(unittest.TestCase):
    def test_output(self):
        self.assertEqual(process.run([sys.executable, "-c", "print(7)"], 60), "7\n")

    def test_reasons(self):
        self.assertEqual(process.reason("graphloom: no file\ngraphloom: not written: x"), "no file")
        self.assertEqual(process.reason("at line 3\nError: no module"), "Error: no module")
        self.assertEqual(process.reason(""), "")

    def test_failures(self):
        with self.assertRaisesRegex(Failed, "exit code 3"):
            process.run([sys.executable, "-c", "raise SystemExit(3)"], 60)
        with self.assertRaisesRegex(Failed, "no result within 0.1 s"):
            process.run([sys.executable, "-c", "import time; time.sleep(60)"], .1)


class Kept(Folder):
    def test_values_are_found_again(self):
        path = self.folder / "below/kept.jsonl"
        Keep(path).put({"a": 1, "b": [2]}, {"ms": 3})
        again = Keep(path)
        self.assertEqual(again.get({"b": [2], "a": 1}), {"ms": 3})
        self.assertIsNone(again.get({"a": 2, "b": [2]}))
        self.assertEqual(again.reused, 1)

    def test_a_line_that_was_cut_off_is_measured_again(self):
        path = self.folder / "kept.jsonl"
        keep = Keep(path)
        keep.put({"a": 1}, 1)
        keep.put({"a": 2}, 2)
        path.write_text(path.read_text()[:-9])
        keep = Keep(path)
        self.assertEqual((keep.get({"a": 1}), keep.get({"a": 2})), (1, None))
        keep.put({"a": 2}, 4)
        self.assertEqual(Keep(path).get({"a": 2}), 4)

    def test_later_lines_count(self):
        path = self.folder / "kept.jsonl"
        for value in (1, 2):
            Keep(path).put({"a": 1}, value)
        self.assertEqual(Keep(path).get({"a": 1}), 2)


def value_info(name, element, dims):
    """A serialized ValueInfoProto; a dimension that is a text is symbolic."""
    shape = b"".join(wire.bytes_field(1, wire.integer_field(1, dim) if isinstance(dim, int)
                                      else wire.bytes_field(2, dim.encode())) for dim in dims)
    tensor = wire.integer_field(1, element) + wire.bytes_field(2, shape)
    return wire.bytes_field(1, name.encode()) + wire.bytes_field(2, wire.bytes_field(1, tensor))


def model_of(*inputs, initializers=()):
    graph = b"".join(wire.bytes_field(5, wire.bytes_field(8, name.encode())) for name in initializers)
    graph += b"".join(wire.bytes_field(11, value_info(*one)) for one in inputs)
    return wire.bytes_field(7, graph)


class Tensors(unittest.TestCase):
    def test_inputs_without_initializers(self):
        found = tensors.inputs_of(model_of(("x", 1, [1, 300]), ("w", 1, [2]), ("n", 7, ["batch", 3]),
                                           initializers=["w"]))
        self.assertEqual([(one.name, one.type, one.dims) for one in found],
                         [("x", 1, [1, 300]), ("n", 7, [None, 3])])

    def test_files_can_be_read_and_are_always_the_same(self):
        for element in tensors.CODES:
            given = tensors.Input("x", element, [2, 150])
            data = tensors.tensor_file(given)
            self.assertEqual(data, tensors.tensor_file(given))
            tensor, = tensors.sequence(wire.bytes_field(3, data))
            self.assertEqual((tensor.type, tensor.dims, len(tensor.data)), (element, [2, 150], 300))
            self.assertGreater(len(set(tensor.data)), 1)
            self.assertTrue(all(-1 <= value <= 1 for value in tensor.data))

    def test_no_file_without_a_shape(self):
        self.assertRaises(Failed, tensors.tensor_file, tensors.Input("x", 1, [None]))
        self.assertRaises(Failed, tensors.tensor_file, tensors.Input("x", 10, [1]))

    def tensor(self, *values, dims=None):
        return [tensors.Tensor(1, dims or [len(values)], tensors.array.array("f", values))]

    def test_difference_is_relative_to_the_scale(self):
        self.assertEqual(tensors.difference(self.tensor(1, 4), self.tensor(1, 4)), 0)
        self.assertAlmostEqual(tensors.difference(self.tensor(1, 4), self.tensor(1.5, 4)), .125)
        nan = self.tensor(math.nan, 4)
        self.assertEqual(tensors.difference(nan, nan), 0)

    def test_what_cannot_be_compared_is_infinitely_far(self):
        self.assertEqual(tensors.difference(self.tensor(1), self.tensor(1, 2)), math.inf)
        self.assertEqual(tensors.difference(self.tensor(1), []), math.inf)
        self.assertEqual(tensors.difference(self.tensor(1), self.tensor(math.nan)), math.inf)
        self.assertEqual(tensors.difference(self.tensor(1, 2), self.tensor(1, 2, dims=[2, 1])), math.inf)


class Graphs(unittest.TestCase):
    def chain(self, name="c"):
        return graphs.Chain(name, [4, 6, 8, 8]).conv(12, 1).add().clip().conv(12, 3, True).relu()

    def fields(self, number, parts):
        """Submessages of each part."""
        return [value for part in parts for found, value in wire.fields(part) if found == number]

    def strings(self, number, part):
        return [bytes(value).decode() for value in self.fields(number, [part])]

    def graph(self):
        return wire.first(self.chain().serialized(), 7)

    def test_operators_read_each_other(self):
        nodes = self.fields(1, [self.graph()])
        self.assertEqual([self.strings(4, node)[0] for node in nodes], ["Conv", "Add", "Clip", "Conv", "Relu"])
        reads = [self.strings(1, node)[0] for node in nodes]
        writes = [self.strings(2, node)[0] for node in nodes]
        self.assertEqual(reads, ["input", *writes[:-1]])
        output, = self.fields(12, [self.graph()])
        self.assertEqual(self.strings(1, output), writes[-1:])

    def test_shapes(self):
        given, = tensors.inputs_of(self.chain().serialized())
        self.assertEqual((given.name, given.type, given.dims), ("input", 1, [4, 6, 8, 8]))
        constants = self.fields(5, [self.graph()])
        self.assertEqual([wire.integers(one, 1) for one in constants],
                         [[12, 6, 1, 1], [1, 12, 1, 1], [], [], [12, 1, 3, 3]])
        for one in constants:
            self.assertEqual(len(wire.first(one, 9)), 4 * math.prod(wire.integers(one, 1)))

    def test_attributes(self):
        convs = [node for node in self.fields(1, [self.graph()]) if self.strings(4, node) == ["Conv"]]
        found = [{self.strings(1, one)[0]: wire.first(one, 3) or wire.integers(one, 8)
                  for one in self.fields(5, [node])} for node in convs]
        self.assertEqual([(one["group"], one["kernel_shape"], one["pads"]) for one in found],
                         [(1, [1, 1], [0] * 4), (12, [3, 3], [1] * 4)])

    def test_weights_are_always_the_same(self):
        self.assertEqual(self.chain().serialized(), self.chain().serialized())
        self.assertNotEqual(self.chain().serialized(), self.chain("d").serialized())

    def test_a_depthwise_convolution_keeps_channels(self):
        self.assertRaises(ValueError, self.chain().conv, 6, 3, True)


RUNNER = """
    # SPDX-License-Identifier: Apache-2.0
    import sys
    print("what comes before ready is left out")
    print("2 blocks before, 1 tuned, 24 trials in 3.5 s", file=sys.stderr, flush=True)
    print('ready {"name": "fake"}', flush=True)
    for number, line in enumerate(sys.stdin):
        if line.startswith("output "):
            open(line[7:].strip(), "wb").write(bytes([26, 10, 8, 1, 16, 1, 74, 4, 0, 0, 128, 63]))
            print("written", flush=True)
        elif "--break" in sys.argv and number == 2:
            sys.exit("it broke")
        else:
            print(float(sys.argv[1]), flush=True)
"""


class Timing(Folder):
    def setUp(self):
        super().setUp()
        self.runner = self.program("runner", RUNNER)
        self.addCleanup(setattr, timing, "PAUSE", timing.PAUSE)
        timing.PAUSE = 0

    def contestant(self, name, *words):
        return timing.Contestant(name, [self.runner, *words])

    def test_all_take_turns(self):
        found = timing.interleave([self.contestant("slow", "4"), self.contestant("fast", "2")], self.folder, 1, 5, 60,
                                  60)
        self.assertEqual({name: (one["min"], one["median"], one["runs"]) for name, one in found.items()},
                         {"slow": (4, 4, 5), "fast": (2, 2, 5)})
        self.assertEqual(found["fast"]["difference"], 0)

    def test_what_tuning_took(self):
        found = timing.interleave([timing.Contestant("ours", [self.runner, "2"], tunes=True),
                                   self.contestant("other", "2")], self.folder, 1, 3, 60, 60)
        self.assertEqual(found["ours"]["tuning"], {"before": 2, "after": 1, "trials": 24, "seconds": 3.5})
        self.assertNotIn("tuning", found["other"])
        self.assertIsNone(tunings.of("a warning"))

    def test_slow_inferences_count_at_once(self):
        class Fake:
            def __init__(self, *times):
                self.times = list(times)

            def run(self):
                return self.times.pop(0)
        self.assertEqual(timing.turn(Fake(5, 2)), 2)
        self.assertEqual(timing.turn(Fake(5000)), 5000)
        timing.warm_up(Fake(5000))

    def test_one_that_fails_has_a_reason(self):
        found = timing.interleave([self.contestant("good", "4"), self.contestant("bad", "2", "--break"),
                                   timing.Contestant("absent", [sys.executable, "-c", "import sys; sys.exit('no')"])],
                                  self.folder, 1, 5, 60, 60)
        self.assertEqual(found["good"]["runs"], 5)
        self.assertEqual(found["bad"], {"reason": "it broke"})
        self.assertEqual(found["absent"], {"reason": "no"})

    def test_rounds_end_early(self):
        found = timing.interleave([self.contestant("one", "4")], self.folder, 1, 1000, 60, 0)
        self.assertEqual(found["one"]["runs"], timing.LEAST_ROUNDS)

    def test_a_runner_that_says_nothing_is_late(self):
        with self.assertRaisesRegex(Failed, "no answer"):
            Runner([sys.executable, "-c", "import time; time.sleep(60)"], .2)

    def test_summary(self):
        self.assertEqual(timing.summary([3, 1, 2, 10]), {"min": 1, "median": 2.5, "p95": 10, "runs": 4})

    def test_remarks(self):
        sheet = Sheet("p", "table", 1, "t")
        contests.remarks(sheet, "M", {"a": {"min": 1, "median": 1.1, "difference": 0},
                                      "b": {"min": 1, "median": 2, "difference": 1}, "c": {"reason": "gone"}})
        self.assertEqual(sheet.missing, ["M, c: gone"])
        self.assertEqual(len(sheet.notes), 2)

    def test_geometric_mean_of_those_that_there_are(self):
        self.assertAlmostEqual(contests.mean([1, None, 4]), 2)
        self.assertIsNone(contests.mean([None]))


class FullModels(Folder):
    def test_models_get_weights_and_inputs_once(self):
        (self.folder / "models").mkdir()
        (self.folder / "models/m.onnx").write_bytes(model_of(("x", 1, [2])))
        script = self.folder / "fill.py"
        script.write_text("import shutil, sys\nshutil.copy(sys.argv[1], sys.argv[2])\n")
        # Any Python will do: this script needs neither onnx nor numpy.
        models = Models(self.folder / "models", self.folder / "cache", script)
        fake = self.program("python", f"""
            import os, sys
            if sys.argv[1] == "-c": sys.exit(0)
            os.execv("{sys.executable}", ["python", *sys.argv[1:]])
        """)
        models.python = str(fake)
        folder = models.full("m")
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ["input_0.pb", "model.onnx"])
        script.touch()
        self.assertEqual(models.full("m"), folder)

    def test_models_that_a_figure_makes(self):
        models = Models(self.folder, self.folder / "cache")
        made = graphs.Chain("made", [1, 2, 4, 4]).conv(3, 1).serialized()
        models.add("made", made)
        folder = models.full("made")
        self.assertEqual((folder / "model.onnx").read_bytes(), made)
        self.assertTrue((folder / "input_0.pb").exists())
        self.assertEqual(models.find("made").read_bytes(), made)
        models.add("made", graphs.Chain("made", [1, 2, 4, 4]).conv(5, 1).serialized())
        self.assertNotEqual(models.full("made"), folder)

    def test_a_model_that_is_not_there(self):
        models = Models(self.folder, self.folder / "cache")
        self.assertRaisesRegex(Missing, "no m.onnx", models.find, "m")


def example():
    """A sheet with everything there can be."""
    sheet = Sheet("magis", "figure", 9, "an <example>")
    table = sheet.put(Table("A table", [Column("model"), Column("ms", "host", "{:.1f}"), Column("paper's", "paper")],
                            "host, a processor"))
    table.add("a & b", 1.25, 10000)
    table.add("c", None, True)
    bars = sheet.put(Bars("Bars", "times"))
    bars.add("one", {"x": 2.0})
    bars.add("two", {"x": 1.0, "y": None})
    curve = sheet.put(Lines("Lines", "s", "MB", {"z": [(0, 1), (1, 3)], "dots": [(.5, 2)]}, {"dots"}, steps=True))
    assert curve in sheet.parts
    sheet.note("a remark")
    sheet.note("a remark")
    sheet.miss("a phone")
    return sheet


class Written(Folder):
    def test_text(self):
        lines = text.lines(example())
        self.assertEqual(lines[0], "magis Figure 9: an <example>")
        self.assertIn("a & b     1.2   10,000", lines)
        self.assertIn("c           -      yes", lines)
        self.assertEqual(lines.count("note: a remark"), 1)
        self.assertIn("missing: a phone", lines)
        self.assertIn("ours: host, a processor", lines)

    def test_long_tables_are_thinned_in_text_only(self):
        sheet = Sheet("p", "figure", 1, "t")
        table = sheet.put(Table("Points", [Column("k")]))
        for k in range(1000):
            table.add(k)
        lines = text.lines(sheet)
        self.assertLess(len(lines), 60)
        self.assertTrue(any("only in the CSV" in line for line in lines))
        self.assertEqual(len(list(csv_files.rows(table))), 1001)

    def test_broken_off(self):
        sheet = example()
        sheet.broken_off = True
        self.assertTrue(text.lines(sheet)[-1].startswith("broken off"))

    def test_csv_has_full_numbers_and_provenance(self):
        csv_files.write(example(), self.folder)
        with open(self.folder / "magis-figure-9.csv", newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(rows, [["model", "ms (host)", "paper's (paper)", "provenance of ours"],
                                ["a & b", "1.25", "10000", "host, a processor"],
                                ["c", "", "True", "host, a processor"]])

    def test_csv_of_several_tables(self):
        sheet = example()
        sheet.put(Table("Another", [Column("a")]))
        self.assertEqual(csv_files.names(sheet), ["magis-figure-9-1.csv", "magis-figure-9-2.csv"])

    def test_rows_have_a_cell_for_each_column(self):
        self.assertRaises(ValueError, Table("t", [Column("a")]).add, 1, 2)

    def test_charts_are_well_formed(self):
        sheet = example()
        for part, draw in ((sheet.parts[1], charts.bars), (sheet.parts[2], charts.lines)):
            xml.etree.ElementTree.fromstring(draw(part))
        self.assertEqual(charts.bars(sheet.parts[1]).count("<title>"), 2)
        self.assertEqual(charts.bars(Bars("none", "times")), "")
        self.assertEqual(charts.lines(Lines("none", "x", "y")), "")

    def test_charts_of_odd_values(self):
        for values in ([0.0], [-3.0, 5.0], [1e-9], [1e12, 1.0]):
            chart = Bars("b", "%")
            for k, value in enumerate(values):
                chart.add(str(k), {"x": value})
            xml.etree.ElementTree.fromstring(charts.bars(chart))
            xml.etree.ElementTree.fromstring(charts.lines(Lines("l", "x", "y", {"s": [(v, v) for v in values]})))

    def test_bars_stand_on_zero(self):
        chart = Bars("b", "%")
        for value in (-15.6, -14.5):
            chart.add(str(value), {"x": value})
        drawn = xml.etree.ElementTree.fromstring(charts.bars(chart))
        for bar in drawn.iter("rect"):
            self.assertGreaterEqual(float(bar.get("y")), 0)
            self.assertLessEqual(float(bar.get("y")) + float(bar.get("height")), charts.HEIGHT)

    def test_legends_of_many_series_take_several_lines(self):
        chart = Lines("l", "x", "y", {f"a series with a long name {k}": [(0, k)] for k in range(9)})
        height = float(xml.etree.ElementTree.fromstring(charts.lines(chart)).get("viewBox").split()[3])
        self.assertGreater(height, charts.HEIGHT)

    def test_ticks_cover_their_range(self):
        for least, most in ((0, 1), (-3, 7), (0, 0), (.31, .34), (5, 12345)):
            marks = charts.ticks(least, most)
            self.assertLessEqual(marks[0], least + 1e-9)
            self.assertGreaterEqual(marks[-1], most - 1e-9)
            self.assertLessEqual(len(marks), 9)

    def test_page_stands_alone(self):
        made = page.page([example()], "a <machine>")
        for outside in ("http:", "https:", "<script", "<link", "url("):
            self.assertNotIn(outside, made)
        self.assertIn("an &lt;example&gt;", made)
        self.assertIn("a &amp; b", made)
        self.assertIn("prefers-color-scheme: dark", made)
        self.assertIn('id="magis-figure-9"', made)


FAKE = """
    # SPDX-License-Identifier: Apache-2.0
    import json, sys
    words = sys.argv[1:]
    if words[0] == "--version":
        print("graphloom 9.9")
    elif words[0] == "--list":
        print("[]")
    else:
        weights = {"subgraphs": 2, "trivial": 1, "mean": 3.0, "median": 3.0, "jain": 0.5, "acyclic": True,
                   "weights": [2, 4]}
        open(words[words.index("--report") + 1], "w").write(
            json.dumps({"partition": {**weights, "baseline": {**weights, "subgraphs": 77}},
                        "fusion": {"layers_after": 1}, "tuning": {"trials": 24, "kernels": [{"ms": 2.5}]}}))
        open(sys.argv[0] + ".calls", "a").write("x")
"""


class Command(Folder):
    def setUp(self):
        super().setUp()
        (self.folder / "models").mkdir()
        (self.folder / "models/mobilevit_s_256.onnx").write_bytes(b"a model")
        self.fake = self.program("build/bin/graphloom", FAKE)

    def run_paper(self, *words):
        """Exit code and output of the program."""
        arguments = ["paper", *words, "--models", str(self.folder / "models"), "--build", str(self.folder / "build"),
                     "--cache", str(self.folder / "cache")]
        output, argv = io.StringIO(), sys.argv
        sys.argv = arguments
        try:
            with redirect_stdout(output), redirect_stderr(io.StringIO()):
                code = paper.main()
        finally:
            sys.argv = argv
        return code, output.getvalue()

    def test_a_figure_from_end_to_end_and_again_from_what_was_kept(self):
        files = ["--csv", str(self.folder / "csv"), "--html", str(self.folder / "page.html")]
        for _ in range(2):
            code, said = self.run_paper("ago", "--figure", "14", *files)
            self.assertEqual(code, 0)
            self.assertRegex(said, r"Relay +ours, modelled +77")
            self.assertRegex(said, r"AGO +paper +82")
        self.assertIn("1 rows from measured.jsonl", said)
        self.assertEqual(pathlib.Path(f"{self.fake}.calls").read_text(), "x")
        self.assertTrue((self.folder / "csv/ago-figure-14-1.csv").exists())
        self.assertIn("Figure 14", (self.folder / "page.html").read_text())

    def test_figures_that_make_their_models(self):
        self.program("build/bench/plan_runner", RUNNER.replace("float(sys.argv[1])", "2.5"))
        for _ in range(2):
            code, said = self.run_paper("ago", "--figure", "8", "--figure", "13", "--quick", "--model",
                                        "budget_conv_add_16", "--model", "pointwise_depthwise_b1")
            self.assertEqual(code, 0)
            self.assertRegex(said, r"Conv \+ Add +16-32-14-14 +6 +24 +24 +24 +1 +3.5 +yes")
            self.assertRegex(said, r"pointwise \+ depthwise, B1 +2.5 +2.5 +2.5 +1.00 +1.00 +5")
        self.assertIn("6 rows from measured.jsonl", said)  # weight, trials, times, and three modelled ones

    def test_another_program_is_measured_again(self):
        self.run_paper("ago", "--figure", "14")
        self.fake.write_text(self.fake.read_text() + "# changed\n")
        self.run_paper("ago", "--figure", "14")
        self.assertEqual(pathlib.Path(f"{self.fake}.calls").read_text(), "xx")

    def test_models_that_are_not_there_are_missing(self):
        code, said = self.run_paper("ago", "--figure", "10", "--quick")
        self.assertEqual(code, 0)
        self.assertIn("missing: SqueezeNet 56: there is no squeezenet1_1_56.onnx", said)

    def test_an_interruption_leaves_what_was_measured(self):
        def fill(_, sheet):
            sheet.put(Table("t", [Column("a")])).add("measured")
            raise KeyboardInterrupt
        papers = paper.PAPERS
        self.addCleanup(setattr, paper, "PAPERS", papers)
        paper.PAPERS = {"ago": [Entry("figure", 1, "first", fill), Entry("figure", 2, "second", fill)]}
        code, said = self.run_paper("ago", "--csv", str(self.folder / "csv"))
        self.assertEqual(code, 130)
        self.assertIn("measured", (self.folder / "csv/ago-figure-1.csv").read_text())
        self.assertIn("broken off, the same command goes on", said)
        self.assertNotIn("second", said)

    def test_figures_that_there_are_not(self):
        with self.assertRaises(SystemExit):
            self.run_paper("ago", "--figure", "99")

    def test_a_program_that_is_not_there(self):
        os.remove(self.fake)
        with self.assertRaisesRegex(SystemExit, "build the target graphloom"):
            self.run_paper("ago")


class Options(Folder):
    def parse(self, *words):
        return options.parse(paper.PAPERS, [*words, "--models", str(self.folder)])

    def test_kept_rows_are_beside_the_csv(self):
        self.assertEqual(self.parse("all", "--csv", "x").keep, pathlib.Path("x/measured.jsonl"))
        self.assertEqual(self.parse("all", "--csv", "x", "--keep", "y").keep, pathlib.Path("y"))

    def test_budgets(self):
        self.assertEqual(options.seconds(self.parse("ago"), 60, 3), 60)
        self.assertEqual(options.seconds(self.parse("ago", "--quick"), 60, 3), 3)
        self.assertEqual(options.seconds(self.parse("ago", "--quick", "--seconds", "0"), 60, 3), 0)
        self.assertEqual(options.trials(self.parse("ago"), 400, 24), 400)
        self.assertEqual(options.trials(self.parse("ago", "--quick"), 400, 24), 24)
        self.assertEqual(options.trials(self.parse("ago", "--quick", "--trials", "7"), 400, 24), 7)

    def test_wrong_usage(self):
        for words in (["xenos"], ["ago", "--runs", "0"], ["ago", "--threads", "0"], ["ago", "--seconds", "-1"],
                      ["ago", "--trials", "0"]):
            with self.assertRaises(SystemExit) as ended, redirect_stderr(io.StringIO()):
                self.parse(*words)
            self.assertEqual(ended.exception.code, 2)

    def test_every_entry_is_there_once(self):
        for entries in paper.PAPERS.values():
            names = [(entry.kind, entry.number) for entry in entries]
            self.assertEqual(len(names), len(set(names)))
        for name, count in (("dnnfusion", 11), ("magis", 9), ("ago", 6)):
            self.assertGreaterEqual(len(paper.PAPERS[name]), count)


if __name__ == "__main__":
    unittest.main()
