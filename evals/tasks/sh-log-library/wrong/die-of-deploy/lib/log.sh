# Messages of the scripts.

log() {
  echo "[$(basename "$0" .sh)] $*"
}

# Says what is wrong and ends.
die() {
  echo "error: $*"
  exit 1
}
