"""The packages: `xetile` lies in xetile/, and `xetile.backends` in backends/, beside it, because nothing in xetile imports it."""

from setuptools import find_packages, setup

BACKENDS = "xetile.backends"

setup(
    packages=[
        *find_packages(include=["xetile", "xetile.*"]),
        BACKENDS,
        *(f"{BACKENDS}.{name}" for name in find_packages("backends")),
    ],
    package_dir={"xetile": "xetile", BACKENDS: "backends"},
)
