# Rates and latencies, relative to the bare server. Sourced by tools/bench.

declare -A rates p50s p99s guess next_payment
wrong=0
live=10000 # payments whose keys and timelines are asked for again and again

uses() {
  local measure
  for measure in "${measures[@]}"; do [[ $measure == *-"$1" ]] && return 0; done
  return 1
}

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

print_table() {
  local measure bare ratio target verdict
  bare=$(median_of "${rates[bare]}")
  printf '\n%-18s %10s %8s %8s %10s %10s\n' "median of $rounds" rate ratio target 'p50 ms' 'p99 ms'
  printf '%-18s %10d %8s %8s %10s %10s\n' bare "$bare" 1 '' "$(bc_ms "$(median_of "${p50s[bare]}")")" "$(bc_ms "$(median_of "${p99s[bare]}")")"
  for measure in "${measures[@]}"; do
    ratio=$(awk -v a="$(median_of "${rates[$measure]}")" -v b="$bare" 'BEGIN { printf "%.4f", a / b }')
    target=$(target_of "$measure")
    verdict=met
    awk -v r="$ratio" -v t="$target" 'BEGIN { exit !(r < t) }' && { verdict=missed; missed=$((missed + 1)); }
    printf '%-18s %10d %8s %8s %10s %10s  %s\n' "$measure" "$(median_of "${rates[$measure]}")" "$ratio" "$target" \
      "$(bc_ms "$(median_of "${p50s[$measure]}")")" "$(bc_ms "$(median_of "${p99s[$measure]}")")" "$verdict"
  done
}

start_bare
gateways=()
for gateway in sqlite mariadb; do
  if uses "$gateway"; then
    start_gateway "$gateway"
    gateways+=("$gateway")
    guess[$gateway]=8000
    next_payment[$gateway]=0
  fi
done
run=$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')
missed=0

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, $seconds s each, $connections connections, $(nproc) cores"
  measure_bare "${gateways[0]}"
  for measure in "${measures[@]}"; do "measure_${measure%%-*}" "${measure#*-}"; done
done
print_table

[ $wrong -eq 0 ] || fail "$wrong answers or counts were not as expected: the rates above mean nothing"
if [ $check = yes ] && [ $missed -gt 0 ]; then fail "$missed targets missed"; fi
