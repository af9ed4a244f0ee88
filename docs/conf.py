"""Sphinx's settings: `python -m sphinx -W -b html docs build/docs` builds the documentation."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # the extensions below, and the benchmarks' kernels that pages show

import xetile  # noqa: E402

project = "xetile"
author = "the xetile authors"
copyright = "the xetile authors"
release = version = xetile.__version__

extensions = ["myst_parser", "docs.extensions.generate", "docs.extensions.links"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
add_module_names = False
highlight_language = "text"

html_theme = "furo"
html_title = f"xetile {version}"
html_static_path = ["_static"]
html_css_files = ["xetile.css"]
html_copy_source = False
html_show_sphinx = False
