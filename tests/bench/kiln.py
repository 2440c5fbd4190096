"""Kiln in Python, over its C interface (compiler/kiln/kiln.h), with nothing but ctypes: what tests and benchmarks use.

    library = kiln.Library("lib/libkiln.so")
    graph = library.compile(text, device="cuda")
    graph.bind("w", w)                       # host memory: an array, a tensor, anything with a buffer
    graph.run([x], [y], stream)              # device memory: torch tensors or addresses; the stream as an integer
    replay = graph.capture([x], [y])         # the same addresses again, at less cost
"""

import collections
import ctypes
import json

STATUS = {1: "usage", 2: "invalid input", 3: "no device", 4: "wrong result", 5: "internal"}
DTYPES = ("f64", "f32", "tf32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E8M0", "i64", "i32", "i8", "i4", "bool")
INPUT, PARAMETER, OUTPUT = 0, 1, 2
ABI = 1

TensorInfo = collections.namedtuple("TensorInfo", "name dtype shape bytes")


class Error(Exception):
    """What Kiln says; `code` is its status, `rule` and the other facts are fields of their own."""

    def __init__(self, error):
        super().__init__(error.message.decode())
        self.code = error.code
        for field in ("op", "rule", "expected", "found", "hint", "file"):
            setattr(self, field, getattr(error, field).decode())
        self.line = error.line


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), *((name, ctypes.c_char_p) for name in
                ("message", "op", "rule", "expected", "found", "hint", "file")), ("line", ctypes.c_int)]


class _TensorInfo(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_size_t)]


class _LoadOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("threads", ctypes.c_int32), ("ordinal", ctypes.c_int32)]


class _CompileOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("device", ctypes.c_char_p), ("target", ctypes.c_char_p),
                ("entry", ctypes.c_char_p), ("threads", ctypes.c_int32), ("no_fuse", ctypes.c_int32),
                ("keep_ir", ctypes.c_int32), ("any_machine", ctypes.c_int32), ("bind", ctypes.c_char_p),
                ("schedules", ctypes.c_char_p)]


_handle, _out = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
_pointers = ctypes.POINTER(ctypes.c_void_p)
_run = [_handle, _pointers, ctypes.c_size_t, _pointers, ctypes.c_size_t]
# name -> arguments; all return a status but those of OTHERS
CALLS = {
    "kiln_load": [ctypes.c_char_p, ctypes.POINTER(_LoadOptions), _out],
    "kiln_save": [_handle, ctypes.c_char_p],
    "kiln_describe": [_handle, ctypes.c_int, ctypes.c_size_t, ctypes.POINTER(_TensorInfo)],
    "kiln_bind": [_handle, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t],
    "kiln_bind_file": [_handle, ctypes.c_char_p],
    "kiln_prepare": [_handle],
    "kiln_run": [*_run, ctypes.c_void_p],
    "kiln_run_host": _run,
    "kiln_synchronize": [_handle, ctypes.c_void_p],
    "kiln_capture": [*_run, _out],
    "kiln_replay_run": [_handle, ctypes.c_void_p],
    "kiln_compile": [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(_CompileOptions), _out],
    "kiln_run_owned": [_handle, _pointers, ctypes.c_size_t, _out, ctypes.c_size_t, ctypes.c_void_p],
    "kiln_buffer_to_dl": [_handle, _out],
    "kiln_ir": [_handle, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)],
}
OTHERS = {
    "kiln_abi_version": (ctypes.c_int, []),
    "kiln_version": (ctypes.c_char_p, []),
    "kiln_last_error": (ctypes.POINTER(_Error), []),
    "kiln_count": (ctypes.c_size_t, [_handle, ctypes.c_int]),
    "kiln_device": (ctypes.c_char_p, [_handle]),
    "kiln_target": (ctypes.c_char_p, [_handle]),
    "kiln_report": (ctypes.c_char_p, [_handle]),
    "kiln_plan": (ctypes.c_char_p, [_handle]),
    "kiln_close": (None, [_handle]),
    "kiln_buffer_release": (None, [_handle]),
    "kiln_replay_close": (None, [_handle]),
    "kiln_devices": (ctypes.c_char_p, []),
}


def address(memory):
    """Where the first element of an address, a tensor, an array or a buffer lies."""
    if isinstance(memory, int):
        return memory
    if hasattr(memory, "data_ptr"):
        return memory.data_ptr()
    if hasattr(memory, "__array_interface__"):
        return memory.__array_interface__["data"][0]
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


def _addresses(memory):
    return (ctypes.c_void_p * len(memory))(*map(address, memory))


