"""The program: it joins readers, camera, engine, journal and people at one table."""
