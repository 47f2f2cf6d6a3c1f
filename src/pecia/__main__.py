"""`python -m pecia`."""

from pecia.cli.main import main

if __name__ == "__main__":
    main()
