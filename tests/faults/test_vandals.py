"""Code that breaks what the process itself stands on: the report arrives all the same."""

import pytest

from .patient import Fault, probe

BAD_WIDTH = r"The probe raised ValueError: bad width \(line \d+\)\."


def harmless(name: str, body: str, head: str = "") -> list[Fault]:
    """A probe that does something bad before it returns a healthy model, and one that then raises."""
    return [
        Fault(name, probe(body, head)),
        Fault(f"{name}, then raises", probe(f"{body}\nraise ValueError('bad width')  # here", head), "failed", "probe-raised", BAD_WIDTH),
    ]  # fmt: skip


def at_last(name: str, body: str) -> list[Fault]:
    """The same for something so bad that no model can be made after it: done when the loss is there."""
    done = f"model = torch.nn.Linear(4, 1)\nloss = model(torch.ones(2, 4)).mean()\n{body}\n"
    return [
        Fault(name, probe(f"{done}return model, loss")),
        Fault(f"{name}, then raises", probe(f"{done}raise ValueError('bad width')  # here"), "failed", "probe-raised", BAD_WIDTH),
    ]  # fmt: skip


NEEDED = "torch json os sys traceback linecache dataclasses threading builtins importlib numpy __main__"
RAISES = "lambda *args, **kwargs: 1 / 0"
PATCHED = {
    "builtins": "print open len isinstance getattr type str repr max iter next list dict tuple set __import__",
    "json": "dumps loads JSONEncoder",
    "os": "write read getpid kill _exit fspath stat getcwd",
    "os.path": "join abspath realpath exists isabs normpath dirname",
    "time": "time perf_counter monotonic sleep",
    "pathlib": "Path",
    "traceback": "TracebackException StackSummary format_exception",
    "linecache": "getline getlines checkcache",
    "threading": "Lock Thread current_thread main_thread",
    "dataclasses": "asdict fields is_dataclass replace",
    "sys": "_getframe _current_frames exc_info intern",
    "math": "isfinite isnan isinf",
    "io": "StringIO TextIOWrapper open",
    "random": "seed random",
    "inspect": "signature getsource",
}

MODULES_GONE = [
    *at_last("no modules", "sys.modules.clear()"),
    *at_last("other modules", "sys.modules = {}"),
    *at_last("modules that are None", "for name in list(sys.modules): sys.modules[name] = None"),
    *at_last("emptied modules", "import json, traceback, linecache\nfor module in (json, traceback, linecache): vars(module).clear()"),
    *(fault for name in NEEDED.split() for fault in at_last(f"no module {name}", f"sys.modules.pop({name!r}, None)")),
    *harmless("no finders", "sys.meta_path.clear(); sys.path_hooks.clear(); sys.path.clear(); sys.path_importer_cache.clear()"),
    *harmless("sys.path of something else", "sys.path = [None, 3, object()]; sys.meta_path = None"),
    *harmless("linecache cleared", "import linecache; linecache.clearcache()"),
]  # fmt: skip

STREAMS_GONE = [
    *harmless("no streams", "sys.stdout = sys.stderr = sys.stdin = None"),
    *harmless("no original streams", "sys.__stdout__ = sys.__stderr__ = sys.stdout = sys.stderr = None"),
    *harmless("streams that raise", "sys.stdout = sys.stderr = Odd()", "class Odd:\n    def __getattr__(self, name): raise KeyError\n    def write(self, text): raise KeyError"),
    *harmless("streams that leave", "sys.stdout = sys.stderr = Odd()", "class Odd:\n    def flush(self): sys.exit()"),
    *harmless("closed streams", "sys.stdout.close(); sys.stderr.close()"),
    *harmless("detached streams", "sys.stdout.detach(); sys.stderr.detach()"),
    *harmless("closed descriptors", "os.close(0); os.close(1); os.close(2)"),
    *harmless("descriptors closed up to 100", "os.closerange(0, 100)"),
    *harmless("no more descriptors", "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))"),
    *harmless("no file size", "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"),
    *harmless("the hooks gone", "sys.excepthook = sys.unraisablehook = threading.excepthook = sys.displayhook = None"),
]  # fmt: skip

