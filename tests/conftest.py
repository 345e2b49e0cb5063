"""What every test relies on: one thread for numerical libraries, in this process and in those that it starts."""

import os

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
