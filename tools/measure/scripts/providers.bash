# Measures the cost of a create whose provider is reached over HTTPS, compared with the sandbox in the process; the cost of forged
# notifications; and the latency of quiet clients beside them. Sourced by tools/bench.
#
# The provider is the stand-in for Stripe (tests/stand_ins/stripe), over TLS. With --no-sync it does not sync its ledger, so that it
# leaves the disk to the gateway's store.
source tools/measure/scripts/measures.bash

wanted providers || wanted forged || wanted quiet || { usage >&2; exit 2; }
packages=(wrk jq curl openssl)
[ "$store" = sqlite ] || packages+=(mariadb-server mariadb-client)
tools/install "${packages[@]}"
build gatewayd gatewayctl gateway-load bare_server presign stripe-stand-in
make_stand

low_rate=500 forged_rate=1000 account=acct_bench webhook_secret=whsec_0123456789abcdefghijklmnopqrstuv
stand_in_port=0 control_port=0
declare -A cost_us user_us sleeps ratios

# start_stand_in: replaces a running one, with an empty ledger. It keeps 24 KB of memory for each payment.
start_stand_in() {
  local at=$stand/stand-in
  mkdir -p "$at"
  if [ -n "${server_pid[stand-in]-}" ]; then
    kill -TERM "${server_pid[stand-in]}"
    wait "${server_pid[stand-in]}" || fail "the stand-in did not end in order"
    rm "$at"/ledger*
  else
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
      -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$at/key.pem" -out "$at/certificate.pem" 2>/dev/null
  fi
  start_server stand-in build/stripe-stand-in --listen=127.0.0.1:$stand_in_port --control-listen=127.0.0.1:$control_port \
    --certificate="$at/certificate.pem" --key="$at/key.pem" --ledger="$at/ledger.jsonl" --accounts=$account \
    --webhook-secret=$webhook_secret --no-sync
  # listening on PORT control on PORT
  read -r stand_in_port _ _ control_port <<<"${url[stand-in]}"
}

told() {
  curl --silent --fail "http://127.0.0.1:$control_port/control/$1"
}

ctl() {
  build/gatewayctl --data-dir="$stand/gateway" --json "$@" >"$stand/ctl.out" || fail "gatewayctl $*: $(tail -n 1 "$stand/ctl.out")"
}

# route_to_stand_in MERCHANT: routes its card payments to the stand-in instead of the sandbox.
route_to_stand_in() {
  local of=(--merchant "$1" --mode test)
  printf '{"secret_key":"%s","publishable_key":"%s","webhook_secret":"%s","api_base":"%s"}' sk_test_0123456789abcdefghijklmn \
    pk_test_0123456789abcdefghijklmn $webhook_secret "https://localhost:$stand_in_port" |
    ctl provider set --provider stripe --mode test --settings-stdin
  ctl connection set "${of[@]}" --provider sandbox --status not_connected
  ctl connection set "${of[@]}" --provider stripe --status connected --account $account
  ctl route set "${of[@]}" --provider stripe --currencies HKD --methods card
}

# used_by SERVER: processor time of its threads in microseconds, of which user's in clock ticks, and how often these went to sleep.
used_by() {
  local process=/proc/${server_pid[$1]}
  echo "$(cat "$process"/task/*/schedstat | awk '{ ns += $1 } END { printf "%d", ns / 1000 }')" \
    "$(sed 's/.*) //' "$process/stat" | cut -d' ' -f12)" "$(awk '/^voluntary/ { sum += $2 } END { print sum }' "$process"/task/*/status)"
}

# keep_cost NAME SERVER BEFORE: records the cost of each of `requests` since BEFORE.
keep_cost() {
  local name=$1 per
  per=$(awk -v n="$requests" -v hz="$(getconf CLK_TCK)" -v from="$3" -v to="$(used_by "$2")" 'BEGIN {
    split(from, a); split(to, b)
    printf "%d %d %.1f", (b[1] - a[1]) / n, (b[2] - a[2]) * 1e6 / hz / n, (b[3] - a[3]) / n }')
  read -r -a per <<<"$per"
  cost_us[$name]+=" ${per[0]}" user_us[$name]+=" ${per[1]}" sleeps[$name]+=" ${per[2]}"
}

# keep_ratio NAME VALUE OF: records the ratio of one round's values.
keep_ratio() {
  ratios[$1]+=" $(awk -v a="$2" -v b="$3" 'BEGIN { printf "%.2f", a / (b > 0 ? b : 1) }')"
}

# ---- creates ----------------------------------------------------------------------------------------

authorized() {
  told requests | jq '.requests["POST /v1/payment_intents"] // 0'
}

