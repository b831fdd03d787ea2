"""From hits to the warmer tiers."""
