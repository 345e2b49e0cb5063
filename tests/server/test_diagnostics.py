from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from lsprotocol import types as lsp

from .editor import BROKEN, HEALTHY, MODEL, PROBE, Editor


async def test_a_cut_gradient_is_shown_on_the_layer_and_on_the_cause(editor: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = editor.open(folder / "model.py")
    report = await editor.run(uri)
    assert [p["verdict"] for p in report["parameters"]] == ["missing", "missing", "healthy", "healthy"]

    found = await editor.diagnostics_of(uri)
    assert found.keys() == {"missing-gradient", "detach"}
    layer, cause = found["missing-gradient"], found["detach"]
    assert editor.text_at(uri, layer.range) == "nn.Linear(4, 8)"
    assert editor.text_at(uri, cause.range).endswith(".detach()")
    assert {d.severity for d in (layer, cause)} == {lsp.DiagnosticSeverity.Warning}
    assert {d.source for d in (layer, cause)} == {"gradflow"}
    assert layer.message == "first: no gradient reaches weight, bias. Cut by .detach() at line 12."
    assert cause.message.endswith("Starves first.* (2 parameters).")
    assert 11 in {r.location.range.start.line for r in layer.related_information}
    assert 7 in {r.location.range.start.line for r in cause.related_information}


async def test_nothing_is_shown_for_a_healthy_model(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(HEALTHY)
    uri = neovim.open(folder / "model.py")
    report = await neovim.run(uri)
    assert {p["verdict"] for p in report["parameters"]} == {"healthy"}
    assert await neovim.diagnostics_of(uri) == {}


async def test_diagnostics_go_when_the_next_run_is_healthy(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    neovim.type(uri, ".detach()", "")
    await neovim.run(uri)
    assert await neovim.diagnostics_of(uri) == {}


async def test_after_an_edit_diagnostics_move_and_are_stale(editor: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = editor.open(folder / "model.py")
    await editor.run(uri)
    editor.type(uri, "import torch\n", "# 😀\nimport torch\n")
    layer = (await editor.diagnostics_of(uri))["missing-gradient"]
    assert editor.text_at(uri, layer.range) == "nn.Linear(4, 8)"
    assert "stale" in layer.message and "line 13" in layer.message


async def test_a_diagnostic_goes_when_its_own_expression_is_edited(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    neovim.type(uri, "relu().detach()", "relu()")
    assert (await neovim.diagnostics_of(uri)).keys() == {"missing-gradient"}


async def test_columns_are_counted_in_the_units_of_the_editor(editor: Editor, folder: Path):
    text = BROKEN.replace("        self.first =", '        name = "😀é"; self.first =')
    (folder / "model.py").write_text(text, encoding="utf-8")
    uri = editor.open(folder / "model.py")
    await editor.run(uri)
    layer = (await editor.diagnostics_of(uri))["missing-gradient"]
    assert editor.text_at(uri, layer.range) == "nn.Linear(4, 8)"


async def test_form_feeds_end_no_line(neovim: Editor, folder: Path):
    (folder / "model.py").write_text("# a page\x0cand another one\n" + BROKEN)
    uri = neovim.open(folder / "model.py")
    neovim.type(uri, "another one", "one more")
    assert (await neovim.run(uri))["status"] == "ok"
    layer = (await neovim.diagnostics_of(uri))["missing-gradient"]
    assert neovim.text_at(uri, layer.range) == "nn.Linear(4, 8)"


async def test_a_finding_in_another_file_is_shown_there(neovim: Editor, folder: Path):
    (folder / "layers.py").write_text(MODEL)
    (folder / "check.py").write_text("import torch\nfrom layers import Net\n" + PROBE)
    probe, model = neovim.open(folder / "check.py"), neovim.open(folder / "layers.py")
    await neovim.run(probe)
    assert (await neovim.diagnostics_of(model)).keys() == {"missing-gradient", "detach"}
    assert await neovim.diagnostics_of(probe) == {}


async def test_an_error_is_shown_on_the_probe_and_on_its_line(neovim: Editor, folder: Path):
    (folder / "model.py").write_text("def gradflow_probe():\n    data = {}\n    return data['loss']\n")
    uri = neovim.open(folder / "model.py")
    report = await neovim.run(uri)
    assert (report["status"], report["error"]["kind"]) == ("failed", "probe-raised")
    error = (await neovim.diagnostics_of(uri))["probe-raised"]
    assert error.severity == lsp.DiagnosticSeverity.Error
    assert "KeyError" in error.message


async def test_pushed_diagnostics_bear_the_version_and_the_uri_of_the_editor(fresh, folder: Path):
    path = folder / "my model.py"
    path.write_text(BROKEN)
    uri = path.as_uri().replace("model.py", "%6Dodel.py")
    emacs = await fresh("lsp-mode", folder)
    emacs.open(path, version=0, uri=uri)
    await emacs.run(uri)
    assert uri in emacs.published and path.as_uri() not in emacs.published
    assert emacs.published[uri].version == 0
    emacs.type(uri, "import torch\n", "import torch\n\n")
    await emacs.until(lambda: emacs.published[uri].version == 1)


async def test_a_client_that_pulls_is_never_pushed_to(vscode: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = vscode.open(folder / "model.py")
    refreshed = vscode.diagnostic_refresh_count
    await vscode.run(uri)
    await vscode.until(lambda: vscode.diagnostic_refresh_count > refreshed)
    answer = await vscode.workspace_diagnostic_async(lsp.WorkspaceDiagnosticParams(previous_result_ids=[]))
    (file,) = [item for item in answer.items if item.uri == uri]
    assert {d.code for d in file.items} == {"missing-gradient", "detach"}
    for found in file.items:  # and the code leads to what it means
        page = urlsplit(found.code_description.href)
        assert page.scheme == "file"
        assert Path(url2pathname(page.path)).read_text(encoding="utf-8").startswith(f"# {found.code}: ")
    known = [lsp.PreviousResultId(uri=uri, value=file.result_id)]
    again = await vscode.workspace_diagnostic_async(lsp.WorkspaceDiagnosticParams(previous_result_ids=known))
    assert [item.kind for item in again.items if item.uri == uri] == ["unchanged"]
    assert vscode.published == {}


async def test_a_comment_hides_a_finding_without_a_run_and_gives_it_back(editor: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = editor.open(folder / "model.py")
    await editor.run(uri)
    editor.type(uri, ".detach()", ".detach()  # gradflow: intended")
    assert await editor.diagnostics_of(uri) == {}
    report = await editor.command("report", uri=uri)
    assert {p["severity"] for p in report["report"]["parameters"]} == {None}
    editor.type(uri, "  # gradflow: intended", "")
    assert (await editor.diagnostics_of(uri)).keys() == {"missing-gradient", "detach"}


async def test_an_ignored_code_goes_from_its_line_alone(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN.replace(".detach()", ".detach()  # gradflow: ignore[detach]"))
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    assert (await neovim.diagnostics_of(uri)).keys() == {"missing-gradient"}


async def test_a_comment_that_does_nothing_is_reported(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(HEALTHY.replace(".relu()", ".relu()  # gradflow: intended"))
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    unused = (await neovim.diagnostics_of(uri))["unused-suppression"]
    assert [*unused.tags] == [lsp.DiagnosticTag.Unnecessary]
    assert neovim.text_at(uri, unused.range) == "# gradflow: intended"
    assert unused.severity == lsp.DiagnosticSeverity.Information


async def test_a_comment_in_one_file_hides_what_stands_in_another(editor: Editor, folder: Path):
    (folder / "cut.py").write_text("def cut(x):\n    return x.detach()\n")
    text = BROKEN.replace(".relu().detach()", ".relu()").replace("self.last(h)", "self.last(cut(h))")
    (folder / "model.py").write_text(f"from cut import cut\n{text}")
    model, cut = editor.open(folder / "model.py"), editor.open(folder / "cut.py")
    await editor.run(model)
    assert (await editor.diagnostics_of(model)).keys() == {"missing-gradient"}
    editor.type(cut, ".detach()", ".detach()  # gradflow: intended")
    assert await editor.diagnostics_of(cut) == {}
    assert await editor.diagnostics_of(model) == {}


async def test_only_what_an_editor_declares_is_sent(neovim: Editor, ale: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    for editor in (neovim, ale):
        uri = editor.open(folder / "model.py")
        await editor.run(uri)
        layer = (await editor.diagnostics_of(uri))["missing-gradient"]
        declared = editor.capabilities.text_document.publish_diagnostics
        assert (layer.data is not None) == bool(declared.data_support)
        assert (layer.code_description is not None) == bool(declared.code_description_support)
        assert layer.tags is None  # a layer that does not learn is not faded
        if layer.data is not None:
            assert layer.data["parameters"] == ["first.weight", "first.bias"]


async def test_neither_a_report_nor_a_diagnostic_holds_a_bare_nan(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(HEALTHY.replace(".sum()", ".sum() * float('nan')"))
    uri = neovim.open(folder / "model.py")
    report = await neovim.run(uri)
    assert report["losses"] == {"loss": "nan"}
    found = await neovim.diagnostics_of(uri)
    assert {"nonfinite-loss", "nonfinite-gradient"} <= found.keys()
    assert "nan" in await neovim.hover(uri, "nn.Linear(4, 8)")
