# SPDX-License-Identifier: Apache-2.0
"""The command line."""
import argparse
import pathlib
import tempfile

from . import machine

ROOT = pathlib.Path(__file__).resolve().parents[4]
RUNS, QUICK_RUNS = 50, 5
QUICK_SECONDS = 3


def parser(papers):
    made = argparse.ArgumentParser(
        prog="paper", description="Tables and figures of the papers' evaluations: ours beside the papers'.")
    made.add_argument("paper", choices=[*papers, "all"])
    made.add_argument("--models", required=True, type=pathlib.Path, metavar="FOLDER")
    made.add_argument("--figure", type=int, action="append", default=[], metavar="N",
                      help="only this figure (repeatable)")
    made.add_argument("--table", type=int, action="append", default=[], metavar="N",
                      help="only this table (repeatable)")
    made.add_argument("--model", action="append", default=[], metavar="NAME",
                      help="in figures of several models, only those with this in their name (repeatable)")
    made.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", metavar="FOLDER")
    made.add_argument("--csv", type=pathlib.Path, metavar="FOLDER", help="a CSV file for each table")
    made.add_argument("--html", type=pathlib.Path, metavar="FILE", help="one page with charts")
    made.add_argument("--seconds", type=float, metavar="S",
                      help="of each search and of tuning each plan (default: what the figure needs)")
    made.add_argument("--trials", type=int, metavar="N",
                      help="of tuning each plan, in figures that limit it by trials (default: what the figure needs)")
    made.add_argument("--runs", type=int, metavar="N", help=f"timed inferences (default: {RUNS})")
    made.add_argument("--threads", type=int, default=machine.processors(), metavar="N")
    made.add_argument("--quick", action="store_true", help="smallest models, short budgets: a smoke test")
    made.add_argument("--keep", type=pathlib.Path, metavar="FILE",
                      help="file of measured rows (default: measured.jsonl in --csv or --cache)")
    made.add_argument("--cache", type=pathlib.Path, metavar="FOLDER",
                      default=pathlib.Path(tempfile.gettempdir()) / "graphloom-paper",
                      help="models with weights, and kernels")
    made.add_argument("--materialize", type=pathlib.Path, metavar="FILL.py",
                      help="script that fills in weights (default: tools/materialize.py beside --models)")
    made.add_argument("--python", metavar="PYTHON", help="interpreter with onnx, numpy and perhaps torch")
    made.add_argument("--device", default="rtx-3090", help="device of MAGIS' figures (default: rtx-3090)")
    return made


def parse(papers, words=None):
    made = parser(papers)
    given = made.parse_args(words)
    if given.runs is not None and given.runs < 1 or given.threads < 1 or \
            given.trials is not None and given.trials < 1 or given.seconds is not None and given.seconds < 0:
        made.error("--runs, --trials and --threads are at least 1, --seconds at least 0")
    if not given.models.is_dir():
        made.error(f"{given.models} is no folder")
    given.models = given.models.resolve()
    given.runs = given.runs or (QUICK_RUNS if given.quick else RUNS)
    given.keep = given.keep or (given.csv or given.cache) / "measured.jsonl"
    return given


def seconds(given, usual, quick):
    """The budget of a search: what was given, or a short one, or what the figure needs."""
    if given.seconds is not None:
        return given.seconds
    return quick if given.quick else usual


def trials(given, usual, quick):
    """The same for a budget in trials."""
    if given.trials is not None:
        return given.trials
    return quick if given.quick else usual
