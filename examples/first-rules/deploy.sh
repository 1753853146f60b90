#!/bin/sh
echo "deploying to $1 ${2:-for real}"
