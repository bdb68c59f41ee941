"""Builds ahead of time, for whoever asks: commands, build systems.

In: paths of kernel files. Out: what each holds and what was found (`work`), images for many architectures in parallel and
nothing twice (`build`), files written whole or not at all (`files`, `outputs`). What cannot be done raises `Refused`.
Non-goals: options of a command line, printing (`cli`), build systems (`integrations`).
"""
