"""Types, configuration and errors shared by every package of h3cold. No heavy imports."""
