#!/bin/sh
# Does not let a turn end before the agent has said how it checked its work.
input="$(cat)"
case "$input" in
  *"node app.test.js"* | *"checked"*)
    printf '{}' ;;
  *)
    printf '%s' '{"go_on":true,"reason":"Say how you checked your work, or check it now with `node app.test.js`."}' ;;
esac
