#!/usr/bin/env bash
# Creates a payment however often the network, the gateway or the provider fails. Needs curl and openssl.
#
#   GATEWAY_URL, GATEWAY_KEY_ID, GATEWAY_SECRET, GATEWAY_CA_FILE   as in create_payment.sh
#   PAYMENT_ID, IDEMPOTENCY_KEY   store both with the order before the first attempt: after a restart, the program
#                                 continues with the same two
#   PAYMENT_METHOD                optional: a sandbox token
#   GATEWAY_TIMEOUT               optional: seconds for one attempt; the gateway answers within 35
set -euo pipefail

payment=${PAYMENT_ID:-pay_$(date +%s)}
key=${IDEMPOTENCY_KEY:-$(cat /proc/sys/kernel/random/uuid)}
body='{"payment_id":"'$payment'","amount":4200,"currency":"HKD","payment_method":"'${PAYMENT_METHOD:-pm_card_visa}'"}'
answer=$(mktemp)
head=$(mktemp)
trap 'rm -f "$answer" "$head"' EXIT

# call METHOD PATH [BODY]: sets `status`, 000 if there was no answer. Each attempt is signed anew, with its own time.
call() {
  local at hash signature
  at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  hash=$(printf %s "${3-}" | openssl dgst -sha256 -r | cut -d' ' -f1)
  signature=$(printf '%s\n%s\n%s\n%s' "$1" "$2" "$at" "$hash" | openssl dgst -sha256 -hmac "$GATEWAY_SECRET" -r | cut -d' ' -f1)
  : >"$answer" >"$head"
  status=$(curl --silent --max-time "${GATEWAY_TIMEOUT:-40}" ${GATEWAY_CA_FILE:+--cacert "$GATEWAY_CA_FILE"} \
    --request "$1" --output "$answer" --dump-header "$head" --write-out '%{http_code}' "$GATEWAY_URL$2" \
    -H "X-Service-Key-Id: $GATEWAY_KEY_ID" -H "X-Service-Timestamp: $at" -H "X-Service-Signature: $signature" \
    -H "Idempotency-Key: $key" -H 'Content-Type: application/json' ${3:+--data-binary "$3"}) || status=000
}

answer_has() { grep -qF "$1" "$answer"; }

# The pause grows with each attempt and has a random part; the gateway's Retry-After takes precedence.
pause() {
  local asked
  asked=$(sed -nE 's/^[Rr]etry-[Aa]fter: *([0-9]+).*/\1/p' "$head")
  sleep "${asked:-$((1 << ($1 < 5 ? $1 : 5)))}.$((RANDOM % 10))"
}

for attempt in 0 1 2 3 4 5 6 7 8 9; do
  call POST /v1/payment_intents "$body"
  case $status in
    000 | 408 | 429 | 500 | 503 | 504) ;;                         # no answer, or not now: the same key, the same body
    409) answer_has '"request already processing"' || break ;;    # the first attempt is still under way
    502) ! answer_has '"provider outcome unknown"' || break ;;    # else a proxy's: the gateway did not answer
    *) break ;;
  esac
  pause $attempt
done

# The provider did not report the outcome, and this stays the answer to this key. The payment shows how it ended. Never
# start a second payment for the order before the outcome is known.
if [ "$status" = 502 ]; then
  for attempt in 0 1 2 3 4 5 6 7 8 9; do
    pause $attempt
    call GET "/v1/payment_intents/$payment"
    [ "$status" != 200 ] || answer_has '"state":"processing"' || break
  done
fi

cat "$answer"
echo
[ "$status" = 200 ] && answer_has '"state":"authorized"'
