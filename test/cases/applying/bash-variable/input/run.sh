#!/bin/bash
NAME=x
export PORT=80
echo "$NAME"
