#!/bin/sh
# Compaction waits for a person.
cat > /dev/null
printf '%s' '{"decision":"block","reason":"A person looks at the transcript before it is compacted.","hook_specific_output":{"hook_event_name":"pre_compaction","additional_context":"Say which part of the transcript they should look at."}}'
