"""The worked example of a robot on wheels."""
