#!/bin/sh
# Stops two commands that destroy work.
request="$(cat)"
case "$request" in
  *"rm -rf"* | *"git reset --hard"*)
    printf '{"decision":"block","reason":"this command destroys work (%s policy)"}' "${POLICY:-default}" ;;
  *) printf '{}' ;;
esac