# measure_provider sandbox|stripe low|full: the first second warms up and does not count.
measure_provider() {
  local server=$1 name=$1-$2 how=(--closed) from stand_in before others
  [ "$2" = full ] || how=(--rate=$low_rate)
  how+=(--connections="$connections" --no-verify)
  load "$server" create "${how[@]}" --duration=1s
  before=$(authorized)
  from=$(used_by gateway) stand_in=$(used_by stand-in)
  load "$server" create "${how[@]}" --duration="${seconds}s"
  keep_cost "$name" gateway "$from"
  keep_cost "stand-in-$name" stand-in "$stand_in"
  others=$(jq '[.operations[].outcomes | to_entries[] | select(.key | test("^2") | not) | .value] | add // 0' "$stand/load.json")
  [ "$others" -eq 0 ] || fail "$name: $others creates were not approved"
  expect "$name: payments at the stand-in" "$([ "$server" = stripe ] && echo "$requests" || echo 0)" $(($(authorized) - before))
  record "$name"
}

# cost_cell NAME: processor time, of which user's, and sleeps.
cost_cell() {
  echo "$(middle "${cost_us[$1]}") us ($(middle "${user_us[$1]}")), $(middle "${sleeps[$1]}")"
}

latency_cell() {
  echo "$(bc_ms "$(median_of "${p50s[$1]}")"), $(bc_ms "$(median_of "${p99s[$1]}")") ms"
}

row() {
  printf '%-60s %20s %20s %8s\n' "$@"
}

# ---- forged notifications -----------------------------------------------------------------------------

