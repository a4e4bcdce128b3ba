#!/bin/bash
for f in *.log; do
  rm "$f"
done
