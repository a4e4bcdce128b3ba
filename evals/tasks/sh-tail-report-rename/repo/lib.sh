# Functions of the report scripts; sourced by them.

RPT_DIR=${RPT_DIR:-/tmp/reports}

# rpt NAME TEXT...: adds a line to the report NAME.
rpt() {
  name=$1
  shift
  mkdir -p "$RPT_DIR"
  printf '%s\n' "$*" >> "$RPT_DIR/$name.rpt"
}
