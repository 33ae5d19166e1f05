"""LLVM itself: what this processor is, text to object code, object code to an address that can be called."""

from __future__ import annotations

import functools
from typing import Any, cast

import llvmlite.binding  # pyright: ignore[reportMissingTypeStubs]

from redyn.kernels.lock import building

llvm = cast(Any, llvmlite.binding)

LONG_TEXT = 3_000_000  # characters: some 20,000 operations

_engines: list[Any] = []  # code lives as long as the process


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
    """Object code of a module. The code is vectorised already, so LLVM's own vectorisers stay off.

    LLVM's time grows faster than the text: very long modules (derivatives of a humanoid) get less of its effort.
    """
    long = len(text) > LONG_TEXT
    with building:
        _initialize()
        module = llvm.parse_assembly(text)
        module.verify()
        target = _target(width, 1 if long else 3)
        if not long:
            tuning = llvm.create_pipeline_tuning_options(speed_level=3)
            tuning.slp_vectorization = tuning.loop_vectorization = False
            passes = llvm.create_pass_builder(target, tuning)
            passes.getModulePassManager().run(module, passes)
        return bytes(target.emit_object(module))


def load_object(code: bytes, name: str, width: int) -> int:
    """The address of a function in object code, now part of this process."""
    with building:
        _initialize()
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(width))
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        address = int(engine.get_function_address(name))
        _engines.append(engine)
        return address
