"""The rows of the table of Python traps (docs/traps.md), each by its number."""
