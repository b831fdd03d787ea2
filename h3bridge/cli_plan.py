"""`h3-monitor plan`: what a model needs, what fits where, and how fast it can go."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from h3cold.schemas.errors import H3Error

EXAMPLES = """examples:
  h3-monitor plan --model llama-3.1-405b --context 1M --tiers memtier.conf
  h3-monitor plan --model ./my_model/config.json --context 128K --tiers memtier.conf --weights bf16 --json"""

NO_ROOM = "none: weights and KV cache do not fit"


def main(argv: list[str]) -> int:
    """Print the plan; exit 0, 2 for wrong usage, 3 when something does not fit."""
    parser = argparse.ArgumentParser(
        prog="h3-monitor plan",
        description="Bytes of weights and KV cache, what fits in which tier, predicted speed; no measurement.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--model", required=True, metavar="NAME", help="a preset, or a config.json of transformers")
    parser.add_argument("--context", required=True, metavar="TOKENS", help="4096, 128K, 1M (powers of 1000)")
    parser.add_argument("--tiers", required=True, metavar="FILE", help="memtier.conf")
    parser.add_argument("--weights", default="fp8", help="width of weights: fp32, bf16, fp8, int4 (default: fp8)")
    parser.add_argument("--kv", default="bf16", help="width of keys and values (default: bf16)")
    parser.add_argument("--history", default="0B", metavar="BYTES", help="past conversations kept, as 2TB")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
    args = parser.parse_args(argv)
    from h3cold.h3bridge.memtier import load_memtier
    from h3cold.h3bridge.model_sizes import read_model
    from h3cold.h3bridge.plan import parse_tokens, plan

    try:
        made = plan(read_model(args.model), parse_tokens(args.context), load_memtier(args.tiers), weights=args.weights,
                    kv=args.kv, history=args.history)  # fmt: skip
    except H3Error as e:
        print(f"h3-monitor plan: {e}", file=sys.stderr)
        return 2
    print(json.dumps(made, indent=2) if args.json else _text(made))
    return 3 if made["does_not_fit"] else 0


def _text(made: dict[str, Any]) -> str:
    model, sizes, predicted = made["model"], made["bytes"], made["predicted"]
    used, both = model["active_parameters"], predicted["tokens_per_second_both_memories_at_once"]
    loaded = predicted["first_token_seconds_loaded"]
    fits, one_memory = predicted["tokens_per_second"] is not None, "none: there are no two tiers that hold all of it"
    active = f" ({used / 1e9:,.1f} used by a token)" if used < model["parameters"] else ""
    lines = [
        f"{model['name']}: {model['parameters'] / 1e9:,.1f} billion parameters{active}, "
        f"{model['context']:,} tokens of context",
        f"  weights    {sizes['weights'] / 1e9:12,.1f} GB  ({model['weights']})",
        f"  KV cache   {sizes['kv'] / 1e9:12,.1f} GB  ({model['kv']}, {sizes['kv_per_token']:,} bytes a token)",
        *([f"  history    {sizes['history'] / 1e9:12,.1f} GB"] if "history" in sizes else []),
        "placement",
        *(
            f"  {p['kind']:10} {p['bytes'] / 1e9:12,.1f} GB  in {p['tier']} ({p['share']:.0%})"
            for p in made["placement"]
        ),
        *(f"  {kind:10} {size / 1e9:12,.1f} GB  fit nowhere" for kind, size in made["does_not_fit"].items()),
        f"assumed: {made['assumed']['operations_per_second'] / 1e12:,.0f} TFLOP/s; bandwidth "
        + ", ".join(f"{name} {speed / 1e9:,.1f} GB/s" for name, speed in made["assumed"]["bytes_per_second"].items()),
        "predicted, from bandwidths",
        f"  tokens/s, one tier read after the other    {_number(predicted['tokens_per_second'], NO_ROOM)}",
        f"  tokens/s, two fastest read at once         {_number(both, one_memory if fits else NO_ROOM)}",
        f"  first token, all computed                  {_number(predicted['first_token_seconds_computed'])} s",
        f"  first token, KV cache read                 {_number(loaded, NO_ROOM, 's')}",
    ]
    if made["cost"] is not None:
        lines.append(
            f"cost of the bytes placed: {_number(made['cost'])}, in the currency of the tiers' prices (per GB)"
        )
    return "\n".join(lines)


def _number(value: float | None, none: str = "", unit: str = "") -> str:
    """Three digits, or more before the point, or why there is none."""
    if value is None:
        return none
    return (f"{value:,.3g}" if value < 1000 else f"{value:,.0f}") + (f" {unit}" if unit else "")
