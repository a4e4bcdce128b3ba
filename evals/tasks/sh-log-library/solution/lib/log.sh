# Messages of the scripts.

log() {
  echo "[$(basename "$0" .sh)] $*"
}

# Says what is wrong and ends.
die() {
  echo "$(basename "$0" .sh): $*" >&2
  exit 2
}
