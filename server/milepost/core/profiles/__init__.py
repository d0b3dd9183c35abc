"""What profilers print: how each one's sections and entries are told, and which entries cost the most."""
