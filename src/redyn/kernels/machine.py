"""LLVM itself: what this processor is, text to object code, object code to an address that can be called."""

from __future__ import annotations

import functools
import sys
import weakref
from typing import Any, cast

import llvmlite.binding  # pyright: ignore[reportMissingTypeStubs]

from redyn.kernels.lock import building

llvm = cast(Any, llvmlite.binding)

# Characters from which LLVM gets less effort: some 20,000 operations, and some 150,000.
LONG_TEXT, VERY_LONG_TEXT = 3_000_000, 17_000_000


@functools.cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@functools.cache
def processor() -> tuple[str, str, str]:
    """Triple, name and features of the processor that this process runs on."""
    _initialize()
    return (
        str(llvm.get_process_triple()),
        str(llvm.get_host_cpu_name()),
        str(llvm.get_host_cpu_features().flatten()),
    )


@functools.cache
def lane_width() -> int:
    """How many doubles this processor's vectors hold."""
    features = set(processor()[2].split(","))
    if "+avx512f" in features and "+avx512dq" in features:
        return 8
    if "+avx" in features:
        return 4
    return 2 if "+sse2" in features or "+neon" in features else 1


def _target(width: int, effort: int = 3) -> Any:
    triple, name, features = processor()
    if width == 8:
        features = features.replace("+prefer-256-bit", "-prefer-256-bit")
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=name, features=features, opt=effort, reloc="pic", codemodel="small"
    )


def compile_module(text: str, width: int) -> bytes:
    """Object code of a module.

    The code is straight and vectorised already. All that LLVM's passes can better is to keep the variables of loops in
    registers (sroa); its standard pipeline gains nothing on top, and every run of it loses half a megabyte of memory
    for good. LLVM's time grows faster than the text: very long modules (derivatives of a humanoid) get less effort.
    """
    effort = 0 if len(text) > VERY_LONG_TEXT else 1 if len(text) > LONG_TEXT else 3
    with building:
        _initialize()
        context = llvm.create_context()  # its own, or LLVM keeps every constant that it ever saw
        module = llvm.parse_assembly(text, context=context)
        try:
            module.verify()
            target = _target(width, effort)
            if effort == 3:
                passes = llvm.create_new_module_pass_manager()
                if hasattr(passes, "add_sroa_pass"):  # not in the oldest llvmlite
                    passes.add_sroa_pass()
                passes.run(module, llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options()))
            return bytes(target.emit_object(module))
        finally:
            module.close()  # before the context


class Code:
    """Object code as part of this process, until the last reference to it is gone.

    Whoever keeps the address must keep this object too: with it the memory goes where the address leads.
    """

    def __init__(self, code: bytes, width: int, name: str = "kernel") -> None:
        with building:
            _initialize()
            # JITLink puts the sections of an object side by side. MCJIT does not: more than 2 GB apart, as they may be
            # where memory is fragmented (by JAX, by Arrow), relative addresses overflow and LLVM ends the process.
            engine = llvm.create_lljit_compiler(_target(width), use_jit_link=sys.platform != "win32")
            library = llvm.JITLibraryBuilder().add_object_img(code).add_current_process().export_symbol(name)
            tracker = library.link(engine, "redyn")
            self.address = int(tracker[name])
            # Left to the garbage collector, an engine and its parts would be freed in any order, some of them twice.
            weakref.finalize(self, _close, tracker, engine).atexit = False


def _close(*parts: Any) -> None:
    for part in parts:
        part.close()
