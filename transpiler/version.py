"""The version, in one place: `pyproject.toml`, the command line, manifests and cache keys read it here."""

VERSION = "0.1.0"
