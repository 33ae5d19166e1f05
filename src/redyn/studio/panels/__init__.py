"""The panels of the page, one per file."""
