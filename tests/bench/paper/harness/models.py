# SPDX-License-Identifier: Apache-2.0
"""The models of a folder, and the same with weights and inputs as runners need them."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from . import process, tensors
from .failures import Missing

FILLING_SECONDS = 1200


def pythons(given):
    """Interpreters that may have the modules a script needs."""
    return [given] if given else list(dict.fromkeys([sys.executable, "/usr/bin/python3"]))


def python_with(modules, given=None):
    """An interpreter that can import these modules, or None."""
    for python in pythons(given):
        try:
            done = subprocess.run([python, "-c", f"import {', '.join(modules)}"], capture_output=True,
                                  check=False)
        except OSError:
            continue
        if done.returncode == 0:
            return python
    return None


class Models:
    def __init__(self, folder, cache, script=None, python=None):
        self.folder = folder
        self.cache = cache
        self.script = script or folder.parent / "tools/materialize.py"
        self.python = python
        self.made = {}  # serialized models by name

    def add(self, name, model):
        """A serialized model that a figure has made. It has weights already."""
        self.made[name] = model

    def find(self, name):
        """The file of a model; models may be in folders below."""
        if name in self.made:
            return self._made(name)
        found = sorted(self.folder.rglob(f"{name}.onnx"))
        if not found:
            raise Missing(f"there is no {name}.onnx in the folder of models")
        return found[0]

    def _made(self, name):
        """The file of a model that was made, which is in the cache."""
        model = self.made[name]
        path = self.cache / f"{name}-{hashlib.sha256(model).hexdigest()[:12]}.onnx"
        if not path.exists():
            self.cache.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".part")
            unfinished.write_bytes(model)
            unfinished.rename(path)
        return path

    def hash(self, name):
        return hashlib.sha256(self.find(name).read_bytes()).hexdigest()[:12]

    def full(self, name):
        """A folder with `model.onnx`, which has weights, and `input_0.pb`...; made once."""
        light = self.find(name)
        script = b""
        if name not in self.made:
            if not self.script.exists():
                raise Missing(f"runners need weights: {self.script.name} is not there, give --materialize")
            script = self.script.read_bytes()
        digest = hashlib.sha256(light.read_bytes() + script).hexdigest()[:12]
        folder = self.cache / f"{name}-{digest}"
        if not folder.exists():
            self.cache.mkdir(parents=True, exist_ok=True)
            unfinished = pathlib.Path(tempfile.mkdtemp(prefix="unfinished-", dir=self.cache))
            try:
                if name in self.made:
                    shutil.copyfile(light, unfinished / "model.onnx")
                else:
                    self._fill(light, unfinished)
                for number, given in enumerate(tensors.inputs_of(light.read_bytes())):
                    (unfinished / f"input_{number}.pb").write_bytes(tensors.tensor_file(given))
                os.replace(unfinished, folder)
            finally:
                shutil.rmtree(unfinished, ignore_errors=True)
        return folder

    def _fill(self, light, folder):
        python = python_with(["onnx", "numpy"], self.python)
        if python is None:
            raise Missing("runners need weights: no Python with onnx and numpy, give --python")
        process.run([python, self.script, light, folder / "model.onnx"], FILLING_SECONDS)
