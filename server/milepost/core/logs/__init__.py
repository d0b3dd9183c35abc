"""Understanding of single log lines: their timestamps, severities and layouts, and what joins and splits records."""
