#!/bin/sh
echo "published $1"
