"""A simulated user study; `gainful.datasets` is the door to it."""
