"""A child process that the permissions of files bind, also where the tests run as root."""

import sys

# Root passes over permissions by two capabilities, DAC_OVERRIDE and DAC_READ_SEARCH. A program that is started after they are
# dropped from the bounding set (prctl 24) has neither, and is still the owner of the files that the test made.
_WITHOUT = """
import ctypes, os, sys
if os.geteuid() == 0:
    for capability in (1, 2):
        if ctypes.CDLL(None, use_errno=True).prctl(24, capability, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "root cannot give up its right to read all files")
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def bounded(*arguments: str) -> list[str]:
    """The command that runs Python with these arguments."""
    return [sys.executable, "-c", _WITHOUT, *arguments]
