"""Under which name, and from which folders, a file's own project would import it."""

import pytest

from gradflow_lsp.probe.placing import first_found, hidden_by, locate, project_folder
from gradflow_lsp.probe.protocol import RunRequest
from gradflow_lsp.probe.sources import Sources


@pytest.fixture
def request_for(tmp_path):
    """A request for a file of the project in `tmp_path`, which has these other files."""

    def make(file, *others):
        for path in (tmp_path / name for name in (file, *others)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        return RunRequest(str(tmp_path / file), "gradflow_probe", roots=(str(tmp_path),))

    return make


def placed(request):
    return locate(request.path, request.roots, Sources(request))


@pytest.mark.parametrize(("roots", "folder"), [(("", "a"), "a"), (("b",), "a/inner"), ((), "a/inner")])
def test_the_project_folder_is_the_innermost_workspace_folder(tmp_path, roots, folder):
    roots = [str(tmp_path / root) for root in roots]
    assert project_folder(str(tmp_path / "a/inner/model.py"), roots) == str(tmp_path / folder)


def test_a_file_in_a_package_has_its_dotted_name_and_is_found_from_above(request_for, tmp_path):
    place = placed(request_for("net/blocks/mlp.py", "net/__init__.py", "net/blocks/__init__.py"))
    assert (place.name, place.first[0], place.importable) == ("net.blocks.mlp", tmp_path, True)


def test_a_file_whose_name_is_taken_is_no_module_that_could_be_imported(request_for):
    place = placed(request_for("json.py"))
    assert (place.name, place.importable) == ("json_", False)


@pytest.mark.parametrize("own", ["numpy.py", "numpy/__init__.py"])
def test_a_users_own_module_hides_an_installed_package(request_for, own):
    request = request_for("model.py", own)
    assert hidden_by(request, ["torch", "numpy"]) == "numpy"
    assert hidden_by(request, ["torch"]) is None


def test_a_module_that_only_the_editor_has_hides_a_package_too(request_for, tmp_path):
    request = request_for("model.py")
    unsaved = RunRequest(request.path, "gradflow_probe", roots=request.roots, overlays={str(tmp_path / "numpy.py"): ""})
    assert hidden_by(unsaved, ["numpy"]) == "numpy"


def test_a_package_is_found_in_the_folders_asked_about(request_for, tmp_path):
    request_for("model.py", "vendored/einops/__init__.py")
    assert first_found([str(tmp_path / "vendored")], ["numpy", "einops"]) == "einops"
    assert first_found([str(tmp_path)], ["einops"]) is None
