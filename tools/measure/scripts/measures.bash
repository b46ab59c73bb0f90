# One function for each measurement, over connections that are already open. Sourced, not run.

declare -A rates p50s p99s guess next_payment batch_units
wrong=0
live=10000 # payments whose keys and timelines are requested repeatedly
run=$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')

record() {
  local name=$1
  rates[$name]+=" $(rate)"
  printf '  %-18s %9d/s' "$name" "$(rate)"
  if [ -n "$p50" ]; then
    p50s[$name]+=" $p50"
    p99s[$name]+=" $p99"
    printf '   p50 %7.2f ms   p99 %7.2f ms' "$(bc_ms "$p50")" "$(bc_ms "$p99")"
  fi
  echo
  if [ "$bad" -ne 0 ] || [ "$broken" -ne 0 ]; then
    echo "  $name: $bad answers with a wrong status, $broken broken connections" >&2
    wrong=$((wrong + bad + broken))
  fi
}

bc_ms() {
  awk -v us="$1" 'BEGIN { printf "%.2f", us / 1000 }'
}

expect() {
  local what=$1 least=$2 found=$3
  if [ "$found" -lt "$least" ]; then
    echo "  $what: at least $least expected, $found counted" >&2
    wrong=$((wrong + 1))
  fi
}

# The bare server gets requests of the same size as the gateway.
measure_bare() {
  presign "$1" create bare 0 "$live"
  drive bare again 1
  drive bare again "$seconds"
  record bare
}

# Each payment and key is new. For every create the gateway must have committed a begin and a finish.
measure_create() {
  local gateway=$1 count before after sent batches units
  # 1.5 times the requests that the last run needed. A run that still used up all of them is repeated with more.
  while :; do
    count=$((${guess[$gateway]} * (seconds + 1) * 3 / 2))
    presign "$gateway" create "c$run" "${next_payment[$gateway]}" "$count"
    next_payment[$gateway]=$((${next_payment[$gateway]} + count))
    before=$(sample "$gateway" 'gateway_store_units_total{outcome="committed"}')
    batches=$(sample "$gateway" gateway_store_batch_units_count)
    units=$(sample "$gateway" gateway_store_batch_units_sum)
    drive "$gateway" once "$seconds"
    after=$(sample "$gateway" 'gateway_store_units_total{outcome="committed"}')
    if [ "$exhausted" -eq 0 ]; then break; fi
    guess[$gateway]=$((${guess[$gateway]} * 2))
  done
  sent=$requests
  guess[$gateway]=$(rate)
  batches=$(($(sample "$gateway" gateway_store_batch_units_count) - batches))
  units=$(($(sample "$gateway" gateway_store_batch_units_sum) - units))
  batch_units[$gateway]=$(((units + batches / 2) / batches))
  expect "create-$gateway: committed units" $((2 * sent)) $((after - before))
  record "create-$gateway"
}

# The rate of creates that the database itself commits, in batches as large as those of the creates just measured.
measure_database() {
  local gateway=$1 where=sqlite line
  if [ "$gateway" = mariadb ]; then where=$(mariadb_url gateway_bare); fi
  line=$(build/bench/bare_database --store="$where" --data-dir="$stand/bare-database" --batch-units="${batch_units[$gateway]}" \
    --seconds="$seconds" 2>"$stand/bare-database.log") || fail "the bare database: $(tail -n 1 "$stand/bare-database.log")"
  read -r _ requests microseconds p50 p99 <<<"$line"
  requests=$((requests / 2)) bad=0 broken=0
  record "database-$gateway"
}

# The first pass creates missing payments and loads evicted ones into memory. The second pass is measured.
measure_replay() {
  local gateway=$1 before after
  presign "$gateway" create "live$run" 0 "$live"
  drive_all "$gateway" 4
  before=$(sample "$gateway" gateway_idempotent_replays_total)
  drive "$gateway" again "$seconds"
  after=$(sample "$gateway" gateway_idempotent_replays_total)
  expect "replay-$gateway: replays" "$requests" $((after - before))
  record "replay-$gateway"
}

measure_timeline() {
  local gateway=$1
  presign "$gateway" create "live$run" 0 "$live"
  drive_all "$gateway" 4
  presign "$gateway" timeline "live$run" 0 "$live"
  drive "$gateway" again 1
  drive "$gateway" again "$seconds"
  record "timeline-$gateway"
}

median_of() {
  tr ' ' '\n' <<<"$1" | grep -v '^$' | median
}

# middle VALUES: their median. Values may have a fraction, which `median` would drop.
middle() {
  tr ' ' '\n' <<<"$1" | grep -v '^$' | sort -n | awk '{ row[NR] = $1 } END { print row[int((NR + 1) / 2)] }'
}

