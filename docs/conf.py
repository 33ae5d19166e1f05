"""The site: ./docs/build makes it."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_extensions"))

from examples import ORDER, style  # noqa: E402

import redyn  # noqa: E402

project = "redyn"
author = "The redyn developers"
copyright = "the redyn developers, BSD-3-Clause"
version = release = redyn.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
    "myst_nb",
    "mathml",
    "math_font",
    "docstrings",
    "contents",
    "commands_page",
    "robot_methods",
    "living",
    "examples",
    "offline",
]
exclude_patterns = ["_build", "_extensions", "_generated/extra", "gallery", "**.ipynb_checkpoints"]
exclude_patterns += ["_generated/gallery/**.ipynb", "_generated/gallery/**.py", "_generated/gallery/**.json"]

# Pages in Markdown, as hosts of repositories show them.
myst_enable_extensions = ["dollarmath", "amsmath", "html_image", "deflist"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
nb_execution_mode = "cache"  # notebooks hold no results: they run when they have changed
nb_execution_cache_path = str(HERE / "_build" / "notebooks")
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True

# The reference.
default_role = "py:obj"  # `load` in a docstring
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings say what is meant; annotations spell out unions
autodoc_inherit_docstrings = False
autodoc_mock_imports = ["torch"]
autosummary_generate = False
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "_generated/gallery",
    "backreferences_dir": "_generated/backreferences",
    "doc_module": ("redyn",),
    "reference_url": {"redyn": None},
    "filename_pattern": r"\.py$",
    "subsection_order": ORDER,
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", style),
    "reset_modules_order": "before",
    "capture_repr": (),
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "nested_sections": True,
    "thumbnail_size": (560, 360),
    "write_computation_times": False,  # its tables load scripts from a network
    "image_srcset": [],
}

html_theme = "furo"
html_title = f"redyn {release}"
html_static_path = ["_static", "_generated/static"]
html_extra_path = ["_generated/extra"]
for made in ("extra", "static"):
    (HERE / "_generated" / made).mkdir(parents=True, exist_ok=True)
html_css_files = ["math-font.css", "site.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f99", "color-brand-content": "#1f5f99"},
    "dark_css_variables": {"color-brand-primary": "#7db8ef", "color-brand-content": "#7db8ef"},
}

# Warnings are errors. Exceptions, with reasons:
suppress_warnings = [
    "config.cache",  # sphinx-gallery is given functions, which cannot be pickled: nothing is lost but a little time
    "mystnb.unknown_mime_type",  # notebooks hold results in formats for other readers as well
]
