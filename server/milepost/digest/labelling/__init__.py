"""Digests with a model: what it is sent, how its replies are read, and what of them the file bears out."""

from __future__ import annotations

from milepost.digest.labelling.digester import ModelDigester
from milepost.digest.labelling.estimate import Estimate, estimate_run
from milepost.digest.labelling.prompts import PROMPT_VERSION

__all__ = ["PROMPT_VERSION", "Estimate", "ModelDigester", "estimate_run"]
