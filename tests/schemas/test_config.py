"""The configuration file: defaults, ranges, and errors that name the nearest key."""

import pytest

from h3cold.schemas.config import Config, load_config, parse_config
from h3cold.schemas.errors import ConfigError


def test_an_empty_file_means_all_defaults(tmp_path):
    path = tmp_path / "h3_config.yaml"
    path.write_text("", encoding="utf-8")
    assert load_config(path) == Config()


def test_a_section_with_nothing_in_it_means_its_defaults(tmp_path):
    path = tmp_path / "h3_config.yaml"
    path.write_text("recall:\nhbf: {prefetch_window: 3}\n", encoding="utf-8")
    assert load_config(path) == parse_config({"hbf": {"prefetch_window": 3}})


def test_a_home_that_there_is_not_is_told(tmp_path):
    path = tmp_path / "h3_config.yaml"
    path.write_text("cold_storage: {alias_file: ~h3-nobody-is-called-so/x}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"alias_file '~h3-nobody"):
        load_config(path)


def test_values_are_read(tmp_path):
    path = tmp_path / "h3_config.yaml"
    path.write_text("scheduler: {ahas_alpha: 0.9}\ncold_storage: {ocr_enabled: false}\n", encoding="utf-8")
    config = load_config(path)
    assert config.scheduler.ahas_alpha == 0.9
    assert config.cold_storage.ocr_enabled is False
    assert config.hbf == Config().hbf


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"scheduler": {"ahas_alfa": 1}}, "'scheduler.ahas_alfa'; did you mean 'ahas_alpha'?"),
        ({"hfb": {}}, "'hfb'; did you mean 'hbf'?"),
        ({"ingest": {"zzz": 1}}, "known keys: workers, "),
        ({"scheduler": {"ahas_alpha": 2}}, "scheduler.ahas_alpha: Input should be less than 1 (found 2)"),
        ({"recall": {"top": True}}, "recall.top: Input should be a valid integer (found True)"),
        ({"recall": {"top": "5"}}, "recall.top: Input should be a valid integer (found '5')"),
        ({"recall": {"top": 3.0}}, "recall.top: Input should be a valid integer (found 3.0)"),
        ({"cold_storage": {"ocr_enabled": "yes"}}, "cold_storage.ocr_enabled: Input should be a valid boolean"),
        ({"ingest": {"ocr": "maybe"}}, "ingest.ocr: Input should be 'auto', 'off' or 'force'"),
        ({"ingest": 3}, "ingest: "),
        ({"hfb": None}, "'hfb'; did you mean 'hbf'?"),
        ([1], "expected sections with keys, found list"),
    ],
)
def test_what_is_wrong_is_named(data, said):
    with pytest.raises(ConfigError) as error:
        parse_config(data, where="h3_config.yaml")
    assert said in str(error.value)
    assert str(error.value).startswith("h3_config.yaml: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("recall: {top: 3}\nhbf:\nrecall: {top: 4}\n", "recall is given twice, in lines 1 and 3"),
        ("recall:\n  top: 3\n  mode: full\n  top: 3\n", "recall.top is given twice, in lines 2 and 4"),
    ],
)
def test_a_key_that_stands_twice_is_told(tmp_path, text, said):
    path = tmp_path / "h3_config.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_config(path)
    assert said in str(error.value) and str(error.value).startswith(f"{path}: ")


def test_off_needs_no_quotes_and_a_whole_number_is_one_of_seconds(tmp_path):
    path = tmp_path / "h3_config.yaml"
    path.write_text("ingest: {ocr: off, page_seconds: 60, passwords: [a, b]}\n", encoding="utf-8")
    ingest = load_config(path).ingest
    assert (ingest.ocr, ingest.page_seconds, ingest.passwords) == ("off", 60, ("a", "b"))


def test_a_missing_file_and_broken_yaml(tmp_path):
    with pytest.raises(ConfigError, match="cannot read the configuration"):
        load_config(tmp_path / "none.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [1,", encoding="utf-8")
    with pytest.raises(ConfigError, match="not valid YAML"):
        load_config(broken)
