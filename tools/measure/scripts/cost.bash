# Measures the processor time of an operation at a low rate and at full load. Sourced by tools/bench.
source tools/measure/scripts/measures.bash

tools/install jq mariadb-server mariadb-client
build gatewayd gatewayctl gateway-load bare_server
make_stand

low_rate=500
gateway_options=(--dev) # the receiver of the scenario "webhooks" speaks plain HTTP
declare -A user_us system_us sleeps

# time_used NAME: the server's user and system time so far, in clock ticks, and how often its threads have gone to sleep.
time_used() {
  local process=/proc/${server_pid[$1]}
  echo "$(sed 's/.*) //' "$process/stat" | cut -d' ' -f12,13)" "$(awk '/^voluntary/ { sum += $2 } END { print sum }' "$process"/task/*/status)"
}

# measure_cost SERVER SCENARIO low|full: records the cost of an operation. The first second warms up and does not count.
measure_cost() {
  local server=$1 scenario=$2 name=$1-$2-$3 how=(--rate=$low_rate) from to per
  [ "$3" = low ] || how=(--closed --connections="$connections")
  [ "$server" = bare ] || how+=(--data-dir="$stand/$server")
  load "$server" "$scenario" "${how[@]}" --no-verify --duration=1s
  read -r -a from <<<"$(time_used "$server")"
  load "$server" "$scenario" "${how[@]}" --no-verify --duration="${seconds}s"
  read -r -a to <<<"$(time_used "$server")"
  if [ "$bad" -ne 0 ] || [ "$broken" -ne 0 ]; then fail "$name: $bad answers of 5xx, $broken broken connections"; fi
  per=$(awk -v n="$requests" -v hz="$(getconf CLK_TCK)" -v from="${from[*]}" -v to="${to[*]}" 'BEGIN {
    split(from, a); split(to, b)
    printf "%d %d %.1f", (b[1] - a[1]) * 1e6 / hz / n, (b[2] - a[2]) * 1e6 / hz / n, (b[3] - a[3]) / n }')
  read -r -a per <<<"$per"
  user_us[$name]+=" ${per[0]}" system_us[$name]+=" ${per[1]}" sleeps[$name]+=" ${per[2]}"
}

cost_row() {
  printf '%-22s %22s %22s %22s\n' "$@"
}

# cell NAME: the total time, its user and system parts, and sleeps.
cell() {
  local user system
  user=$(middle "${user_us[$1]}") system=$(middle "${system_us[$1]}")
  echo "$((user + system)) = $user + $system, $(middle "${sleeps[$1]}")"
}

of_both() {
  echo $(($(middle "${user_us[$1]}") + $(middle "${system_us[$1]}")))
}

works=('bare create')
for gateway in sqlite mariadb; do
  for scenario in create lifecycle webhooks; do works+=("$gateway $scenario"); done
done
start_bare
for gateway in sqlite mariadb; do start_gateway "$gateway" "$gateway"; done

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, $seconds s each, $connections connections at full load, $(nproc) cores"
  for work in "${works[@]}"; do
    for load in low full; do measure_cost ${work% *} ${work#* } $load; done
  done
done

echo
echo "Microseconds of the server's processor time for an operation, = user + system, and how often its threads slept; medians of $rounds"
cost_row work "at $low_rate/s" 'at full load' 'low, of full'
for work in "${works[@]}"; do
  name=${work/ /-}
  cost_row "$name" "$(cell "$name-low")" "$(cell "$name-full")" \
    "$(awk -v low="$(of_both "$name-low")" -v full="$(of_both "$name-full")" 'BEGIN { printf "%.1f", low / (full > 0 ? full : 1) }')"
done
echo
echo "bare: a TLS server that answers and does nothing else. MariaDB's own time is not in it."
