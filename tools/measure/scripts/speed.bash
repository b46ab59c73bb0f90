# Rates and latencies, relative to the limits measured in the same run. Sourced by tools/bench.
source tools/measure/scripts/measures.bash

uses() {
  local measure
  for measure in "${measures[@]}"; do [[ $measure == *-"$1" ]] && return 0; done
  return 1
}

signs() {
  [[ " ${measures[*]}" =~ \ (lifecycle|storm)- ]]
}

compares_databases() {
  [[ " ${measures[*]}" =~ \ database- ]]
}

paces() {
  [[ " ${measures[*]}" =~ \ pace- ]]
}

delivers() {
  [[ " ${measures[*]}" =~ \ deliveries- ]]
}

row() {
  printf '%-18s %9s %8s %-9s %8s %12s %10s %10s  %s\n' "$@"
}

ratio() {
  awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'
}

rate_of() {
  median_of "${rates[$1]}"
}

# The median of values in microseconds, in milliseconds. Prints nothing if there are none.
ms() {
  [ -z "$1" ] || bc_ms "$(median_of "$1")"
}

# result_row NAME RATIO BASE TARGET OF_DATABASE VERDICT: all but the name may be empty.
result_row() {
  row "$1" "$(rate_of "$1")" "${@:2:4}" "$(ms "${p50s[$1]-}")" "$(ms "${p99s[$1]-}")" "${6-}"
}

# judge CONDITION: sets verdict. CONDITION is an expression of awk over measured values, because the printed ones are rounded.
judge() {
  verdict=met
  if ! awk "BEGIN { exit !($1) }"; then verdict=missed missed=$((missed + 1)); fi
}

# compared_row NAME BASE [DATABASE]: the rate as a ratio to BASE's, and to the bare database's.
compared_row() {
  local name=$1 base=$2 of_database='' share target verdict=''
  share=$(ratio "$(rate_of "$name")" "$(rate_of "$base")")
  target=$(target_of "$name")
  [ -z "$target" ] || judge "$(rate_of "$name") >= $target * $(rate_of "$base")"
  if [ -n "${3-}" ] && [ -n "${rates[$3]-}" ]; then of_database=$(ratio "$(rate_of "$name")" "$(rate_of "$3")"); fi
  result_row "$name" "$share" "$base" "$target" "$of_database" "$verdict"
}

# tail_ratio RUN: the p99 of RUN as a multiple of a lone request's p50, on the store in $gateway.
tail_ratio() {
  printf %.1f "$(ratio "$(median_of "${p99s[$1-$gateway]}")" "$(median_of "${p50s[lone-$gateway]}")")"
}

print_table() {
  local measure gateway base verdict
  echo
  row "median of $rounds" rate/s ratio of target 'of database' 'p50 ms' 'p99 ms' ''
  for base in bare signing nginx; do
    [ -z "${rates[$base]-}" ] || result_row "$base" 1 '' '' '' ''
  done
  for measure in "${measures[@]}"; do
    gateway=${measure#*-}
    case $measure in
      create-*) compared_row "$measure" bare "database-$gateway" ;;
      database-*) result_row "$measure" '' '' '' 1 '' ;;
      replay-* | timeline-*) compared_row "$measure" bare ;;
      lifecycle-* | storm-*) compared_row "$measure" signing ;;
      pace-*)
        result_row "lone-$gateway" '' '' '' '' ''
        result_row "steady-$gateway" "$(tail_ratio steady)" 'lone p50' '' '' ''
        judge "$(median_of "${p99s[half-$gateway]}") <= 10 * $(median_of "${p50s[lone-$gateway]}")"
        result_row "half-$gateway" "$(tail_ratio half)" 'lone p50' '<= 10' '' "$verdict"
        ;;
      deliveries-*)
        compared_row "$measure" nginx
        result_row "arrival-$gateway" '' '' '' '' ''
        ;;
    esac
  done
  echo
  if compares_databases; then echo "database: creates that the bare database commits; p50 and p99 of a batch$(batch_sizes)"; fi
  if paces; then echo "lone: one client; steady: half of the rate that creates must reach; half: half of their highest"; fi
  if delivers; then
    echo "deliveries: a backlog to nginx, at no set rate (webhook-rate is 0)"
    echo "arrival: events that are sent as they happen; p50 and p99 from before their commit to nginx's log"
  fi
}

batch_sizes() {
  local gateway
  for gateway in "${gateways[@]}"; do
    if [ -n "${batch_units[$gateway]-}" ]; then printf ', of %s units on %s' "${batch_units[$gateway]}" "$gateway"; fi
  done
}

build bare_database end_to_end_webhook_speed
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
if delivers; then start_nginx; fi

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, $seconds s each, $connections connections, $(nproc) cores"
  measure_bare "${gateways[0]}"
  if signs; then measure_signing; fi
  if delivers; then measure_nginx; fi
  for measure in "${measures[@]}"; do "measure_${measure%%-*}" "${measure#*-}"; done
done
print_table

[ $wrong -eq 0 ] || fail "$wrong answers or counts were not as expected: the rates above mean nothing"
if [ $check = yes ] && [ $missed -gt 0 ]; then fail "$missed targets missed"; fi
