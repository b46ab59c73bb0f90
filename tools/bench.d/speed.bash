# Rates and latencies, relative to the bare server. Sourced by tools/bench.
source tools/bench.d/measures.bash

uses() {
  local measure
  for measure in "${measures[@]}"; do [[ $measure == *-"$1" ]] && return 0; done
  return 1
}

signs() {
  [[ " ${measures[*]}" =~ \ (lifecycle|storm)- ]]
}

row() {
  printf '%-18s %10s %8s %8s %10s %10s  %s\n' "$@"
}

# told NAME BASE TARGET: one row, its rate as a share of the base's.
told() {
  local name=$1 base=$2 target=$3 share verdict=met
  share=$(awk -v a="$(median_of "${rates[$name]}")" -v b="$(median_of "${rates[$base]}")" 'BEGIN { printf "%.4f", a / b }')
  if awk -v r="$share" -v t="$target" 'BEGIN { exit !(r < t) }'; then verdict=missed missed=$((missed + 1)); fi
  row "$name" "$(median_of "${rates[$name]}")" "$share" "$target" "$(bc_ms "$(median_of "${p50s[$name]}")")" "$(bc_ms "$(median_of "${p99s[$name]}")")" "$verdict"
}

plain() {
  row "$1" "$(median_of "${rates[$1]}")" "${2-}" '' "$(bc_ms "$(median_of "${p50s[$1]}")")" "$(bc_ms "$(median_of "${p99s[$1]}")")" ''
}

print_table() {
  local measure gateway times verdict
  echo
  row "median of $rounds" rate ratio target 'p50 ms' 'p99 ms' ''
  plain bare 1
  [ -z "${rates[signing]-}" ] || plain signing 1
  for measure in "${measures[@]}"; do
    case $measure in
      create-* | replay-* | timeline-*) told "$measure" bare "$(target_of "$measure")" ;;
      lifecycle-* | storm-*) told "$measure" signing "$(target_of "$measure")" ;;
      pace-*)
        gateway=${measure#*-}
        plain "lone-$gateway"
        plain "half-$gateway"
        times=$(awk -v a="$(median_of "${p99s[half-$gateway]}")" -v b="$(median_of "${p50s[lone-$gateway]}")" 'BEGIN { printf "%.1f", a / b }')
        verdict=met
        if awk -v t="$times" 'BEGIN { exit !(t > 10) }'; then verdict=missed missed=$((missed + 1)); fi
        echo "at half the rate, p99 is $times times the p50 of a lone request on $gateway: at most 10 $verdict"
        ;;
    esac
  done
}

start_bare
gateways=()
for gateway in sqlite mariadb; do
  if uses "$gateway"; then
    start_gateway "$gateway" "$gateway"
    gateways+=("$gateway")
    guess[$gateway]=8000
    next_payment[$gateway]=0
  fi
done
missed=0

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, $seconds s each, $connections connections, $(nproc) cores"
  measure_bare "${gateways[0]}"
  if signs; then measure_signing; fi
  for measure in "${measures[@]}"; do "measure_${measure%%-*}" "${measure#*-}"; done
done
print_table

[ $wrong -eq 0 ] || fail "$wrong answers or counts were not as expected: the rates above mean nothing"
if [ $check = yes ] && [ $missed -gt 0 ]; then fail "$missed targets missed"; fi
