"""llama.cpp's HTTP server for one model: `python model_server.py MODEL.gguf PORT THREADS`.

Runs in the environment that tests/tools/install_model.sh makes, not in Milepost's.
"""

import signal
import sys

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.hostnames = ["127.0.0.1"]
parameters.port = int(sys.argv[2])
parameters.n_ctx = 8192
parameters.n_parallel = 1
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = int(sys.argv[3])
parameters.model_alias = {"local"}
server = xllamacpp.Server(parameters)
print("LISTENING", server.listening_address, flush=True)
signal.pause()
