# SPDX-License-Identifier: Apache-2.0
"""torch_runner.py MODE MODEL --threads N --inputs DIR: a runner (README.md) for PyTorch.

MODE is onednn, the traced model frozen and optimized for inference, or mobile, optimized for
XNNPACK by optimize_for_mobile(): Torch Mobile. mobile_nhwc is that with pictures in the
channels-last format, which PyTorch recommends for it and which saves copies around convolutions;
bringing the input into it is part of the time.
"""
import argparse
import ctypes
import json
import os
import sys
import time
import warnings

start = time.perf_counter()
parser = argparse.ArgumentParser()
parser.add_argument('mode', choices=['onednn', 'mobile', 'mobile_nhwc'])
parser.add_argument('model')
parser.add_argument('--threads', type=int, default=1)
parser.add_argument('--inputs', required=True)
options = parser.parse_args()
# XNNPACK has a pool of threads of its own; those of OpenMP beside it would wait for the same
# processors by spinning, and Torch Mobile has none.
openmp_threads = 1 if options.mode != 'onednn' else options.threads
os.environ['OMP_NUM_THREADS'] = str(openmp_threads)

import onnx  # noqa: E402
import onnx.numpy_helper  # noqa: E402
import torch  # noqa: E402
from torch.utils.mobile_optimizer import optimize_for_mobile  # noqa: E402
from onnx_to_torch import Imported  # noqa: E402

warnings.filterwarnings('ignore')
torch.set_num_threads(options.threads)  # of both
ctypes.CDLL('libgomp.so.1').omp_set_num_threads(openmp_threads)
torch.set_num_interop_threads(1)
torch.set_grad_enabled(False)


def read(path):
    with open(path, 'rb') as file:
        return torch.from_numpy(onnx.numpy_helper.to_array(onnx.TensorProto.FromString(file.read())).copy())


def compiled(inputs):
    imported = Imported(options.model, inputs)
    imported.channels_last = options.mode == 'mobile_nhwc'
    traced = torch.jit.trace(imported.eval(), inputs, check_trace=False)
    if options.mode != 'onednn':
        return optimize_for_mobile(traced.eval())
    return torch.jit.optimize_for_inference(torch.jit.freeze(traced.eval()))


def run():
    begin = time.perf_counter()
    results = module(*inputs)
    return 1000 * (time.perf_counter() - begin), results


def peak():
    # Not getrusage()'s: that begins with the peak of whoever started this.
    with open('/proc/self/status') as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith('VmHWM:'))


def write(path, tensors):
    sequence = onnx.SequenceProto(elem_type=onnx.SequenceProto.TENSOR)
    for tensor in tensors:
        sequence.tensor_values.append(onnx.numpy_helper.from_array(tensor.contiguous().numpy()))
    with open(path, 'wb') as file:
        file.write(sequence.SerializeToString())


files = sorted((f for f in os.listdir(options.inputs) if f.startswith('input_')), key=lambda f: int(f[6:-3]))
inputs = tuple(read(os.path.join(options.inputs, f)) for f in files)
module = compiled(inputs)
load = 1000 * (time.perf_counter() - start)
first, outputs = run()
print('ready', json.dumps({'name': f'PyTorch {options.mode}', 'version': torch.__version__,
                           'threads': options.threads, 'load_ms': load, 'first_run_ms': first,
                           'rss_mb': peak()}), flush=True)
for line in sys.stdin:
    command, _, argument = line.strip().partition(' ')
    if command == 'run':
        milliseconds, outputs = run()
        print(f'{milliseconds:.6f}', flush=True)
    elif command == 'output':
        write(argument, outputs)
        print('written', flush=True)
    elif command == 'rss':
        print(f'{peak():.3f}', flush=True)
    elif command == 'quit':
        break
    else:
        sys.exit(f'unknown command {command}')
