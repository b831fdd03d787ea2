"""`h3_config.yaml`: every setting, its meaning and its default."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from h3cold.schemas.errors import ConfigError


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)  # "5" or true is no number


class Scheduler(_Section):
    """AHAS, the adaptive heat-aware scheduler of the tiers."""

    ahas_alpha: float = Field(default=0.999, gt=0, lt=1, description="decay of access heat per request")
    hbm_threshold: float = Field(default=0.95, ge=0, le=1, description="normalised score that admits a block to HBM")
    hbf_threshold: float = Field(default=0.30, ge=0, le=1, description="normalised score that admits a block to HBF")
    cold_threshold: float = Field(
        default=0.05, ge=0, le=1, description="normalised score below which a block goes cold"
    )


class Hbf(_Section):
    """The middle tier."""

    prefetch_window: int = Field(
        default=4,
        ge=0,
        description="blocks fetched ahead on sequential access, at least; 0 = none",
    )
    prefetch_requests: float = Field(
        default=2.5, ge=0, le=10, description="blocks fetched ahead, in mean requests, where that is more"
    )
    compression_pca_dim: int = Field(default=128, ge=8, le=384, description="dimensions of compressed vectors")
    ann_index_type: Literal["auto", "Flat", "IVF", "IVF_PQ"] = Field(
        default="auto", description="FAISS index of the blocks"
    )


class ColdStorage(_Section):
    """What the cold tier keeps."""

    ocr_enabled: bool = Field(default=True, description="read pages without usable text by OCR")
    knowledge_graph_enabled: bool = Field(default=True, description="extract entities and relations")
    alias_file: str = Field(
        default="",
        description="text file of names that are one, or never one; relative to this file; its word wins; empty = none",
    )


class Ingest(_Section):
    """From PDF to blocks."""

    workers: int = Field(default=0, ge=0, description="worker processes; 0 = one a core")
    ocr: Literal["auto", "off", "force"] = Field(
        default="auto", description="OCR where needed, never, or on every page"
    )
    layout: Literal["fast", "auto", "model"] = Field(
        default="auto", description="layout models: never, hard pages, always"
    )
    layout_model: str = Field(
        default="pymupdf",
        description="pymupdf, rapidlayout, or a LayoutParser model as module:Class, module:Class@CONFIG or lp://NAME",
    )
    page_seconds: float = Field(default=120.0, gt=0, description="time limit of one page")
    memory_mb: int = Field(default=4096, ge=256, description="memory limit of one worker process")
    block_tokens: int = Field(default=256, ge=32, le=480, description="target size of a block in embedding tokens")
    embedder: str = Field(default="e5-small", description="e5-small, or a sentence-transformers model by name or path")
    clip: str = Field(default="", description="open_clip model as ARCHITECTURE:WEIGHTS_PATH; empty = no image vectors")
    images: bool = Field(default=True, description="keep a PNG of every table, figure and formula in the store")
    passwords: tuple[str, ...] = Field(default=(), strict=False, description="passwords tried on encrypted files")
    keep_days: float = Field(default=7.0, ge=0, description="age after which replaced snapshots are cleaned up")
    keep_snapshots: int = Field(
        default=0, ge=0, description="snapshots kept at most, whatever their age, with the current one; 0 = no limit"
    )

    @field_validator("ocr", mode="before")
    @classmethod
    def _off(cls, value: Any) -> Any:
        return "off" if value is False else value  # what YAML makes of off without quotes


class Recall(_Section):
    """From query to hits."""

    top: int = Field(default=5, ge=1, le=1000, description="hits returned when the caller does not say")
    candidates: int = Field(default=100, ge=10, description="blocks taken from each index before fusion")
    mode: Literal["full", "summaries", "descent"] = Field(
        default="full",
        description="what search by meaning keeps in memory: full vectors, a summary of each block or of each part",
    )
    weights: str = Field(default="", description="weights of the ranking, as h3-benchmark recall --tune writes them")
    cross_encoder: str = Field(
        default="", description="sentence-transformers cross-encoder by folder or name to read the best; empty = none"
    )


class Config(_Section):
    """All sections; each may be left out."""

    scheduler: Scheduler = Scheduler()
    hbf: Hbf = Hbf()
    cold_storage: ColdStorage = ColdStorage()
    ingest: Ingest = Ingest()
    recall: Recall = Recall()


def load_config(path: str | Path) -> Config:
    """Read a YAML configuration.

    Raises:
        ConfigError: the file is missing or not YAML, or a key or value in it is not known; names the nearest key.
    """
    import yaml

    try:
        text = Path(path).read_text(encoding="utf-8")
        data = yaml.safe_load(text)
        _check_once(yaml.compose(text, yaml.SafeLoader), where=str(path))
    except OSError as e:
        raise ConfigError(f"{path}: cannot read the configuration: {e.strerror}") from e
    except (yaml.YAMLError, ValueError, RecursionError) as e:  # a date such as 2023-13-45 is a ValueError
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(e).split())}") from e
    config = parse_config(data, where=str(path))
    if not config.cold_storage.alias_file:
        return config
    try:
        own = Path(config.cold_storage.alias_file).expanduser()
    except RuntimeError as e:  # the home of a user that there is not
        raise ConfigError(f"{path}: cold_storage.alias_file {config.cold_storage.alias_file!r}: {e}") from e
    beside = str(Path(path).absolute().parent / own)
    return config.model_copy(update={"cold_storage": config.cold_storage.model_copy(update={"alias_file": beside})})


def _check_once(node: Any, *, where: str, above: str = "") -> None:
    """Refuse a key that stands twice in a section, of which YAML would take the last without a word."""
    met: dict[str, int] = {}
    for key, value in node.value if node is not None and node.id == "mapping" else ():
        name, line = f"{above}{key.value}", key.start_mark.line + 1
        if name in met:
            raise ConfigError(f"{where}: {name} is given twice, in lines {met[name]} and {line}; keep one of them")
        met[name] = line
        _check_once(value, where=where, above=f"{name}.")


def parse_config(data: Any, *, where: str = "configuration") -> Config:
    """Validate plain data (`None` = all defaults, also of a section).

    Raises:
        ConfigError: as for `load_config`.
    """
    if data is not None and not isinstance(data, dict):
        raise ConfigError(f"{where}: expected sections with keys, found {type(data).__name__}")
    sections = Config.model_fields
    given = {key: part for key, part in (data or {}).items() if part is not None or key not in sections}
    try:
        return Config.model_validate(given)
    except ValidationError as e:
        raise ConfigError(f"{where}: " + "; ".join(_explain(err) for err in e.errors())) from None


def _explain(err: Any) -> str:
    *parents, key = [str(p) for p in err["loc"]] or ["?"]
    if err["type"] != "extra_forbidden":
        return f"{'.'.join([*parents, key])}: {err['msg']} (found {err['input']!r})"
    model: type[BaseModel] = Config
    for name in parents:
        model = type(getattr(model(), name))
    known = list(model.model_fields)
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
    return f"unknown key {'.'.join([*parents, key])!r}; {hint}"
