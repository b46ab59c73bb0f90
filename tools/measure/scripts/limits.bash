# The processor time of a create with limits for callers and without, in turn. No limit is reached, so this measures the counting
# and the additional fields of answers. Sourced by tools/bench.
source tools/measure/scripts/measures.bash

most=1.03 low_rate=500
packages=(jq curl)
[ "$store" = sqlite ] || packages+=(mariadb-server mariadb-client)
tools/install "${packages[@]}"
build gatewayd gatewayctl gateway-load
make_stand

declare -A cost_us ratios

# measure_limits off|on low|full: the first second warms up and does not count.
measure_limits() {
  local server=$1 name=$1-$2 how=(--closed) from others
  [ "$2" = full ] || how=(--rate=$low_rate)
  how+=(--connections="$connections" --no-verify)
  load "$server" create "${how[@]}" --duration=1s
  from=$(used_by "$server")
  load "$server" create "${how[@]}" --duration="${seconds}s"
  cost_us[$name]+=" $(awk -v n="$requests" -v from="$from" -v to="$(used_by "$server")" 'BEGIN { printf "%.1f", (to - from) / n }')"
  others=$(jq '[.operations[].outcomes | to_entries[] | select(.key | test("^2") | not) | .value] | add // 0' "$stand/load.json")
  [ "$others" -eq 0 ] || fail "$name: $others creates were not approved"
  record "$name"
}

start_gateway off "$store" gateway_off
gateway_options=(--rate-limit-key=1000000 --rate-limit-platform=1000000 --rate-limit-address=1000000)
start_gateway on "$store" gateway_on

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, $seconds s each, $connections connections, $store, $(nproc) cores"
  order=(off on)
  [ $((round % 2)) -eq 1 ] || order=(on off)
  for amount in low full; do
    for server in "${order[@]}"; do measure_limits "$server" $amount; done
    ratios[$amount]+=" $(awk -v on="${cost_us[on-$amount]##* }" -v off="${cost_us[off-$amount]##* }" 'BEGIN { printf "%.3f", on / (off > 0 ? off : 1) }')"
  done
done
limited=$(sample on gateway_rate_limited_total)
[ "$limited" -eq 0 ] || fail "$limited creates were limited"
told() {
  curl --silent --insecure --dump-header - --output /dev/null "${url[$1]}/v1/payment_intents/pay_1" | grep --count --ignore-case '^ratelimit-policy:' || true
}
if [ "$(told on)" -ne 1 ] || [ "$(told off)" -ne 0 ]; then fail "the limits are not on, or not off"; fi

echo
echo "Microseconds of the gateway's processor time for a create; medians of $rounds, the ratio that of the rounds' ratios"
printf '%-30s %10s %10s %8s\n' '' 'no limits' limits ratio
missed=0
for amount in low full; do
  text="at $low_rate/s"
  [ $amount = low ] || text="$connections connections"
  ratio=$(middle "${ratios[$amount]}")
  printf '%-30s %10s %10s %8s\n' "$text" "$(middle "${cost_us[off-$amount]}")" "$(middle "${cost_us[on-$amount]}")" "$ratio"
  if awk -v r="$ratio" -v most=$most 'BEGIN { exit !(r > most) }'; then
    echo "missed: $text a create with limits costs $ratio times one without (target: $most)" >&2
    missed=1
  fi
done
[ "$wrong" -eq 0 ] || fail "$wrong answers were wrong: see above"
[ $check = no ] || [ $missed -eq 0 ] || exit 1
