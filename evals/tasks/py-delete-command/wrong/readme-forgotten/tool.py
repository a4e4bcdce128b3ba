from commands import export_csv, show

COMMANDS = {
    "show": show.run,
    "export-csv": export_csv.run,
}


def main(args, notes):
    name, *rest = args or ["show"]
    if name not in COMMANDS:
        return f"unknown command {name}; there are: " + ", ".join(sorted(COMMANDS))
    return COMMANDS[name](notes, *rest)
