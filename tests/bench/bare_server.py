"""The least that a language server on pygls can be: it keeps the open documents and answers everything with a constant.

What `server_cost.py` holds the product against. Run: python bare_server.py
"""

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "1")
START = lsp.Position(0, 0)
NOTHING = lsp.Command(title="nothing", command="nothing", arguments=[])


@server.feature(lsp.TEXT_DOCUMENT_HOVER)
def hover(params: lsp.HoverParams) -> lsp.Hover:
    return lsp.Hover(contents=lsp.MarkupContent(kind=lsp.MarkupKind.Markdown, value="constant"))


@server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
def code_lens(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    return [lsp.CodeLens(range=lsp.Range(START, START), command=NOTHING)]


@server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
def inlay_hint(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
    return [lsp.InlayHint(position=START, label="constant")]


@server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    return [lsp.CodeAction(title="nothing", command=NOTHING)]


if __name__ == "__main__":
    server.start_io()
