"""Metrics say what the engine holds and did, and the dashboard asks for metrics that there are."""

import json
import re
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

import h3cold.h3bridge.metrics as metrics
from h3cold.h3bridge.engine import GB, H3Engine
from h3cold.h3bridge.engine_target import EngineTarget
from h3cold.h3bridge.frames import ALIGN, Kind
from h3cold.h3bridge.protocol import Payload


@pytest.fixture
def scraped(tmp_path):
    engine = H3Engine(hbm_size_gb=2 * ALIGN / GB, hbf_size_gb=4 * ALIGN / GB, cold_storage_path=tmp_path)
    registry = CollectorRegistry()
    with EngineTarget(engine) as target:
        registry.register(metrics.EngineMetrics(engine, target))
        for key in ("a", "b", "a"):
            target.wait(target.promote(Payload(key, Kind.TEXT, engine.namespace, key.encode)))
        return generate_latest(registry).decode()


def test_what_was_done_is_counted(scraped):
    assert f'h3_tier_bytes{{tier="hbm"}} {2 * ALIGN}.0' in scraped
    assert f'h3_tier_peak_bytes{{tier="hbm"}} {2 * ALIGN}.0' in scraped
    assert 'h3_asked_blocks_total{tier="cold"} 2.0' in scraped
    assert "h3_promotion_seconds_count 3.0" in scraped
    assert 'h3_queue{what="done"} 3.0' in scraped
    assert re.search(r'h3_decisions_total\{action="promote",tier="hb[mf]"\} ', scraped)


def test_the_dashboard_asks_for_metrics_that_there_are(scraped):
    dashboard = json.loads((Path(metrics.__file__).parent / "grafana.json").read_text())
    asked = {n for p in dashboard["panels"] for t in p["targets"] for n in re.findall(r"h3_[a-z0-9_]+", t["expr"])}
    assert len(asked) >= 7
    assert all(name in scraped for name in asked)
