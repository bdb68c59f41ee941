"""Diagnostics as data: `model` (the records), `codes` (the table), `render` (text), `machine` (JSON, SARIF)."""

from transpiler.diagnostics.model import Diagnostic, Edit, Fix, Label, Severity, Thread, Witness

__all__ = ["Diagnostic", "Edit", "Fix", "Label", "Severity", "Thread", "Witness"]
