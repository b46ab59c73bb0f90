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

# make_demo_operator DATA-DIR: an admin of the console, named admin. Prints the link to set a password and a second factor with, or nothing
# if the operator exists already.
make_demo_operator() {
  local made
  made=$(build/gatewayctl --data-dir="$1" --json operator add admin --role admin 2>/dev/null) || return 0
  member setup_url "$made"
}

# print_console OPERATOR-ADDRESS DATA-DIR
print_console() {
  local link
  link=$(make_demo_operator "$2")
  echo
  echo "The operators' console: $1/console, for the operator admin."
  if [ -n "$link" ]; then
    echo "Set a password and a second factor first, once, within a day: $link"
  else
    echo "A new link to set a password and a second factor: build/gatewayctl --data-dir=$2 operator reset admin"
  fi
}

# print_portal ADDRESS DATA-DIR
print_portal() {
  local made
  made=$(build/gatewayctl --data-dir="$2" --json merchant user invite --merchant "$(member merchant_id "$(cat "$demo")")" \
    --email owner@demo.example --role owner)
  echo
  echo "The merchant's portal: $1/portal, for owner@demo.example. A link to choose a password: $(member invitation_url "$made")"
}
