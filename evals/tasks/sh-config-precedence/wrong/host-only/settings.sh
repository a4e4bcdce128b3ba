# Settings of deploy.sh; sourced by it. Sets host and port.

default_host=localhost
default_port=22

# value_of KEY FILE: the last value of KEY=VALUE in FILE; nothing when there is none.
value_of() {
  [ -f "$2" ] || return 0
  sed -n "s/^$1=//p" "$2" | tail -n 1
}

load_settings() { # FILE
  host=${host:-${DEPLOY_HOST:-$default_host}}
  port=${port:-${DEPLOY_PORT:-$default_port}}
  from_file=$(value_of host "$1")
  [ -z "$from_file" ] || [ -n "${DEPLOY_HOST:-}" ] || host=$from_file
  from_file=$(value_of port "$1")
  [ -z "$from_file" ] || port=$from_file
}