# write_forged: an event as the stand-in posts it, with an invalid signature.
write_forged() {
  local body
  load stripe create --closed --connections=1 --count=1 --no-verify
  body=$(told events | jq --compact-output '.events[-1]')
  [ "${#body}" -gt 500 ] || fail "the stand-in has no event: $body"
  printf '%s\r\n' 'POST /v1/public/providers/stripe/test/notifications HTTP/1.1' "Host: ${url[gateway]#https://}" \
    'User-Agent: Stripe/1.0 (+https://stripe.com/docs/webhooks)' 'Content-Type: application/json; charset=utf-8' \
    "Stripe-Signature: t=$(date +%s),v1=$(printf '0%.0s' {1..64})" "Content-Length: ${#body}" '' >"$stand/forged.0"
  printf '%s\0' "$body" >>"$stand/forged.0"
  forged_bytes=${#body}
}

forged_so_far() {
  sample gateway 'gateway_provider_notifications_total{environment="test",provider="stripe",result="forged"}'
}

# flood SERVER SECONDS [RATE]
flood() {
  exec wrk -t1 -c"$connections" -d"$2s" --timeout 30s -s tools/measure/scripts/replay.lua "${url[$1]}" -- "$stand/forged" again "${@:3}" \
    >"$stand/flood.out" 2>&1
}

# flooded WHAT SERVER BEFORE: reads how many posts were answered since BEFORE, and checks that all were answered correctly.
flooded() {
  local line counted
  line=$(grep '^measured ' "$stand/flood.out") || fail "$1: $(tail -n 3 "$stand/flood.out")"
  read -r _ requests microseconds p50 p99 bad broken _ <<<"$line"
  [ "$requests" -gt 0 ] && [ "$broken" -eq 0 ] || fail "$1: $requests posts answered, $broken broken connections"
  if [ "$2" = gateway ]; then
    # Posts in flight when wrk ends are counted, but not answered.
    counted=$(($(forged_so_far) - $3))
    expect "$1: posts answered as forged" "$requests" $((counted < bad ? counted : bad))
  fi
  bad=0
}

# measure_forged SERVER low|full: without other load.
measure_forged() {
  local name=forged-$1-$2 rate=() from before
  [ "$2" = full ] || rate=($forged_rate)
  (flood "$1" 1 "${rate[@]}")
  before=$(forged_so_far) from=$(used_by "$1")
  (flood "$1" "$seconds" "${rate[@]}")
  flooded "$name" "$1" "$before"
  keep_cost "$name" "$1" "$from"
  record "$name"
}

quiet_creates() {
  load sandbox create --rate=$low_rate --connections="$connections" --no-verify --duration="${seconds}s"
}

# wrk sends low_rate with each thread, and has one.
quiet_reads() {
  drive sandbox again "$seconds" $low_rate
}

# measure_quiet creates|reads nobody|bare|gateway: alone, or beside forged posts to that server.
measure_quiet() {
  local what=$1 beside=$2 name=$1-$2 before pid
  before=$(forged_so_far)
  if [ "$beside" != nobody ]; then
    flood "$beside" $((seconds + 2)) $forged_rate &
    pid=$!
    sleep 1
  fi
  "quiet_$what"
  record "$name"
  [ "$beside" != nobody ] || return 0
  wait "$pid" || fail "wrk failed: $(tail -n 3 "$stand/flood.out")"
  flooded "$name" "$beside" "$before"
  expect "$name: forged posts in $((seconds + 2)) s" $((forged_rate * (seconds + 2) * 95 / 100)) "$requests"
}

quiet_row() {
  printf '%-60s %20s %20s %20s %8s %8s\n' "$@"
}

# ---- the run ------------------------------------------------------------------------------------------

start_bare
threads=1 # of wrk, which sends little
start_stand_in
gateway_options=(--provider-ca-file="$stand/stand-in/certificate.pem")
start_gateway gateway "$store"
for name in sandbox stripe; do url[$name]=${url[gateway]}; done
key_id[sandbox]=${key_id[gateway]} key_secret[sandbox]=${key_secret[gateway]}
ctl merchant create --name 'Bench over HTTPS'
merchant=$(member merchant_id "$(<"$stand/ctl.out")")
ctl merchant key mint --merchant "$merchant" --mode test
key_id[stripe]=$(member key_id "$(<"$stand/ctl.out")") key_secret[stripe]=$(member secret "$(<"$stand/ctl.out")")
route_to_stand_in "$merchant"
write_forged
live=1000
presign sandbox create "live$run" 0 $live
drive_all sandbox 2
echo "the gateway is up"
wait_until_rows_are_kept 62

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, $seconds s each, $connections connections, $store, $(nproc) cores"
  [ "$round" -eq 1 ] || start_stand_in
  for amount in low full; do
    if wanted providers; then
      for server in sandbox stripe; do measure_provider $server $amount; done
      keep_ratio $amount "${cost_us[stripe-$amount]##* }" "${cost_us[sandbox-$amount]##* }"
    fi
    if wanted forged; then
      for server in bare gateway; do measure_forged $server $amount; done
      keep_ratio forged-$amount "${cost_us[forged-gateway-$amount]##* }" "${cost_us[forged-bare-$amount]##* }"
    fi
  done
  wanted quiet || continue
  # A signature is valid for five minutes, and creates have evicted the payments from memory.
  presign sandbox timeline "live$run" 0 $live
  drive sandbox again 1
  besides=(nobody bare gateway)
  [ $((round % 2)) -eq 1 ] || besides=(gateway bare nobody)
  for what in reads creates; do
    for beside in "${besides[@]}"; do measure_quiet $what "$beside"; done
    keep_ratio $what "${p99s[$what-gateway]##* }" "${p99s[$what-nobody]##* }"
    keep_ratio $what-bare "${p99s[$what-gateway]##* }" "${p99s[$what-bare]##* }"
  done
done

echo
echo "Medians of $rounds rounds on $store; the last column is the median of the rounds' ratios"
if wanted providers; then
  row "the gateway's processor time (of which user's), sleeps" sandbox "over HTTPS" ratio
  for amount in low full; do
    text="a create at $low_rate/s"
    [ $amount = low ] || text="a create, $connections connections"
    row "$text" "$(cost_cell sandbox-$amount)" "$(cost_cell stripe-$amount)" "$(middle "${ratios[$amount]}")"
    row "  the stand-in's own" '' "$(cost_cell stand-in-stripe-$amount)" ''
  done
  row "creates a second, $connections connections" "$(median_of "${rates[sandbox-full]}")" "$(median_of "${rates[stripe-full]}")" ''
  row "p50, p99 at $low_rate/s" "$(latency_cell sandbox-low)" "$(latency_cell stripe-low)" ''
  row "p50, p99, $connections connections" "$(latency_cell sandbox-full)" "$(latency_cell stripe-full)" ''
  echo
fi
if wanted forged; then
  row "the server's processor time (of which user's), sleeps" "bare server" gateway ratio
  for amount in low full; do
    text="a forged notification at $forged_rate/s ($forged_bytes bytes)"
    [ $amount = low ] || text="a forged notification, $connections connections"
    row "$text" "$(cost_cell forged-bare-$amount)" "$(cost_cell forged-gateway-$amount)" "$(middle "${ratios[forged-$amount]}")"
  done
  row "answered a second, $connections connections" "$(median_of "${rates[forged-bare-full]}")" \
    "$(median_of "${rates[forged-gateway-full]}")" ''
  echo
fi
if wanted quiet; then
  quiet_row "p50, p99 beside $forged_rate forged notifications a second" none "to the bare server" "to the gateway" "of none" "of bare"
  for what in creates reads; do
    quiet_row "$what at $low_rate/s" "$(latency_cell $what-nobody)" "$(latency_cell $what-bare)" "$(latency_cell $what-gateway)" \
      "$(middle "${ratios[$what]}")" "$(middle "${ratios[$what-bare]}")"
  done
fi

[ "$wrong" -eq 0 ] || fail "$wrong counts or answers were wrong: see above"
missed=0
for what in creates reads; do
  wanted quiet || break
  if awk -v r="$(middle "${ratios[$what]}")" 'BEGIN { exit !(r > 1.2) }'; then
    echo "missed: the p99 of quiet $what is $(middle "${ratios[$what]}") times what it is without forged notifications (target: 1.2)" >&2
    missed=1
  fi
done
[ $check = no ] || [ $missed -eq 0 ] || exit 1
