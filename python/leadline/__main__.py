"""python3 -m leadline: for use without the launcher."""
import sys

from leadline.cli import main

sys.exit(main())
