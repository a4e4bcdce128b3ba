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
