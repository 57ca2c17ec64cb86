"""What must be refused: by an error of a kind, about an argument, a place or a name."""

import pytest

from gainful.errors import GainfulError

SUBJECTS = ("argument", "where", "feature", "name")  # of our errors; each has one of these, or none


def refuses(kind, about="", *named):
    """Expect an error of this kind that is about this and names these words, too.

    `about` is the argument of a BadValue, the end of the place of a BadInput (`run.txt:3`) or the
    name that is unknown; of other errors, a word of the message. A tuple has named words as well.
    """
    subject, *words = (about, *named) if isinstance(about, str) else (*about, *named)

    def check(error):
        fields = SUBJECTS if isinstance(error, GainfulError) else ()
        carried = next((getattr(error, field) for field in fields if hasattr(error, field)), None)
        if carried is None:
            words.append(subject)
        else:
            assert carried == subject or carried.endswith(f"/{subject}"), f"{carried!r}: {error}"
        assert [word for word in words if word not in str(error)] == [], error
        return True

    return pytest.raises(kind, check=check)
