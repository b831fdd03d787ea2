"""From query to hits."""
