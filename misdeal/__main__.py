"""``python -m misdeal``: the command line where the script is not on the path."""

from misdeal.cli import main

if __name__ == "__main__":
    main()
