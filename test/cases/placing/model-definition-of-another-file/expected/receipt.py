"""Prints what a member has to pay."""

from fees import as_text, late_fee, total_fee


def receipt(member, loans):
    lines = [f"Late fees of {member}"]
    for kind, due, returned in loans:
        fee = late_fee(kind, due, returned)
        if fee:
            lines.append(f"{kind:<6}{due.isoformat()}{as_text(fee):>8}")
    lines.append(f"{'total':<16}{as_text(total_fee(loans)):>8}")
    return "\n".join(lines)


def late_fee(kind, due, returned):
    """The fee for one item. Unknown kinds are a KeyError."""
    days = days_late(due, returned)
    if days < 0:
        return 0
    return max(days * DAILY[kind], CAP[kind])  # Changed the condition to only charge for items that are not very late
