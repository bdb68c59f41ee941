"""The Lark grammar of the kernel language, as package data."""
