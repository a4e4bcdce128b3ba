"""Lists of grades for the teacher."""

from grades import final_grade

LETTERS = [(90, "A"), (80, "B"), (70, "C"), (60, "D")]


def letter(grade):
    """The letter for a grade in percent."""
    for limit, name in LETTERS:
        if grade >= limit:
            return name
    return "F"


def report(categories, students):
    """One line for each student, by name; students without results have a dash."""
    lines = []
    for name in sorted(students):
        grade = final_grade(categories, students[name])
        lines.append(f"{name}: -" if grade is None else f"{name}: {grade} {letter(grade)}")
    return "\n".join(lines)
