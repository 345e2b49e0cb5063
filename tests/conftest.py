"""What every test relies on: one thread for numerical libraries, in this process and in those that it starts.

Property tests try the same inputs each time, so that a change is judged by what it changes;
`HYPOTHESIS_PROFILE=default` has them look for new ones.
"""

import os

from hypothesis import settings

for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

settings.register_profile("the same each time", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "the same each time"))
