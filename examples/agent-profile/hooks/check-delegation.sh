#!/bin/sh
# Narrows what is handed to the coder.
cat > /dev/null
printf '%s' '{"hook_specific_output":{"hook_event_name":"pre_delegation","updated_delegation":{"constraints":"Change only what the objective names."},"additional_context":"Keep the checks in the plan."}}'
