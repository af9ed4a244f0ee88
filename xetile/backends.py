"""The backends: an installed package holds them in a folder of this name; in a checkout that folder lies beside the package."""

from pathlib import Path

__path__ = [str(Path(__file__).parents[1] / "backends")]
