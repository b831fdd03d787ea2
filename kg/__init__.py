"""From text to mentions, entities and relations; graph queries."""
