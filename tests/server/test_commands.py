import asyncio
import json
import re
from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcException

from .editor import BROKEN, ENDLESS, HEALTHY, MODEL, Editor, path_of


async def test_run_answers_at_once_and_the_report_follows(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    assert await neovim.command("report", uri=uri) is None
    started = await neovim.command("run", uri=uri)
    assert started.keys() == {"run"}
    assert (await neovim.command("report", uri=uri))["run"] == started["run"]
    report = await neovim.report(uri, started["run"])
    assert report["path"] == str(folder / "model.py")
    assert report["sources"].keys() == {str(folder / "model.py")}


async def test_a_run_sees_the_text_that_the_editor_has_also_in_other_files(neovim: Editor, folder: Path):
    (folder / "shapes.py").write_text("WIDTH = 1\n")
    (folder / "model.py").write_text("raise ValueError('what is on disk')\n")
    shapes = neovim.open(folder / "shapes.py")
    uri = neovim.open(folder / "model.py", "from shapes import WIDTH\n" + HEALTHY.replace("8", "WIDTH"))
    neovim.type(shapes, "1", "16")
    report = await neovim.run(uri)
    assert report["status"] == "ok", report["error"]
    assert report["parameters"][0]["shape"] == [16, 4]


async def test_a_new_run_takes_the_place_of_the_one_that_goes_on(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(ENDLESS)
    uri = neovim.open(folder / "model.py")
    first = await neovim.command("run", uri=uri)
    neovim.type(uri, neovim.texts[uri], HEALTHY)
    report = await neovim.report(uri, (await neovim.command("run", uri=uri))["run"])
    assert report["status"] == "ok"
    assert (await neovim.command("report", uri=uri))["run"] == first["run"] + 1


async def test_a_run_can_be_cancelled(editor: Editor, folder: Path):
    (folder / "model.py").write_text(ENDLESS)
    uri = editor.open(folder / "model.py")
    started = await editor.command("run", uri=uri)
    await editor.until_started(uri)
    assert await editor.command("cancel", uri=uri) == {"cancelled": [started["run"]]}
    report = await editor.report(uri, started["run"])
    assert report["status"] == "cancelled"
    assert (await editor.command("report", uri=uri))["state"] == "cancelled"
    assert await editor.command("cancel", uri=uri) == {"cancelled": []}
    assert [lens.command.title for lens in await editor.lenses(uri)] == ["Run gradient probe", "cancelled"]
    assert await editor.diagnostics_of(uri) == {}


async def test_a_run_can_be_cancelled_before_it_has_begun(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(ENDLESS)
    uri = neovim.open(folder / "model.py")
    started, _ = await asyncio.gather(neovim.command("run", uri=uri), neovim.command("cancel", uri=uri))
    assert (await neovim.report(uri, started["run"]))["status"] == "cancelled"


async def test_one_of_several_probes_is_chosen_by_its_function(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN + HEALTHY.replace("gradflow_probe", "gradflow_probe_whole"))
    uri = neovim.open(folder / "model.py")
    with pytest.raises(JsonRpcException, match=r"There are 2 gradient probes .*gradflow_probe_whole") as error:
        await neovim.command("run", uri=uri)
    assert error.value.code == -32803
    report = await neovim.run(uri, function="gradflow_probe_whole")
    assert report["function"] == "gradflow_probe_whole"


async def test_running_all_probes_of_a_file(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(HEALTHY + HEALTHY.replace("gradflow_probe", "gradflow_probe_two"))
    uri = neovim.open(folder / "model.py")
    numbers = (await neovim.command("runAll", uri=uri))["runs"]
    assert len(numbers) == 2
    for number, function in zip(numbers, ("gradflow_probe", "gradflow_probe_two"), strict=True):
        assert (await neovim.report(uri, number, function=function))["status"] == "ok"


async def test_what_cannot_be_run_is_refused_with_a_sentence(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(MODEL)
    uri = neovim.open(folder / "model.py")
    with pytest.raises(JsonRpcException, match="There is no gradient probe here"):
        await neovim.command("run", uri=uri)
    with pytest.raises(JsonRpcException, match="Save it first"):
        await neovim.command("run", uri="untitled:Untitled-1")
    with pytest.raises(JsonRpcException, match="mode 'fast' is not available"):
        (folder / "model.py").write_text(BROKEN)
        await neovim.command("run", uri=neovim.open(folder / "model.py"), mode="fast")


async def test_clear_takes_the_findings_off_the_lines(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = neovim.open(folder / "model.py")
    await neovim.run(uri)
    assert await neovim.diagnostics_of(uri)
    await neovim.command("clear", uri=uri)
    assert await neovim.diagnostics_of(uri) == {}
    assert await neovim.hints(uri) == {}


async def test_the_whole_report_can_be_shown(editor: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN)
    uri = editor.open(folder / "model.py")
    await editor.run(uri)
    shown = len(editor.shown_documents)
    page = (await editor.command("showReport", uri=uri))["markdown"]
    assert "`first.bias`" in page and "`last.bias`" in page
    if editor.capabilities.window and editor.capabilities.window.show_document:
        await editor.until(lambda: len(editor.shown_documents) > shown)
        file = path_of(editor.shown_documents[-1].uri)
        assert file.read_text(encoding="utf-8") == page + "\n"
        text, target = re.search(r"at \[(.*?)\]\((.*?)#L12\)", page).groups()
        assert text.endswith("model.py:12")
        assert (file.parent / target).resolve() == (folder / "model.py").resolve()


async def test_a_probe_is_inserted_where_servers_may_edit(vscode: Editor, folder: Path):
    (folder / "model.py").write_text(MODEL)
    uri = vscode.open(folder / "model.py")
    assert await vscode.command("insertProbe", uri=uri) == {"class": "Net"}
    await vscode.until(lambda: "def gradflow_probe(" in vscode.texts[uri])


async def test_which_of_several_classes_is_asked_for_in_a_sentence(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(MODEL + MODEL.replace("Net", "Other"))
    before = len(neovim.messages)
    assert await neovim.command("insertProbe", uri=neovim.open(folder / "model.py")) is None
    (message,) = neovim.messages[before:]
    assert message.message == (
        "Several classes have no probe: Net, Other. Put the cursor on one of them and try again."
    )


async def test_the_one_class_without_a_probe_is_meant(vscode: Editor, folder: Path):
    (folder / "model.py").write_text(BROKEN + MODEL.replace("Net", "Other"))
    assert await vscode.command("insertProbe", uri=vscode.open(folder / "model.py")) == {"class": "Other"}


async def test_a_class_that_is_not_there_is_refused(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(MODEL)
    uri = neovim.open(folder / "model.py")
    with pytest.raises(JsonRpcException, match="This file has no model class Nett; it has Net"):
        await neovim.command("insertProbe", **{"uri": uri, "class": "Nett"})


async def test_the_class_is_found_by_a_line_of_it(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(MODEL + MODEL.replace("Net", "Other"))
    uri = neovim.open(folder / "model.py")
    assert await neovim.command("insertProbe", uri=uri, line=neovim.position(uri, "class Other").line + 2) == {
        "class": "Other"
    }


async def test_an_editor_that_lets_no_server_edit_is_told_another_way(ale: Editor, folder: Path):
    (folder / "model.py").write_text(MODEL)
    with pytest.raises(JsonRpcException, match="Use the code action"):
        await ale.command("insertProbe", uri=ale.open(folder / "model.py"))


async def test_a_restarted_worker_runs_again(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(HEALTHY)
    uri = neovim.open(folder / "model.py")
    await neovim.command("restartWorker")
    assert (await neovim.run(uri))["status"] == "ok"


async def test_not_a_number_travels_as_a_text(neovim: Editor, folder: Path):
    (folder / "model.py").write_text(HEALTHY.replace("return self.last(h)", "return self.last(h) * float('nan')"))
    uri = neovim.open(folder / "model.py")
    report = await neovim.run(uri)
    json.dumps(report, allow_nan=False)
    assert report["losses"] == {"loss": "nan"}
    assert "nonfinite" in (await neovim.hover(uri, "nn.Linear(8, 2)"))


async def test_of_many_probes_that_fail_one_message_tells(neovim: Editor, folder: Path):
    raises = "\n\ndef gradflow_probe_{}():\n    raise ValueError('no data')\n"
    (folder / "model.py").write_text(HEALTHY + raises.format("a") + raises.format("b"))
    uri = neovim.open(folder / "model.py")
    before = len(neovim.messages)
    numbers = (await neovim.command("runAll", uri=uri))["runs"]
    for function, number in zip(["gradflow_probe", "gradflow_probe_a", "gradflow_probe_b"], numbers, strict=True):
        await neovim.report(uri, number, function=function)
    (told,) = neovim.messages[before:]
    assert told.message == (
        "2 of 3 gradient probes could not run. The first, gradflow_probe_a in model.py: "
        "The probe raised ValueError: no data (line 22)."
    )
