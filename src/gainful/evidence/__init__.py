"""Room `compare`: values go in, evidence comes out: tests, gates, orders, reasons, bounds."""
