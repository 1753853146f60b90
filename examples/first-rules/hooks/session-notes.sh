#!/bin/sh
# Tells the agent, at the start of a session, what it could not know.
cat > /dev/null
printf '%s' '{"hook_specific_output":{"hook_event_name":"session_start","additional_context":"Deploys go through ./deploy.sh. Production is a dry run unless a person deploys."}}'
