"""Pages to open from disk: one file each, nothing loaded from anywhere."""
