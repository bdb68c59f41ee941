"""The Jinja templates and device headers, as package data."""
