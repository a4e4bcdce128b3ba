#!/bin/sh
# deploy.sh [--host H] [--port P]: prints where it would deploy to.
set -eu
here=$(dirname "$0")
. "$here/settings.sh"

host=
port=
load_settings "$here/deploy.conf"
while [ $# -gt 0 ]; do
  case $1 in
    --host) host=${2:?}; shift 2 ;;
    --port) port=${2:?}; shift 2 ;;
    *) echo "deploy.sh: what is $1?" >&2; exit 2 ;;
  esac
done

case $port in
  *[!0-9]*) echo "deploy.sh: port must be a number, not '$port'" >&2; exit 2 ;;
esac
echo "deploy to $host:$port"
