#!/bin/bash
NAME=x
export PORT=8080
echo "$NAME"