# used_by SERVER: processor time of its threads in microseconds.
used_by() {
  cat /proc/"${server_pid[$1]}"/task/*/schedstat | awk '{ ns += $1 } END { printf "%d", ns / 1000 }'
}

# load SERVER SCENARIO [OPTION…]: one run of gateway-load, which signs and verifies its requests. Sets the variables that drive sets.
# With --data-dir it creates its own merchant and key.
load() {
  local server=$1 scenario=$2 file=$stand/load.json key=(--key-id="${key_id[$1]-mk_test_bare}")
  shift 2
  [[ " $* " != *" --data-dir="* ]] || key=()
  GATEWAY_LOAD_SECRET=${key_secret[$server]-secret} build/gateway-load run "$scenario" --target="${url[$server]}" "${key[@]}" \
    --insecure --json="$file" --timeout=30s "$@" >"$stand/load.out" 2>"$stand/load.err" ||
    fail "gateway-load $scenario on $server: $(tail -n 12 "$stand/load.out" "$stand/load.err")"
  read -r requests microseconds p50 p99 bad broken <<<"$(jq --raw-output '
    [ .latency.count, .seconds * 1e6, .latency.p50 / 1e3, .latency.p99 / 1e3,
      ([.operations[].outcomes | to_entries[] | select(.key | test("^5")) | .value] | add // 0),
      ([.operations[].outcomes | to_entries[] | select(.key | test("^[0-9]") | not) | .value] | add // 0) ] | map(floor) | @tsv' "$file")"
  exhausted=0
}

# The bare server again, with the generator that signs while it sends. The measurements below are compared with this rate.
measure_signing() {
  load bare create --closed --connections="$connections" --duration=1s --no-verify
  load bare create --closed --connections="$connections" --duration="${seconds}s" --no-verify
  record signing
}

# Create, capture, a partial refund, and a refund of the rest.
measure_lifecycle() {
  load "$1" lifecycle --closed --connections="$connections" --warm-up=1s --duration="${seconds}s"
  record "lifecycle-$1"
}

# A hundred duplicates of each key at once. One is executed, and all are answered.
measure_storm() {
  load "$1" storm --closed --connections="$connections" --keys=100 --duplicates=100 --warm-up=1s --duration="${seconds}s"
  record "storm-$1"
}

# The latency of one client alone, and then of creates that leave by a schedule: at half of the rate that the gateway must reach, and at
# half of its highest rate, for which the p99 has a target.
measure_pace() {
  local most due
  load "$1" create --closed --connections=1 --warm-up=1s --duration="${seconds}s"
  record "lone-$1"
  load "$1" create --closed --connections="$connections" --warm-up=1s --duration="${seconds}s"
  record "pace-$1"
  most=$(rate)
  due=$(awk -v bare="${rates[bare]##* }" -v share="$(target_of "create-$1")" 'BEGIN { print int(bare * share / 2) }')
  load "$1" create --rate="$due" --connections="$connections" --warm-up=1s --duration="${seconds}s"
  record "steady-$1"
  load "$1" create --rate=$((most / 2)) --connections="$connections" --warm-up=1s --duration="${seconds}s"
  record "half-$1"
}

# nginx as the receiver of webhooks: the rate at which it answers posts of an event's size and logs them.
measure_nginx() {
  local body thread
  body='{"id":"evt_0123456789abcdef0123456789abcdef","type":"payment.captured","created":"2026-11-21T10:00:00.125Z",'
  body+='"merchant":{"id":"merch_0123456789abcdef0123","entity_id":"ent_0123456789abcdef0123"},'
  body+='"data":{"payment_id":"pay_outage_100000","state":"captured","amount":4200,"currency":"HKD"}}'
  for ((thread = 0; thread < threads; thread++)); do
    printf '%s\r\n' 'POST /hook/0 HTTP/1.1' "Host: ${url[nginx]#https://}" 'User-Agent: gateway' 'Content-Type: application/json' \
      "Content-Length: ${#body}" "X-Service-Signature: t=1795302035,v1=$(printf '0%.0s' {1..64})" 'X-Service-Delivery: 114349209288704' '' >"$stand/requests.$thread"
    printf '%s\0' "$body" >>"$stand/requests.$thread"
  done
  drive nginx again 1
  drive nginx again "$seconds"
  record nginx
}

# The rate at which a backlog is delivered to nginx without other load, and the latency from before an event's commit to its arrival
# at 500 events a second.
measure_deliveries() {
  local gateway=$1 name figures=$stand/figures where
  where=$(mariadb_url)
  rm -f "$figures"
  GATEWAY_NGINX=$(tools/nginx) GATEWAY_TEST_STORES=${gateway/mariadb/mysql} GATEWAY_TEST_MYSQL_URL=$where GATEWAY_WEBHOOK_SPEED=$seconds \
    GATEWAY_WEBHOOK_FIGURES=$figures build/end_to_end_webhook_speed >"$stand/deliveries.out" 2>&1 ||
    fail "deliveries on $gateway: $(tail -n 30 "$stand/deliveries.out")"
  bad=0 broken=0 microseconds=1000000
  while read -r name requests p50 p99; do record "${name%-*}-$gateway"; done <"$figures"
}
