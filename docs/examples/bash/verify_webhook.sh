#!/usr/bin/env bash
# Checks whether a webhook is genuine: ends with 0 if it is, with 1 if not. Needs openssl.
#
#   WEBHOOK_SECRET=whsec_… verify_webhook.sh "$X_SERVICE_SIGNATURE" <BODY
#
# BODY is what was posted, to the byte, before anything parses it.
set -euo pipefail

tolerance=300 # seconds
signed_at=$(sed -nE 's/^t=([0-9]{1,12}),.*/\1/p' <<<"$1")
expected=$({ printf '%s.' "$signed_at"; cat; } | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r | cut -d' ' -f1)

refuse() {
  echo "refused: $*" >&2
  exit 1
}

[ -n "$signed_at" ] || refuse "the header has no time"
age=$(($(date +%s) - 10#$signed_at))
[ ${age#-} -le $tolerance ] || refuse "it was signed $age seconds ago"
# While the secret is being changed there are two signatures; one match is enough. A shell cannot compare in
# constant time: a server does it in one of the other languages.
[[ ",$1," == *",v1=$expected,"* ]] || refuse "no signature fits"
echo "genuine"