SWITCHED = [
    *at_last("a low recursion limit", "import inspect; sys.setrecursionlimit(len(inspect.stack()) + 10)"),
    *harmless("no garbage collection", "import gc; gc.disable(); gc.freeze()"),
    *harmless("garbage collected always", "import gc; gc.set_threshold(1); gc.set_debug(gc.DEBUG_SAVEALL)"),
    *harmless("the fault handler off", "import faulthandler; faulthandler.disable()"),
    *harmless("signals ignored", "for n in {*range(1, 32)} - {9, 19}: signal.signal(n, signal.SIG_IGN)"),
    *harmless("signals raise", "for n in (2, 13, 15): signal.signal(n, lambda *_: sys.exit())"),
    *harmless("a trace", "sys.settrace(lambda *_: None); threading.settrace(lambda *_: 1 / 0)"),
    *harmless("a profile", "sys.setprofile(lambda *_: None); threading.setprofile(lambda *_: 1 / 0)"),
    *harmless("an audit hook", "sys.addaudithook(hook)", "def hook(event, args):\n    if event == 'open': raise RuntimeError('not allowed')"),
    *harmless("warnings are errors", "import warnings; warnings.simplefilter('error')"),
    *harmless("a bad showwarning", "import warnings; warnings.showwarning = warnings.warn = None"),
    *harmless("double by default", "torch.set_default_dtype(torch.float64)"),
    *harmless("half by default", "torch.set_default_dtype(torch.bfloat16)"),
    *harmless("a default device", "torch.set_default_device('cpu')"),
    *harmless("grad off", "torch.set_grad_enabled(False); torch.set_grad_enabled(True)"),
    *harmless("deterministic", "torch.use_deterministic_algorithms(True)"),
    *harmless("no garbage of torch's", "torch.set_num_threads(3); torch.set_flush_denormal(True)"),
    *harmless("the working directory gone", "import tempfile; here = tempfile.mkdtemp(); os.chdir(here); os.rmdir(here)"),
    *harmless("another working directory", "os.chdir('/')"),
    *harmless("no environment", "os.environ.clear()"),
    *harmless("an umask", "os.umask(0o777)"),
    *harmless("a locale", "import locale; locale.setlocale(locale.LC_ALL, 'C')"),
    *harmless("the main module imported", "import __main__; vars(__main__).clear()"),
    *harmless("a slow thread switch", "sys.setswitchinterval(1000)"),
    *harmless("no int digits", "sys.set_int_max_str_digits(640)"),
]  # fmt: skip

PATCHES = [
    *(
        fault
        for module, names in PATCHED.items()
        for fault in at_last(module, f"import {module}\nfor name in {names.split()}: setattr({module}, name, {RAISES})")
    ),
    *harmless("print", "import builtins; builtins.print = None"),
    *harmless("json.dumps", "import json; json.dumps = None"),
    *harmless("os.write", "os.write = lambda *_: 0"),
    *harmless("time", f"time.time = time.perf_counter = time.monotonic = time.sleep = {RAISES}"),
    *harmless("at import", "pass", "import builtins; builtins.print = json = None; os.write = os.getpid = None"),
    *harmless("modules of a patched kind", "pass", "old = torch.nn.Module.__init__\ndef new(self, *args, **kwargs):\n    old(self, *args, **kwargs)\ntorch.nn.Module.__init__ = new"),
    Fault(
        "modules that cannot be made",
        probe("pass", "def new(self, *args, **kwargs): raise ValueError('no modules')  # here\ntorch.nn.Module.__init__ = new"),
        "failed", "probe-raised", r"The probe raised ValueError: no modules \(line \d+\)\.",
    ),
    *harmless("parameters patched", "torch.nn.Module.parameters = torch.nn.Module.modules = None"),
    *harmless("tensors patched", f"torch.Tensor.__repr__ = torch.Tensor.__str__ = torch.Tensor.__format__ = {RAISES}"),
]  # fmt: skip


@pytest.mark.parametrize("fault", MODULES_GONE, ids=lambda fault: fault.name)
async def test_a_report_arrives_without_modules(suffers, fault: Fault):
    await suffers(fault)


@pytest.mark.parametrize("fault", STREAMS_GONE, ids=lambda fault: fault.name)
async def test_a_report_arrives_without_streams(suffers, fault: Fault):
    await suffers(fault)


@pytest.mark.parametrize("fault", SWITCHED, ids=lambda fault: fault.name)
async def test_a_report_arrives_whatever_is_switched(suffers, fault: Fault):
    await suffers(fault)


@pytest.mark.parametrize("fault", PATCHES, ids=lambda fault: fault.name)
async def test_a_report_arrives_whatever_is_patched(suffers, fault: Fault):
    await suffers(fault)
