"""Learning with boxes: what was known moves up, what was not goes back to the first box."""

LAST_BOX = 5


def same_answer(card, answer):
    """Whether the answer is right; case and spaces at the ends do not matter."""
    return answer.strip().lower() == card.back.lower()


def review(card, answer):
    """Moves the card by the answer and says whether it was right."""
    right = same_answer(card, answer)
    card.box = min(card.box + 1, LAST_BOX) if right else 1
    return right


def due(cards, box):
    """The cards up to this box, lowest box first."""
    return sorted((card for card in cards if card.box <= box), key=lambda card: card.box)
