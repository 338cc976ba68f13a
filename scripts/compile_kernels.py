#!/usr/bin/env python3
"""Compiles the kernels of crates/gpu/kernels to the PTX that is kept beside them.

Needs NVIDIA's run-time compiler, of the version whose drivers are the oldest that are served:
`pip install nvidia-cuda-nvrtc-cu12==12.6.85`. None of CUDA is needed to build cryptable itself.
"""

import ctypes
import hashlib
import pathlib
import site
import sys

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "crates" / "gpu" / "kernels"
COMPILED = KERNELS / "compiled"
# The oldest cards that are served, and the language that drivers of CUDA 12.6 know.
ARCHITECTURE = "compute_80"


def digest(source: pathlib.Path) -> str:
    """What a compiled file says of its sources: the kernel's own file, and all headers."""
    hasher = hashlib.sha256()
    for path in [source, *sorted(KERNELS.glob("*.cuh"))]:
        hasher.update(path.read_bytes())
    return hasher.hexdigest()


class Compiler:
    """NVIDIA's run-time compiler."""

    def __init__(self) -> None:
        folders = [*site.getsitepackages(), site.getusersitepackages()]
        found = [
            path for folder in folders for path in pathlib.Path(folder).glob("nvidia/cuda_nvrtc/lib/libnvrtc.so.12")
        ]
        self.library = ctypes.CDLL(str(found[0]) if found else "libnvrtc.so.12")

    def check(self, code: int) -> None:
        if code:
            self.library.nvrtcGetErrorString.restype = ctypes.c_char_p
            raise RuntimeError(self.library.nvrtcGetErrorString(code).decode())

    def text(self, program: ctypes.c_void_p, what: str) -> str:
        size = ctypes.c_size_t()
        self.check(getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        text = ctypes.create_string_buffer(size.value)
        self.check(getattr(self.library, f"nvrtcGet{what}")(program, text))
        return text.value.decode()

    def compile(self, source: pathlib.Path) -> str:
        program = ctypes.c_void_p()
        name = source.name.encode()
        self.check(self.library.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), name, 0, None, None))
        options = [f"-arch={ARCHITECTURE}", "-std=c++17", "-fmad=false", f"-I{KERNELS}"]
        array = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        code = self.library.nvrtcCompileProgram(program, len(options), array)
        log = self.text(program, "ProgramLog").strip()
        if log:
            print(log, file=sys.stderr)
        self.check(code)
        return self.text(program, "PTX")


def main() -> int:
    compiler = Compiler()
    COMPILED.mkdir(exist_ok=True)
    for stale in COMPILED.glob("*.ptx"):
        if not (KERNELS / f"{stale.stem}.cu").exists():
            stale.unlink()
    modules = []
    for source in sorted(KERNELS.glob("*.cu")):
        modules.append(source.stem)
        target = COMPILED / f"{source.stem}.ptx"
        first = f"// sources: {digest(source)}\n"
        if target.exists() and target.read_text().startswith(first):
            continue
        print(source.name, flush=True)
        target.write_text(first + compiler.compile(source))
    lines = [f'    ("{name}", include_str!("{name}.ptx")),\n' for name in modules]
    (COMPILED / "modules.in").write_text("&[\n" + "".join(lines) + "]\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
