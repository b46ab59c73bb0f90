# One measurement each, over connections that are already open. Sourced, not run.

declare -A rates p50s p99s guess next_payment
wrong=0
live=10000 # payments whose keys and timelines are asked for again and again
run=$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')

record() {
  local name=$1
  rates[$name]+=" $(rate)"
  p50s[$name]+=" $p50"
  p99s[$name]+=" $p99"
  printf '  %-18s %9d/s   p50 %7.2f ms   p99 %7.2f ms\n' "$name" "$(rate)" "$(bc_ms "$p50")" "$(bc_ms "$p99")"
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

# Each payment and key is new; every create must have committed its begin and its finish.
measure_create() {
  local gateway=$1 count before after sent
  # Half as many again as the last run needed; a run that still ran out is repeated with more.
  while :; do
    count=$((${guess[$gateway]} * (seconds + 1) * 3 / 2))
    presign "$gateway" create "c$run" "${next_payment[$gateway]}" "$count"
    next_payment[$gateway]=$((${next_payment[$gateway]} + count))
    before=$(sample "$gateway" 'gateway_store_units_total{outcome="committed"}')
    drive "$gateway" once "$seconds"
    after=$(sample "$gateway" 'gateway_store_units_total{outcome="committed"}')
    if [ "$exhausted" -eq 0 ]; then break; fi
    guess[$gateway]=$((${guess[$gateway]} * 2))
  done
  sent=$requests
  guess[$gateway]=$(rate)
  expect "create-$gateway: committed units" $((2 * sent)) $((after - before))
  record "create-$gateway"
}

# The first pass creates what does not exist and brings what was evicted back into memory; the second is measured.
measure_replay() {
  local gateway=$1 before after
  presign "$gateway" create "live$run" 0 "$live"
  drive "$gateway" again 4
  before=$(sample "$gateway" gateway_idempotent_replays_total)
  drive "$gateway" again "$seconds"
  after=$(sample "$gateway" gateway_idempotent_replays_total)
  expect "replay-$gateway: replays" "$requests" $((after - before))
  record "replay-$gateway"
}

measure_timeline() {
  local gateway=$1
  presign "$gateway" create "live$run" 0 "$live"
  drive "$gateway" again 4
  presign "$gateway" timeline "live$run" 0 "$live"
  drive "$gateway" again 1
  drive "$gateway" again "$seconds"
  record "timeline-$gateway"
}

median_of() {
  tr ' ' '\n' <<<"$1" | grep -v '^$' | median
}

# load SERVER SCENARIO [OPTION…]: one run of gateway-load, which signs and verifies what it sends. Sets what drive sets.
load() {
  local server=$1 scenario=$2 file=$stand/load.json
  shift 2
  GATEWAY_LOAD_SECRET=${key_secret[$server]-secret} build/gateway-load run "$scenario" --target="${url[$server]}" --key-id="${key_id[$server]-mk_test_bare}" \
    --insecure --json="$file" --timeout=30s "$@" >"$stand/load.out" 2>"$stand/load.err" ||
    fail "gateway-load $scenario on $server: $(tail -n 12 "$stand/load.out" "$stand/load.err")"
  read -r requests microseconds p50 p99 bad broken <<<"$(jq --raw-output '
    [ .latency.count, .seconds * 1e6, .latency.p50 / 1e3, .latency.p99 / 1e3,
      ([.operations[].outcomes | to_entries[] | select(.key | test("^5")) | .value] | add // 0),
      ([.operations[].outcomes | to_entries[] | select(.key | test("^[0-9]") | not) | .value] | add // 0) ] | map(floor) | @tsv' "$file")"
  exhausted=0
}

# The bare server again, by the generator that signs while it sends: what the measures below are compared with.
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

# A hundred duplicates of each key at once: one is executed, all are answered.
measure_storm() {
  load "$1" storm --closed --connections="$connections" --keys=100 --duplicates=100 --warm-up=1s --duration="${seconds}s"
  record "storm-$1"
}

# One client alone, and then half as many creates as the gateway can do, which leave by a schedule.
measure_pace() {
  local most
  load "$1" create --closed --connections=1 --warm-up=1s --duration="${seconds}s"
  record "lone-$1"
  load "$1" create --closed --connections="$connections" --warm-up=1s --duration="${seconds}s"
  record "pace-$1"
  most=$(rate)
  load "$1" create --rate=$((most / 2)) --connections="$connections" --warm-up=1s --duration="${seconds}s"
  record "half-$1"
}
