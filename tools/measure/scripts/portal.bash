# Measures the portal's pages of a merchant with many payments, and the API while people use the portal. Sourced by tools/bench.
source tools/measure/scripts/measures.bash
source tools/measure/scripts/fill.bash

tools/install curl jq sqlite3
build gatewayd gatewayctl gateway-load
make_stand

requests_per_page=200 clickers=50 api_rate=500
password='a password of the bench'
declare -A tails

# csrf_of URL: the token of the page's first form.
csrf_of() {
  curl --silent --insecure --cookie "$1" --cookie-jar "$1" "$2" | sed -n 's/.*name="csrf" value="\([0-9a-f]*\)".*/\1/p' | head -n 1
}

# enter JAR: signs the bench's person in.
enter() {
  local jar=$1 page=${url[full]}/portal/sign-in token
  token=$(csrf_of "$jar" "$page")
  curl --silent --insecure --output /dev/null --fail --cookie "$jar" --cookie-jar "$jar" --data-urlencode "csrf=$token" \
    --data-urlencode email=bench@example.com --data-urlencode "password=$password" --data action=sign-in "$page"
  grep -q __Host-session "$jar" || fail "nobody could sign in"
}

# time_page NAME PATH: requests the page repeatedly over one connection.
time_page() {
  local at=${url[full]}/portal/$merchant/test/$2 config=$stand/pages.curl i
  for ((i = 0; i < requests_per_page; i++)); do
    printf 'url = "%s"\noutput = /dev/null\n' "$at"
  done >"$config"
  curl --silent --insecure --cookie "$jar" --config "$config" --write-out '%{http_code} %{time_total}\n' |
    sort -n -k2 | awk -v name="$1" '
      $1 != 200 { wrong++ }
      { row[NR] = $2 * 1000 }
      END { printf "%-28s %8.1f %8.1f %8.1f\n", name, row[int((NR + 1) / 2)], row[int(NR * 0.99)], row[NR]; exit wrong > 0 }' ||
    fail "$1: answers other than 200"
}

# click: one person, who opens a page every second.
click() {
  local config=$stand/clicks-$1.curl pages=("" payments "payments?state=captured" "payments?currency=EUR" keys destinations team "$payment_page") i
  for ((i = 0; i < seconds * 4; i++)); do
    printf 'url = "%s"\noutput = /dev/null\n' "${url[full]}/portal/$merchant/test/${pages[(i + $1) % ${#pages[@]}]}"
  done >"$config"
  exec curl --silent --insecure --cookie "$jar" --rate 60/m --config "$config"
}

start_gateway full sqlite
merchant=${merchant_of[full]}
printf '%s' "$password" | build/gatewayctl --data-dir="$stand/full" --json merchant user add --merchant "$merchant" \
  --email bench@example.com --password-stdin >/dev/null
stop_gateway full
fill_history full sqlite "$payments" "$merchant"
start_gateway full sqlite
jar=$stand/jar
enter "$jar"

middle=$(printf 'pay_old_%09d' $((payments / 2)))
payment_page=payments/$middle
cursor=$(sqlite3 "$stand/full/gateway.sqlite" "SELECT created_at || '.' || payment_id FROM payments WHERE payment_id = '$middle'" |
  tr -d '\n' | base64 -w0 | tr '+/' '-_' | tr -d '=')
echo "Pages with $payments payments of one merchant on SQLite, $requests_per_page requests each, one after the other:"
printf '%-28s %8s %8s %8s\n' page 'p50 ms' 'p99 ms' 'most'
time_page overview ''
time_page payments payments
time_page 'payments, in the middle' "payments?cursor=$cursor"
time_page 'payments, captured' 'payments?state=captured'
time_page 'payments, voided (rare)' 'payments?state=voided'
time_page 'payments, EUR' 'payments?currency=EUR'
time_page 'payments, failed in USD' 'payments?state=failed&currency=USD'
time_page 'payments, days in the middle' "payments?from=2025-06-01&until=2026-01-31"
time_page 'search by provider_ref' "payments?q=$(printf 'ch_%016x' $((payments / 2)))"
time_page 'search by payment_id' "payments?q=$middle"
# The longest search: no payment has the text, so as many are read as one page may read.
time_page 'search by a text' 'payments?q=not-in-any'
time_page payment "$payment_page"
time_page keys keys
time_page destinations destinations
time_page team team
for page in disputes subscriptions customers connections platforms audit; do time_page $page $page; done

for ((round = 1; round <= rounds; round++)); do
  for beside in nobody people; do
    pids=()
    if [ $beside = people ]; then
      for ((i = 0; i < clickers; i++)); do click $i & pids+=($!); done
    fi
    load full create --rate=$api_rate --no-verify --duration="${seconds}s"
    [ "$bad" -eq 0 ] && [ "$broken" -eq 0 ] || fail "creates beside $beside: $bad answers of 5xx, $broken broken connections"
    tails[$beside]+=" $p99"
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  done
done
alone=$(tr ' ' '\n' <<<"${tails[nobody]}" | grep . | median) beside=$(tr ' ' '\n' <<<"${tails[people]}" | grep . | median)
printf 'p99 of creates at %d/s: %d us, beside %d people who open a page a second: %d us: %s of it\n' $api_rate "$alone" $clickers "$beside" \
  "$(awk -v a="$beside" -v b="$alone" 'BEGIN { printf "%.2f", a / b }')"
