"""The JSON document: the public contract in one place."""

import json

from gradflow_lsp import __version__
from gradflow_lsp.output.json_report import json_report

from . import examples


def document(*reports, folder=examples.FOLDER):
    def refuse(name):
        raise AssertionError(f"bare {name}")

    return json.loads(json_report(reports, folder), parse_constant=refuse)


def test_one_document_holds_the_schema_the_version_and_the_probes_in_order():
    answer = document(examples.HEALTHY, examples.TIMEOUT)
    assert (answer["schema"], answer["gradflow"]) == (1, __version__)
    assert [probe["status"] for probe in answer["probes"]] == ["ok", "timeout"]


def test_every_path_below_the_folder_is_relative():
    text = json_report([examples.CUT, examples.EVERYTHING, examples.RAISED], examples.FOLDER)
    assert str(examples.FOLDER) not in text
    [probe] = document(examples.CUT)["probes"]
    assert probe["path"] == "soil/model.py"
    assert list(probe["sources"]) == ["soil/model.py"]
    assert probe["causes"][0]["related"][0]["location"]["path"] == "soil/model.py"


def test_a_path_elsewhere_stays_absolute():
    [probe] = document(examples.CUT, folder=examples.FOLDER / "other")["probes"]
    assert probe["path"] == probe["causes"][0]["location"]["path"] == examples.MODEL


def test_columns_stay_zero_based():
    [probe] = document(examples.CUT)["probes"]
    assert probe["causes"][0]["location"] == {
        "path": "soil/model.py",
        "line": 14,
        "column": 12,
        "end_line": 14,
        "end_column": 50,
    }


def test_nan_and_infinity_are_strings():
    [probe] = document(examples.EVERYTHING)["probes"]
    assert probe["losses"]["penalty"] == "inf"
    assert probe["parameters"][2]["grad_norm"] == "nan"


def test_printing_leaves_the_report_as_it_was():
    before = examples.CUT.to_json()
    json_report([examples.CUT], examples.FOLDER)
    assert examples.CUT.to_json() == before
