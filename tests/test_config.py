"""The settings: three ways to write them, one to read them, and one sentence for each mistake."""

import dataclasses

import pytest

from gradflow_lsp.config import SCHEMA, Settings, camel, flag, load

EXAMPLES = {
    "interpreter": ["ssh", "box", "python3"],
    "launcher": ["srun", "-n1"],
    "path_mappings": {"/there": "/here"},
    "run": "onSave",
    "timeout": 5,
    "memory_limit": "8GiB",
    "threads": 4,
    "parallel_runs": 3,
    "idle_minutes": 0.5,
    "seed": 7,
    "device": "mps",
    "replay": False,
    "inlay_hints": "norm",
    "severity": {"zero-gradient": "error", "detach": "off"},
    "exclude": ["old/*"],
}
WRONG = {
    "interpreter": 3,
    "launcher": "srun",
    "path_mappings": ["/there"],
    "run": "always",
    "timeout": 0,
    "memory_limit": "lots",
    "threads": 0,
    "parallel_runs": True,
    "idle_minutes": "ten",
    "seed": -1,
    "device": "",
    "replay": "yes",
    "inlay_hints": "on",
    "severity": "error",
    "exclude": "old/*",
}


@pytest.fixture
def project(tmp_path):
    def write(text):
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def test_every_setting_has_a_rule_and_nothing_else_does():
    assert list(SCHEMA) == [field.name for field in dataclasses.fields(Settings)]


def test_nothing_written_means_the_defaults(tmp_path):
    loaded = load(tmp_path)
    assert loaded.settings == Settings()
    assert set(loaded.origins.values()) == {"default"}
    assert loaded.problems == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_editor_and_the_flags_read_the_same_value(name, tmp_path):
    by_editor = load(tmp_path, editor={camel(name): EXAMPLES[name]})
    by_flag = load(tmp_path, flags={name: EXAMPLES[name]})
    assert by_editor.settings == by_flag.settings != Settings()
    assert by_editor.problems == by_flag.problems == []
    assert by_editor.origins[name] == "the editor's settings"
    assert by_flag.origins[name] == f"the flag {flag(name)}"


def test_the_file_is_read_in_snake_case_from_the_nearest_folder_upwards(project):
    root = project(
        """
[tool.gradflow]
timeout = 5
memory_limit = "1.5 GiB"
severity = {zero-gradient = "error"}
"""
    )
    (root / "src" / "deep").mkdir(parents=True)
    loaded = load(root / "src" / "deep")
    assert (loaded.settings.timeout, loaded.settings.memory_limit) == (5, 3 * 2**29)
    assert loaded.settings.severity == {"zero-gradient": "error"}
    assert loaded.origins["timeout"] == f"{root / 'pyproject.toml'}:3"
    assert loaded.file == root / "pyproject.toml"


def test_a_part_of_a_project_without_settings_of_its_own_shares_those_above(project):
    root = project("[tool.gradflow]\nseed = 3\n")
    (root / "part").mkdir()
    (root / "part" / "pyproject.toml").write_text("[project]\nname = 'part'\n")
    assert load(root / "part").settings.seed == 3


def test_a_flag_beats_the_editor_which_beats_the_file(project):
    root = project("[tool.gradflow]\nseed = 1\nthreads = 1\ntimeout = 1\n")
    settings = load(root, editor={"threads": 2, "timeout": 2}, flags={"timeout": 3}).settings
    assert (settings.seed, settings.threads, settings.timeout) == (1, 2, 3)


def test_severities_of_several_places_add_up(project):
    root = project('[tool.gradflow.severity]\nzero-gradient = "error"\ndetach = "hint"\n')
    assert load(root, editor={"severity": {"detach": "off"}}).settings.severity == {
        "zero-gradient": "error",
        "detach": "off",
    }


@pytest.mark.parametrize("shape", [{"timeout": 9}, {"gradflow": {"timeout": 9}}, {"gradflow.timeout": 9}])
def test_the_editor_may_send_its_settings_in_any_of_three_shapes(shape):
    assert load(None, editor=shape).settings.timeout == 9


def test_what_an_editor_leaves_unset_or_keeps_for_itself_is_no_mistake():
    loaded = load(None, editor={"timeout": None, "trace": {"server": "off"}, "server": {"command": ["x"]}})
    assert loaded.settings == Settings()
    assert loaded.problems == []


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_one_sentence_with_the_place_and_what_is_allowed(name):
    loaded = load(None, editor={camel(name): WRONG[name]})
    [problem] = loaded.problems
    assert problem.startswith("the editor's settings: ")
    assert camel(name) in problem
    assert SCHEMA[name].allowed in problem
    assert loaded.settings == Settings()
    assert loaded.origins[name] == "default"


def test_a_wrong_value_in_the_file_is_found_by_its_line(project):
    root = project('[project]\nname = "x"\n\n[tool.gradflow]\nseed = 4\ntimeout = "soon"\n')
    loaded = load(root)
    assert loaded.problems == [
        f"{root / 'pyproject.toml'}:6: timeout must be a number of seconds above 0, not 'soon'; 60.0 stays in force."
    ]
    assert loaded.settings == Settings(seed=4)


def test_an_unknown_setting_names_the_nearest_and_all_of_them(project):
    root = project("[tool.gradflow]\nparallelRuns = 3\n")
    [problem] = load(root).problems
    assert f"{root / 'pyproject.toml'}:2: " in problem
    assert 'did you mean "parallel_runs"' in problem
    assert all(name in problem for name in SCHEMA)


def test_one_wrong_severity_leaves_the_others_in_force():
    loaded = load(None, editor={"severity": {"zero-gradient": "loud", "detached": "off", "zero-init": "hint"}})
    assert loaded.settings.severity == {"zero-init": "hint"}
    assert len(loaded.problems) == 2
    assert "zero-gradient must be error, warning, information, hint or off, not 'loud'" in loaded.problems[0]
    assert 'there is no code "detached" (did you mean "detach"?)' in loaded.problems[1]


@pytest.mark.parametrize("text", ["[tool.gradflow\n", "[tool]\ngradflow = 3\n", "tool = 3\n"])
def test_a_broken_file_is_one_sentence_and_the_defaults_hold(project, text):
    loaded = load(project(text), flags={"seed": 2})
    assert loaded.settings == Settings(seed=2)
    assert len(loaded.problems) == 1
    assert "pyproject.toml" in loaded.problems[0]


def test_a_relative_interpreter_is_found_from_the_place_that_names_it(project, tmp_path, monkeypatch):
    root = project('[tool.gradflow]\ninterpreter = "envs/torch/bin/python"\n')
    (root / "src").mkdir()
    monkeypatch.chdir(root / "src")
    assert load(root / "src").settings.interpreter == str(root / "envs/torch/bin/python")
    assert load(root, flags={"interpreter": "./python"}).settings.interpreter == str(root / "src" / "python")
    assert load(root, flags={"interpreter": "python3.12"}).settings.interpreter == "python3.12"
