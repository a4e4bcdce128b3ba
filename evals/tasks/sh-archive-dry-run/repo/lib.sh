# Functions for archive.sh.

# complain TEXT: a message for the user.
complain() {
  printf 'archive.sh: %s\n' "$1" >&2
}

# free_name PATH: the path, or the path with the first number that is not taken.
free_name() {
  free=$1
  number=1
  while [ -e "$free" ]; do
    free=$1.$number
    number=$((number + 1))
  done
  printf '%s\n' "$free"
}

# note FOLDER FILE TARGET: a line in the index of the folder.
note() {
  printf '%s\t%s\n' "$2" "$(basename "$3")" >>"$1/index.txt"
}
