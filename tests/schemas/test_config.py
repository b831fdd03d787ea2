"""The configuration file: defaults, ranges, and errors that name the nearest key."""

import pytest

from h3cold.schemas.config import Config, load_config, parse_config
from h3cold.schemas.errors import ConfigError


def test_an_empty_file_means_all_defaults(tmp_path):
    path = tmp_path / "h3_config.yaml"
    path.write_text("", encoding="utf-8")
    assert load_config(path) == Config()


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
        ({"ingest": {"ocr": "maybe"}}, "ingest.ocr: Input should be 'auto', 'off' or 'force'"),
        ({"ingest": 3}, "ingest: "),
        ([1], "expected sections with keys, found list"),
    ],
)
def test_what_is_wrong_is_named(data, said):
    with pytest.raises(ConfigError) as error:
        parse_config(data, where="h3_config.yaml")
    assert said in str(error.value)
    assert str(error.value).startswith("h3_config.yaml: ")
    assert "\n" not in str(error.value)


def test_a_missing_file_and_broken_yaml(tmp_path):
    with pytest.raises(ConfigError, match="cannot read the configuration"):
        load_config(tmp_path / "none.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [1,", encoding="utf-8")
    with pytest.raises(ConfigError, match="not valid YAML"):
        load_config(broken)
