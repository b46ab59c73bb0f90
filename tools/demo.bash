# A merchant for trying out a gateway. Sourced by tools/run and tools/cluster. `demo` names the file that stores it.

# A member of the one-line JSON objects that gatewayctl prints.
member() {
  sed -n "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/p" <<<"$2"
}

# make_demo_merchant DATA-DIR
make_demo_merchant() {
  local merchant key
  merchant=$(build/gatewayctl --data-dir="$1" --json merchant create --name "Demo shop" --owner-email owner@demo.example)
  key=$(build/gatewayctl --data-dir="$1" --json merchant key mint --merchant "$(member merchant_id "$merchant")" --mode test)
  (
    umask 077
    printf '{"merchant_id":"%s","key_id":"%s","secret":"%s"}\n' "$(member merchant_id "$merchant")" "$(member key_id "$key")" \
      "$(member secret "$key")" >"$demo.new"
  )
  mv "$demo.new" "$demo"
}

# print_call ADDRESS CERTIFICATE
print_call() {
  local known
  known=$(cat "$demo")
  cat <<END

Demo merchant $(member merchant_id "$known"), its test key in $demo. A payment to try, from another shell in $PWD:

key=$(member key_id "$known")
secret=$(member secret "$known")
END
  sed -e "s|@address@|$1|" -e "s|@certificate@|$2|" <<'END'
body='{"payment_id":"pay_'$(date +%s)'","amount":4200,"currency":"HKD","payment_method":"pm_card_visa"}'
at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
hash=$(printf %s "$body" | openssl dgst -sha256 -r | cut -d' ' -f1)
signature=$(printf 'POST\n/v1/payment_intents\n%s\n%s' "$at" "$hash" | openssl dgst -sha256 -hmac "$secret" -r | cut -d' ' -f1)
curl --cacert @certificate@ @address@/v1/payment_intents \
  -H "X-Service-Key-Id: $key" -H "X-Service-Timestamp: $at" -H "X-Service-Signature: $signature" \
  -H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" -H 'Content-Type: application/json' --data-binary "$body"

END
}
