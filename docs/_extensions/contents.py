"""The table of contents, and links that work in the repository as well as on the site.

Pages are plain Markdown: `index.md` and those of folders such as `course/index.md` link to others as on any host of
repositories. Here hidden toctrees are added to them, and links that leave `docs/` go to pages made of what they name.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
PROJECT = {"CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog", "SECURITY.md": "security"}

# A name that ends in / is a folder: its index, or all of its pages. Pages that do not exist are left out.
CONTENTS = {
    "Start": ["tutorials/", "_generated/gallery/index", "_generated/living", "studio", "migrating"],
    "Guide": [
        *("conventions", "format", "methods", "simulation", "kinematics", "control", "loops", "wheels", "ground"),
        *("walking", "flexible", "equations", "identification", "parameters", "scale", "optimal_control", "jax_torch"),
        *("gym", "export", "doctor", "pages", "robots"),
    ],
    "Theory": ["theory/", "glossary", "errata"],
    "Course": ["course/", "exercises"],
    "Reference": ["reference/index", "_generated/commands", "benchmarks", "verified", "checklist", "architecture"],
    "Project": [f"_generated/project/{name}" for name in PROJECT.values()],
}
FIRST = {"tutorials": ["homework", "ur5", "identify", "mechanism", "walking", "ten_thousand"]}
LINK = re.compile(r"(?<=\]\()([^)#\s:]+)((?:#[^)\s]*)?)(?=\))")


def pages(folder: str) -> list[str]:
    """Of a folder, in the order in which its index links to them, then by name; of a folder in it, the index."""
    found: list[str] = []
    for path in sorted((DOCS / folder).glob("*")):
        name = path.relative_to(DOCS).as_posix()
        if path.is_dir():
            found += [f"{name}/index"] if (path / "index.md").exists() else pages(name)
        elif path.suffix in (".md", ".ipynb") and path.stem != "index":
            found.append(name.removesuffix(path.suffix))
    index = DOCS / folder / "index.md"
    linked = [m[1] for m in LINK.finditer(index.read_text("utf-8"))] if index.exists() else FIRST.get(folder, [])
    order = {f"{folder}/{re.sub(r'[.](md|ipynb)$', '', name)}": k for k, name in reversed([*enumerate(linked)])}
    return sorted(found, key=lambda name: order.get(name, len(linked)))


def _exists(name: str) -> bool:
    return name.startswith("_generated/") or any((DOCS / f"{name}{end}").exists() for end in (".md", ".rst", ".ipynb"))


def toctree(names: list[str], caption: str = "") -> str:
    options = ":hidden:\n" + (f":caption: {caption}\n" if caption else "")
    return f"\n```{{toctree}}\n{options}\n" + "".join(f"/{name}\n" for name in names) + "```\n"


def contents() -> str:
    made = ""
    for caption, names in CONTENTS.items():
        listed: list[str] = []
        for name in names:
            if name.endswith("/"):
                index = f"{name}index"
                listed += [index] if _exists(index) else pages(name.rstrip("/"))
            elif _exists(name):
                listed.append(name)
        made += toctree(listed, caption) if listed else ""
    return made


def _source(path: Path) -> str:
    """The page of a file or folder of the sources; written when something links to it."""
    name = path.relative_to(ROOT).as_posix()
    page = DOCS / "_generated" / "source" / (name.replace("/", "-") + ".md")
    text = f"---\norphan: true\n---\n# {name}\n\n"
    if path.is_dir():
        inside = sorted(p for p in path.iterdir() if p.suffix in (".py", ".yaml", ".js") and p.name != "__init__.py")
        text += "".join(f"- [{p.name}]({Path(_source(p)).name})\n" for p in inside)
    else:
        language = {".py": "python", ".yaml": "yaml", ".js": "javascript", ".toml": "toml"}.get(path.suffix, "text")
        up = os.path.relpath(path, page.parent).replace(os.sep, "/")
        text += f"```{{literalinclude}} {up}\n:language: {language}\n:linenos:\n```\n"
    page.parent.mkdir(parents=True, exist_ok=True)
    if not page.exists() or page.read_text("utf-8") != text:
        page.write_text(text, "utf-8")
    return page.as_posix()


def resolved(text: str, origin: Path, place: Path) -> str:
    """The text of a page that is at `origin`, with its links as they must be for a page at `place`."""

    def replaced(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2]
        path = (origin.parent / target).resolve()
        if path.is_relative_to(ROOT) and not path.is_relative_to(DOCS):
            name = path.relative_to(ROOT).as_posix()
            if name == "README.md":
                path, anchor = DOCS / "index.md", ""
            elif name in PROJECT:
                path = DOCS / "_generated" / "project" / f"{PROJECT[name]}.md"
            elif path.exists():
                path, anchor = Path(_source(path)), ""
        elif origin.parent == place.parent or not path.exists():
            return found[0]
        return os.path.relpath(path, place.parent).replace(os.sep, "/") + anchor

    return LINK.sub(replaced, text)


def _generate(app: Sphinx) -> None:
    """Pages of the files beside README, and of what the pages link to, before Sphinx looks for pages."""
    folder = DOCS / "_generated" / "project"
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PROJECT.items():
        target = folder / f"{page}.md"
        text = resolved((ROOT / name).read_text("utf-8"), ROOT / name, target)
        if not target.exists() or target.read_text("utf-8") != text:
            target.write_text(text, "utf-8")
    for path in DOCS.rglob("*.md"):
        if not path.relative_to(DOCS).parts[0].startswith("_"):
            resolved(path.read_text("utf-8"), path, path)


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    path = Path(app.env.doc2path(name))
    if path.suffix not in (".md", ".ipynb") or name.startswith("_generated/"):
        return
    text = resolved(source[0], path, path)
    folder, _, stem = name.rpartition("/")
    if name == "index":
        text += contents()
    elif stem == "index" and path.suffix == ".md" and "{toctree}" not in text:
        text += toctree(pages(folder))
    source[0] = text


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", _generate, priority=90)
    app.connect("source-read", _read)
    app.connect(
        "env-get-outdated", lambda app, env, added, changed, removed: ["index"]
    )  # its contents may have changed
    return {"parallel_read_safe": True, "parallel_write_safe": True}
