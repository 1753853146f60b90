#!/bin/sh
# Asks once more when the last words do not say how the work was checked.
request="$(cat)"
case "$request" in
  *"validation"* | *"tests"*) printf '{}' ;;
  *)
    printf '%s' '{"continue":false,"reason":"The turn ended without a word on validation.","hook_specific_output":{"hook_event_name":"stop","additional_context":"Say what was checked, or why nothing was."}}' ;;
esac
