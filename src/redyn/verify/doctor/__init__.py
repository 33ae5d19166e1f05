"""Faults of robot files: what no body can have, what was probably not meant, and what other programs make of it."""

from __future__ import annotations

from redyn.verify.doctor.diagnose import Diagnosis, doctor
from redyn.verify.doctor.finding import Finding, Severity

__all__ = ["Diagnosis", "Finding", "Severity", "doctor"]
