"""Session measures, a file for each family."""
