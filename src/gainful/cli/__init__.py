"""The front door: words on a command line become calls. One file per command."""
