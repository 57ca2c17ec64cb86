"""Room `compare`: values go in, evidence comes out. Here is `why`; tests and gates will follow."""
