"""The engine's counts for Prometheus.

    from prometheus_client import REGISTRY, start_http_server
    REGISTRY.register(EngineMetrics(engine, target)); start_http_server(9464)

`grafana.json` beside this file is a dashboard over them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from h3cold.h3bridge.decisions import BOUNDS
from h3cold.h3bridge.engine import H3Engine
from h3cold.h3bridge.protocol import PromotionTarget
from h3cold.schemas.tier import Tier


class EngineMetrics:
    """A collector: values are read from the engine when they are scraped, nothing is counted twice."""

    def __init__(self, engine: H3Engine, target: PromotionTarget | None = None) -> None:
        self.engine, self.target = engine, target

    def collect(self) -> Iterator[Metric]:
        """The metric families, as prometheus_client asks for them."""
        with self.engine.guard:
            yield from self._tiers()
            yield from self._counts()
        if self.target is not None:
            gauge = GaugeMetricFamily("h3_queue", "Promotions by state, leases", labels=["what"])
            for name, value in self.target.stats().items():
                if not name.endswith("_bytes"):
                    gauge.add_metric([name], value)
            yield gauge

    def _tiers(self) -> Iterator[Metric]:
        used = GaugeMetricFamily("h3_tier_bytes", "Bytes held, frames with headers and padding", labels=["tier"])
        budget = GaugeMetricFamily("h3_tier_budget_bytes", "Bytes that may be held", labels=["tier"])
        peak = GaugeMetricFamily("h3_tier_peak_bytes", "Most bytes held since the engine began", labels=["tier"])
        blocks = GaugeMetricFamily("h3_tier_blocks", "Payloads held", labels=["tier", "medium"])
        for r in self.engine.residency():
            used.add_metric([r.tier.value], r.used)
            budget.add_metric([r.tier.value], r.budget)
            peak.add_metric([r.tier.value], r.peak)
            blocks.add_metric([r.tier.value, r.medium], len(r.blocks))
        yield from (used, budget, peak, blocks)

    def _counts(self) -> Iterator[Metric]:
        tally = self.engine.tally
        asked = CounterMetricFamily("h3_asked_blocks", "Blocks asked for, by where they were found", labels=["tier"])
        for tier in Tier:
            asked.add_metric([tier.value], tally.asked[tier])
        actions = CounterMetricFamily("h3_decisions", "Scheduler decisions", labels=["action", "tier"])
        for (action, reached), count in sorted(tally.actions.items()):
            actions.add_metric([action, reached.value], count)
        quarantined = CounterMetricFamily("h3_quarantined_pages", "Damaged pages of KV found in files")
        quarantined.add_metric([], sum(pages.quarantined for pages in self.engine.cold.values()))
        seconds = HistogramMetricFamily("h3_promotion_seconds", "Time of a promotion")
        sums = accumulate(tally.seconds.counts)
        names = [*(str(bound) for bound in BOUNDS), "+Inf"]
        seconds.add_metric([], buckets=list(zip(names, sums, strict=True)), sum_value=tally.seconds.total)
        yield from (asked, actions, quarantined, seconds)
