"""Makes tests/data/text with python-crfsuite: make-text.py FOLDER. The labels come from
CRFsuite's own tagger with the model that it has trained."""
import os
import random
import sys

import pycrfsuite

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "unit"))
import text_reference as ref  # noqa: E402
from text_modules import train  # noqa: E402

WHO = ["Ada Mole", "Ben Rust", "Carla Finch", "Dr. Ode", "Eve Yard"]
WHAT = ["reads", "writes", "has lost", "sorts", "sells", "said it has"]
HOW_MANY = ["3", "17", "1,250", "no", "some", "4.5 mln", "two"]
OF = ["files", "barrels of oil", "old disks", "letters", "tapes in U.S. crates"]
WHERE = ["in Riverton", "at Port Lane Corp.", "near Oakfield", "on Monday", "again",
         "\"for now\"", "-- at last"]


def story(rng, n):
    return "".join("%s %s %s %s %s%s" % (
        rng.choice(WHO), rng.choice(WHAT), rng.choice(HOW_MANY), rng.choice(OF),
        rng.choice(WHERE), rng.choice([". ", ".\n", "!\n    ", "? "]))
        for _ in range(n)).encode()


def main():
    rng = random.Random(1)
    taught, asked = story(rng, 60), story(rng, 60)
    folder = sys.argv[1]
    tagger = train(pycrfsuite, [taught], os.path.join(folder, "model"))
    os.unlink(os.path.join(folder, "model"))
    lines = ref.entities(asked, lambda of: [(tag, None) for tag in tagger.tag(of)])
    for name, data in (("story", asked),
                       ("crf", ref.Model.of_crfsuite(tagger.info()).text()),
                       ("story.crf", b"".join(line + b"\n" for line in lines))):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
