#!/usr/bin/env python3
# limit: 600; tier: ci
"""Some of the fault campaign (tests/fault): those that together cover most pairs of a
fault, the program, and its way of access."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                                "fault"))
import campaign  # noqa: E402
import cases  # noqa: E402

COUNT = 25

if __name__ == "__main__":
    sys.exit(campaign.run(cases.subset(COUNT)))
