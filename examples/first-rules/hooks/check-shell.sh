#!/bin/sh
# Blocks shell commands by text. Any language that reads JSON will do; this one only needs sh.
input="$(cat)"
case "$input" in
  *"rm -rf"*)
    printf '%s' '{"decision":"block","reason":"`rm -rf` deletes without a way back.\nDo instead: move the folder away (mv build build.old), or delete the files you mean by name."}' ;;
  *"| sh"* | *"|sh"*)
    printf '%s' '{"decision":"block","reason":"this runs code from elsewhere that nobody has read.\nDo instead: save it to a file, read it, and run it if it is what you expect."}' ;;
  *)
    printf '{}' ;;
esac
