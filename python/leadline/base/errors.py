"""The one exception of this package: a sentence for the user, an exit status.

The sentence has one shape: "runs.json: cannot be read: permission denied. Do this." The
thing comes first, then what is wrong with it, then why; a second sentence, if there is
one, says what to do."""

FAILED = 1
USAGE = 2


class LeadlineError(Exception):
    def __init__(self, sentence: str, status: int = FAILED, todo: str = "") -> None:
        super().__init__(sentence + "." * (sentence[-1:] != "?" and todo != "")
                         + (" %s." % todo if todo else ""))
        self.status = status


def usage(sentence: str, todo: str = "") -> LeadlineError:
    return LeadlineError(sentence, USAGE, todo)
