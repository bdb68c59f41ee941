"""The language server: what `transpile check` says, in an editor, while the text is being written.

    positions       offsets of a text to lines and columns as the client counts them, and back
    analysis        the fast stage: names and types of one text, with no proof
    worker, prover  the slow stage, in a process of its own; the server's end of it
    published       findings as LSP diagnostics, fixes as code actions
    hover           what is known of the place under the cursor
    server          documents, versions and requests: the only module that knows pygls

Nothing of a document is executed. Non-goals: what other language servers for Python do (completion, renaming, formatting).
"""
