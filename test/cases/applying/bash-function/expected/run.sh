#!/bin/bash
set -e

NAME=x

# Says hello.
hello() {
  echo "hello"
}

hello "$@"
