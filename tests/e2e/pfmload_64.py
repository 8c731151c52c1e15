#!/usr/bin/env python3
# limit: 600, alone; tier: ci
"""pfmload on 64 ranks: more than there are files, bands and cores."""
from e2e import add, main
from in_rig import unless_quick
from loads import PARALLEL, SCHEMES, Loads


class Pfmload64(Loads):
    LIMIT = 200

    def of_64(self, scheme):
        """Loads with little memory on each rank, and a buffer for each slave."""
        handle = self.loaded(*SCHEMES[scheme].args, "--canonical", "--memory=8M",
                             "--queue-limit=64", *self.survey(), np=64)
        self.assertEqual(self.done.report["mpi"]["ranks"], 64)
        self.same_bytes(handle, self.reference())

    def test_default_memory(self):
        """Together they use no more than the node has: there is no warning."""
        handle = self.loaded("--canonical", *self.survey(), np=64)
        self.same_bytes(handle, self.reference())


for name in PARALLEL:
    add(Pfmload64, name, "of_64", name)

if __name__ == "__main__":
    unless_quick()
    main()