class Library:
    """libkiln.so."""

    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        for name, arguments in CALLS.items():
            function = getattr(self.c, name)
            function.argtypes, function.restype = arguments, ctypes.c_int
        for name, (result, arguments) in OTHERS.items():
            function = getattr(self.c, name)
            function.argtypes, function.restype = arguments, result
        if self.c.kiln_abi_version() != ABI:
            raise RuntimeError(f"{path} has version {self.c.kiln_abi_version()} of the interface, not {ABI}")

    def call(self, name, *arguments):
        """Calls a function that returns a status; raises Error."""
        if getattr(self.c, name)(*arguments):
            raise Error(self.c.kiln_last_error().contents)

    def compile(self, text, device="cpu", target=None, entry=None, threads=0, no_fuse=False, keep_ir=False,
                any_machine=False, bind=None, schedules=None):
        """The graph in .mlir text; `bind` is a tile program's extents and scalars, "M=4096,scale=0.125"; `schedules` are
        those of families, "row {ctas = 4}; column {warps = 8}"."""
        encode = lambda value: value.encode() if value else None  # noqa: E731
        options = _CompileOptions(ctypes.sizeof(_CompileOptions), encode(device), encode(target), encode(entry),
                                  threads, no_fuse, keep_ir, any_machine, encode(bind), encode(schedules))
        data, handle = text.encode() if isinstance(text, str) else text, ctypes.c_void_p()
        self.call("kiln_compile", data, len(data), ctypes.byref(options), ctypes.byref(handle))
        return Graph(self, handle)

    def load(self, path, threads=0, ordinal=0):
        """The graph in a file that was compiled before."""
        options, handle = _LoadOptions(ctypes.sizeof(_LoadOptions), threads, ordinal), ctypes.c_void_p()
        self.call("kiln_load", str(path).encode(), ctypes.byref(options), ctypes.byref(handle))
        return Graph(self, handle)

    def devices(self):
        return json.loads(self.c.kiln_devices())

    @property
    def version(self):
        return self.c.kiln_version().decode()


class Graph:
    """A compiled graph on its device."""

    def __init__(self, library, handle):
        self.library, self.handle = library, handle
        self.inputs, self.parameters, self.outputs = (self._tensors(role) for role in (INPUT, PARAMETER, OUTPUT))

    def _tensors(self, role):
        tensors, info = [], _TensorInfo()
        for i in range(self.library.c.kiln_count(self.handle, role)):
            self.library.call("kiln_describe", self.handle, role, i, ctypes.byref(info))
            tensors.append(TensorInfo(info.name.decode(), DTYPES[info.dtype], tuple(info.shape[:info.rank]),
                                      info.bytes))
        return tensors

    def bind(self, name, memory):
        """Copies a parameter's value from host memory."""
        size = next((t.bytes for t in self.parameters if t.name == name), 0)
        if hasattr(memory, "nbytes"):
            size = memory.nbytes
        self.library.call("kiln_bind", self.handle, name.encode(), address(memory), size)

    def bind_file(self, path):
        self.library.call("kiln_bind_file", self.handle, str(path).encode())

    def prepare(self):
        self.library.call("kiln_prepare", self.handle)

    def run(self, inputs, outputs, stream=0):
        """Gives a run on device memory to a stream."""
        self.library.call("kiln_run", self.handle, _addresses(inputs), len(inputs), _addresses(outputs), len(outputs),
                          stream)

    def run_owned(self, inputs, stream=0):
        """run() into memory of Kiln's own: a Tensor for each output, for torch.from_dlpack or numpy.from_dlpack."""
        handles = (ctypes.c_void_p * len(self.outputs))()
        self.library.call("kiln_run_owned", self.handle, _addresses(inputs), len(inputs), handles, len(handles), stream)
        device = (1, 0) if self.library.c.kiln_device(self.handle) == b"cpu" else (2, 0)
        return [Tensor(self.library, handle, device) for handle in handles]

    def runner(self, inputs, outputs, stream=0):
        """run() with everything looked up before: a function of no arguments, for whoever times it."""
        run, handle = self.library.c.kiln_run, self.handle
        memory = [*inputs, *outputs]  # lives as long as the function does
        size, pointer = ctypes.c_size_t, ctypes.c_void_p  # converted once, not by each call
        arguments = (handle, _addresses(inputs), size(len(inputs)), _addresses(outputs), size(len(outputs)),
                     pointer(stream))

        def go():
            if run(*arguments):
                raise Error(self.library.c.kiln_last_error().contents)

        go.memory = memory
        return go

    def run_host(self, inputs, outputs):
        """Runs on host memory, on any device, and waits."""
        self.library.call("kiln_run_host", self.handle, _addresses(inputs), len(inputs), _addresses(outputs),
                          len(outputs))

    def capture(self, inputs, outputs):
        """A run on these addresses, to be repeated."""
        handle = ctypes.c_void_p()
        self.library.call("kiln_capture", self.handle, _addresses(inputs), len(inputs), _addresses(outputs),
                          len(outputs), ctypes.byref(handle))
        return Replay(self.library, handle)

    def synchronize(self, stream=0):
        self.library.call("kiln_synchronize", self.handle, stream)

    def save(self, path):
        self.library.call("kiln_save", self.handle, str(path).encode())

    def ir(self, level):
        text = ctypes.c_char_p()
        self.library.call("kiln_ir", self.handle, level.encode(), ctypes.byref(text))
        return text.value.decode()

    @property
    def report(self):
        return self.library.c.kiln_report(self.handle).decode()

    @property
    def plan(self):
        return self.library.c.kiln_plan(self.handle).decode()

    @property
    def target(self):
        return self.library.c.kiln_target(self.handle).decode()

    def close(self):
        self.library.c.kiln_close(self.handle)
        self.handle = None


class Tensor:
    """An output that Kiln owns until a framework takes it over."""

    def __init__(self, library, handle, device):
        self.library, self.handle, self.device = library, handle, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        tensor = ctypes.c_void_p()
        self.library.call("kiln_buffer_to_dl", self.handle, ctypes.byref(tensor))
        self.handle = None
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(tensor, b"dltensor", None)

    def __del__(self):
        if self.handle:
            self.library.c.kiln_buffer_release(self.handle)


class Replay:
    """A run on fixed addresses."""

    def __init__(self, library, handle):
        self.library, self.handle = library, handle

    def run(self, stream=0):
        self.library.call("kiln_replay_run", self.handle, stream)

    def close(self):
        self.library.c.kiln_replay_close(self.handle)
        self.handle = None
