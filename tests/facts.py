"""What a text tells apart from its sentences: numbers, measures, quoted values and given names."""

import re


def list_words(text):
    """The words of a text without the marks around them; measures and what is quoted stay whole."""
    words = []
    for word in re.findall(r"(?<!\S)'[^'\n]*'\S*|\w+\([^()\n]*\)\S*|\S+", text):
        bare = word.strip(".,;:·—")
        if bare[:1] == "(" or bare.count("(") != bare.count(")"):
            bare = bare.strip("()").strip(".,;:")
        words.append(bare)
    return words


def list_facts(text, *names):
    """The words of a text that are no prose, in its order: those with a digit or two capitals,
    quoted ones, options and these names."""

    def is_fact(word):
        capitals = sum(letter.isupper() for letter in word)
        return (
            word in names or word[:1] in ("'", "-") or capitals > 1 or any(map(str.isdigit, word))
        )

    return [word for word in list_words(text) if is_fact(word)]


def find_notes(notes, *words):
    """The notes that have all of these words; a number counts as its digits."""
    return [note for note in notes if {*map(str, words)} <= {*list_words(note)}]
