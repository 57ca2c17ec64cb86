"""One file for each thing a user can ask: read → match → measure → evidence → result."""
