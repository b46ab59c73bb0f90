#!/usr/bin/env bash
# Signs one create and sends it. Needs curl and openssl.
#
#   GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET   where the gateway is, and a key of the test environment
#   GATEWAY_CA_FILE                               optional: whose certificates are trusted, for a gateway of your own
#   PAYMENT_ID                                    optional: your id of the payment
set -euo pipefail

path=/v1/payment_intents
body='{"payment_id":"'${PAYMENT_ID:-pay_$(date +%s)}'","amount":4200,"currency":"HKD","payment_method":"pm_card_visa"}'

# Four lines are signed: the method, the path without a query, the time, and the hash of the body as it is sent.
at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
hash=$(printf %s "$body" | openssl dgst -sha256 -r | cut -d' ' -f1)
# The list of processes shows the secret for a moment: use this to try things, not on a shared machine.
signature=$(printf 'POST\n%s\n%s\n%s' "$path" "$at" "$hash" | openssl dgst -sha256 -hmac "$GATEWAY_SECRET" -r | cut -d' ' -f1)

curl --silent --show-error --fail-with-body ${GATEWAY_CA_FILE:+--cacert "$GATEWAY_CA_FILE"} "$GATEWAY_URL$path" \
  -H "X-Service-Key-Id: $GATEWAY_KEY_ID" \
  -H "X-Service-Timestamp: $at" \
  -H "X-Service-Signature: $signature" \
  -H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" \
  -H 'Content-Type: application/json' \
  --data-binary "$body"
echo
