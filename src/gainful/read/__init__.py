"""Room `read`: what the user has goes in, checked values come out."""
