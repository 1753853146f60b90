#!/bin/sh
# Answers permission prompts for commands that only build and check.
request="$(cat)"
case "$request" in
  *"cargo test"* | *"cargo check"*)
    printf '%s' '{"hook_specific_output":{"hook_event_name":"permission_request","decision":{"behavior":"allow"}}}' ;;
  *) printf '{}' ;;
esac
