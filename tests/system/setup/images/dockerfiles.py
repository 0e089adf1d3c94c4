"""The Dockerfiles of the project."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
DOCKERFILES = sorted((ROOT / "images").glob("*/Dockerfile"))
