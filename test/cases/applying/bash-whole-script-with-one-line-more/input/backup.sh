#!/usr/bin/env bash
set -euo pipefail

SOURCE="$1"
DEST="/backup"

log() {
  echo "$1"
}

log "start"
tar czf "$DEST/backup.tar.gz" $SOURCE
log "done"
