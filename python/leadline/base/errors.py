"""The one exception of this package: a sentence for the user, an exit status."""

FAILED = 1
USAGE = 2


class LeadlineError(Exception):
    def __init__(self, sentence: str, status: int = FAILED) -> None:
        super().__init__(sentence)
        self.status = status


def usage(sentence: str) -> LeadlineError:
    return LeadlineError(sentence, USAGE)
