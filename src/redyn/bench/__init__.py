"""The measurements behind `redyn bench`: redyn against the peers that are installed, in one run."""
