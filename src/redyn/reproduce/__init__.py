"""The seeds' tables, figures and exercises, rebuilt."""
