"""How fast this machine reads stored keys and values, and how fast it computes them: measured as it goes."""

from __future__ import annotations

from dataclasses import dataclass, field

from h3cold.h3bridge.prompts import Cost

FADE = 0.7
"""Weight of what was measured before against the last measurement."""


@dataclass(slots=True)
class Rate:
    """An amount a second, over the last few measurements."""

    amount: float = 0.0
    seconds: float = 0.0

    def add(self, amount: float, seconds: float) -> None:
        """Take a measurement in."""
        self.amount = FADE * self.amount + amount
        self.seconds = FADE * self.seconds + seconds

    @property
    def value(self) -> float:
        """Amount a second, 0 before anything was measured."""
        return self.amount / self.seconds if self.seconds else 0.0


@dataclass(slots=True)
class Speeds:
    """Bytes a second read from HBF and from files, tokens a second computed."""

    hbf: Rate = field(default_factory=Rate)
    cold: Rate = field(default_factory=Rate)
    prefill: Rate = field(default_factory=Rate)

    def worth_loading(self, tokens: int, bytes_per_token: int, *, warm: bool) -> bool:
        """Whether reading `tokens` beats computing them; yes while one of both was not measured yet."""
        source = self.hbf if warm else self.cold
        if not source.value or not self.prefill.value:
            return True
        return Cost(source.value, 0.0, bytes_per_token, self.prefill.value).worth_loading(tokens)
