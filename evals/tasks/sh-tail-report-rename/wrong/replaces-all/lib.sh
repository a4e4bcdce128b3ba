# Functions of the report scripts; sourced by them.

REPORT_DIR=${REPORT_DIR:-/tmp/reports}

# report_line NAME TEXT...: adds a line to the report NAME.
report_line() {
  name=$1
  shift
  mkdir -p "$REPORT_DIR"
  printf '%s\n' "$*" >> "$REPORT_DIR/$name.report_line"
}
