from dataclasses import replace

from gradflow_lsp.annotate import activity

from .reports import failed_report

TIMEOUT = replace(failed_report(), status="timeout", function="gradflow_probe_large")


def test_a_run_that_came_to_nothing_is_told_by_its_probe_and_why():
    assert activity.failed([failed_report()], 1) == (
        "gradflow_probe in model.py could not run: The probe raised ValueError: no data"
    )
    assert activity.failed([TIMEOUT], 1).startswith("gradflow_probe_large in model.py ran out of time: ")


def test_of_several_runs_that_came_to_nothing_the_first_is_told():
    assert activity.failed([failed_report(), TIMEOUT], 5) == (
        "2 of 5 gradient probes could not run. "
        "The first, gradflow_probe in model.py: The probe raised ValueError: no data"
    )


def test_a_run_is_called_by_its_function_and_among_others_by_its_file_too():
    assert activity.run_of("/a/model.py", "gradflow_probe") == "Gradient probe"
    assert activity.run_of("/a/model.py", "gradflow_probe_small") == "Gradient probe gradflow_probe_small"
    assert activity.run_of("/a/model.py", "gradflow_probe", among=2) == "Gradient probe in model.py"
