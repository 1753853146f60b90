#!/bin/sh
# A guard with a bug, to show what a bug does: nothing gets past it.
cat > /dev/null
echo "cannot reach the policy server" >&2
exit 7
