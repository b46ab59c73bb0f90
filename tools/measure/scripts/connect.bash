# A platform with a grant, which the merchant's owner gives on the consent screen. Sourced, not run.

redirect_uri=https://bench.example/callback

# page COOKIES URL [OPTION…]: follows redirects within the gateway; sets body and at, the final address.
page() {
  local jar=$1 where=$2
  shift 2
  body=$(curl --silent --insecure --location --cookie "$jar" --cookie-jar "$jar" --write-out '\n%{url_effective}' "$@" "$where") || true
  at=${body##*$'\n'}
}

csrf() {
  sed -n 's/.*name="csrf" value="\([^"]*\)".*/\1/p' <<<"$body" | head -n 1
}

# connect STORE test|live SCOPES: a platform with a key, and a grant of these scopes by the merchant of that gateway.
connect() {
  local store=$1 mode=$2 scopes=$3 data=$stand/$1 made minted jar=$stand/$1.cookies code at_time hash signature answer
  ctl() { build/gatewayctl --data-dir="$data" --json "$@"; }
  made=$(ctl platform create --name Bench --slug bench --contact bench@bench.example --redirect-uri $redirect_uri)
  minted=$(ctl platform key mint --platform "$(member platform_id "$made")" --scopes "$scopes")
  key_id[$store-platform]=$(member key_id "$minted")
  key_secret[$store-platform]=$(member secret "$minted")
  url[$store-platform]=${url[$store]}
  printf 'a password of the bench' |
    ctl merchant user add --merchant "${merchant_of[$store]}" --email bench@bench.example --password-stdin >"$stand/user"
  page "$jar" "${url[$store]}/connect/authorize?client_id=bench&redirect_uri=$redirect_uri&scope=${scopes// /%20}&mode=$mode&state=s"
  page "$jar" "$at" --data-urlencode "csrf=$(csrf)" --data-urlencode email=bench@bench.example \
    --data-urlencode 'password=a password of the bench' --data action=sign-in
  code=$(curl --silent --insecure --cookie "$jar" --cookie-jar "$jar" --output /dev/null --write-out '%{redirect_url}' \
    --data-urlencode "csrf=$(csrf)" --data action=connect "$at" | sed -n 's/.*[?&]code=\([^&]*\).*/\1/p')
  [ -n "$code" ] || fail "no code came of the consent screen"
  answer='{"grant_type":"authorization_code","code":"'$code'","redirect_uri":"'$redirect_uri'"}'
  at_time=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  hash=$(printf %s "$answer" | openssl dgst -sha256 -r | cut -d' ' -f1)
  signature=$(printf 'POST\n/v1/public/connect/token\n%s\n%s' "$at_time" "$hash" |
    openssl dgst -sha256 -hmac "${key_secret[$store-platform]}" -r | cut -d' ' -f1)
  curl --silent --insecure "${url[$store]}/v1/public/connect/token" -H "X-Service-Key-Id: ${key_id[$store-platform]}" \
    -H "X-Service-Timestamp: $at_time" -H "X-Service-Signature: $signature" -H 'Content-Type: application/json' \
    -H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" --data-binary "$answer" | grep -q '"grant_id"' ||
    fail "the code was not exchanged"
}
