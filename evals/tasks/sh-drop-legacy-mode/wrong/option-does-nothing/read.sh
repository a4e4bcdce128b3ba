# read_csv FILE STRICT
read_csv() {
  awk -F ';' -v strict="$2" '
    NF == 2 && $2 ~ /^[0-9]+$/ { print $1 "\t" $2; next }
    strict == "yes" { print "line " NR " is wrong" > "/dev/stderr"; bad = 1 }
    END { exit bad }
  ' "$1"
}
