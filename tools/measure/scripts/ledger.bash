# Measures the cost of the ledger: the processor time of a create, and of an operation of whole lives (create, capture, refunds), in this
# build and in another gatewayd, in paired rounds. Sourced by tools/bench.
source tools/measure/scripts/measures.bash

[ -x "$against" ] || { echo "tools/bench: ledger: --against must name a gatewayd" >&2; exit 2; }
packages=(jq)
[ "$store" = sqlite ] || packages+=(mariadb-server mariadb-client)
tools/install "${packages[@]}"
build gatewayd gatewayctl gateway-load
make_stand

most=1.05 missed=0
declare -A cost_us ratios

# time_used NAME: the processor time of the server's threads so far, in microseconds.
time_used() {
  cat /proc/${server_pid[$1]}/task/*/schedstat | awk '{ ns += $1 } END { printf "%d", ns / 1000 }'
}

# measure_cost SERVER SCENARIO: sets `per`, microseconds for an operation, in hundredths. The first second warms up.
measure_cost() {
  local server=$1 scenario=$2 how=(--closed --connections="$connections" --no-verify --data-dir="$stand/$1") from
  load "$server" "$scenario" "${how[@]}" --duration=1s
  from=$(time_used "$server")
  load "$server" "$scenario" "${how[@]}" --duration="${seconds}s"
  if [ "$bad" -ne 0 ] || [ "$broken" -ne 0 ]; then fail "$server $scenario: $bad answers of 5xx, $broken broken connections"; fi
  per=$((($(time_used "$server") - from) * 100 / requests))
  cost_us[$server-$scenario]+=" $per"
}

gateway_program=$against
start_gateway other "$store" gateway_other
gateway_program=build/gatewayd
start_gateway this "$store" gateway_this

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, $seconds s each, $connections connections, $store"
  for scenario in create lifecycle; do
    # The order alternates from round to round.
    order=(this other)
    [ $((round % 2)) = 0 ] || order=(other this)
    declare -A pair=()
    for server in "${order[@]}"; do
      measure_cost "$server" $scenario
      pair[$server]=$per
    done
    ratios[$scenario]+=" $((pair[this] * 10000 / pair[other]))"
  done
done

echo
for scenario in create lifecycle; do
  awk -v name=$scenario -v this="$(tr ' ' '\n' <<<"${cost_us[this-$scenario]}" | grep . | median)" \
    -v other="$(tr ' ' '\n' <<<"${cost_us[other-$scenario]}" | grep . | median)" \
    -v ratio="$(tr ' ' '\n' <<<"${ratios[$scenario]}" | grep . | median)" -v most=$most 'BEGIN {
    met = ratio / 10000 <= most
    printf "%s: %.1f us of the gateway'\''s processor time for an operation, the other %.1f us: %.3f (target: at most %.2f, %s)\n",
      name, this / 100, other / 100, ratio / 10000, most, met ? "met" : "missed"
    exit !met }' || missed=1
done
echo "Medians of $rounds; the ratio is that of each round's pair. MariaDB's own time is not in it."
[ $missed -eq 0 ] || [ $check = no ] || exit 1
