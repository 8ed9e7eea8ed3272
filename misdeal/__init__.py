"""The program: it joins readers, camera, engine, journal and people at one table."""

__version__ = "0.1.0"
