#!/usr/bin/env python3
# limit: 600; tier: ci
"""Some of the fault campaign (tests/fault): those that together meet most pairs of what
goes wrong, the program, and its way to files."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                                "fault"))
import campaign  # noqa: E402
import cases  # noqa: E402

COUNT = 25

if __name__ == "__main__":
    sys.exit(campaign.run(cases.subset(COUNT)))
