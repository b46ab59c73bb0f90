# Measures the processor time of the same work in the gateway and in other products, in turn. Sourced by tools/bench.
source tools/measure/scripts/measures.bash

tools/install jq mariadb-server mariadb-client python3 postgresql redis-server rabbitmq-server
build gatewayd gatewayctl gateway-load
make_stand

gateway_options=(--dev) # the receiver of the scenario "webhooks" speaks plain HTTP
declare -A whole_us store_us per_second
missing=()

# ticks_of PID: its processor time so far, in clock ticks.
ticks_of() {
  sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

# settle PID: waits until the process has used no time for a second, so that all deliveries have been made.
settle() {
  local before=-1 now
  while now=$(ticks_of "$1") && [ "$now" -gt $((before + 2)) ]; do
    before=$now
    sleep 1
  done
}

# keep NAME COUNT SECONDS PROCESSOR_SECONDS OF_THESE_IN_STORES
keep() {
  whole_us[$1]+=" $(awk -v s="$4" -v n="$2" 'BEGIN { printf "%d", s * 1e6 / n }')"
  store_us[$1]+=" $(awk -v s="$5" -v n="$2" 'BEGIN { printf "%d", s * 1e6 / n }')"
  per_second[$1]+=" $(awk -v s="$3" -v n="$2" 'BEGIN { printf "%d", n / s }')"
}

# measure_gateway STORE SCENARIO UNITS REQUESTS: so many requests of the scenario make so many lives or events.
measure_gateway() {
  local name=$1-$2 database='' from to stored=0 hz
  hz=$(getconf CLK_TCK)
  [ "$1" = sqlite ] || database=$(cat "$stand/mariadb-server/mariadb.pid")
  load "$1" "$2" --closed --connections="$connections" --no-verify --duration=5s --data-dir="$stand/$1"
  settle "${server_pid[$1]}"
  from=$(ticks_of "${server_pid[$1]}")
  [ -z "$database" ] || stored=$(ticks_of "$database")
  load "$1" "$2" --closed --connections="$connections" --no-verify --duration="${seconds}s" --data-dir="$stand/$1"
  settle "${server_pid[$1]}"
  to=$(ticks_of "${server_pid[$1]}")
  [ -z "$database" ] || stored=$(($(ticks_of "$database") - stored))
  [ "$bad" -eq 0 ] && [ "$broken" -eq 0 ] || fail "$name: $bad answers of 5xx, $broken broken connections"
  keep "$name" $((requests * $3 / $4)) $((microseconds / 1000000)) "$(awk -v t=$((to - from + stored)) -v hz="$hz" 'BEGIN { print t / hz }')" \
    "$(awk -v t="$stored" -v hz="$hz" 'BEGIN { print t / hz }')"
}

# measure_peer NAME
measure_peer() {
  local line status=0
  line=$(python3 tools/measure/scripts/peers.py "$1" "$seconds" "$connections" 2>"$stand/$1.err") || status=$?
  if [ $status -eq 77 ]; then
    missing+=("$1: ${line##*NOT RUN: }")
    return 0
  fi
  [ $status -eq 0 ] || fail "$1: $line $(tail -n 5 "$stand/$1.err")"
  read -r -a line <<<"${line##*measured }"
  keep "$1" "${line[@]}"
}

row() {
  printf '%-34s %12s %12s %10s   %s\n' "$@"
}

# row_of NAME TEXT DURABILITY
row_of() {
  [ -n "${whole_us[$1]-}" ] || return 0
  row "$2" "$(median_of "${whole_us[$1]}")" "$(median_of "${store_us[$1]}")" "$(median_of "${per_second[$1]}")" "$3"
}

for store_name in sqlite mariadb; do start_gateway "$store_name" "$store_name"; done
for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, $seconds s each, $connections connections"
  for store_name in sqlite mariadb; do
    if wanted payments; then measure_gateway "$store_name" lifecycle 1 4; fi
    # Each fourth payment fails with its create, the others are captured, and each of the four has one event.
    if wanted deliveries; then measure_gateway "$store_name" webhooks 4 7; fi
  done
  if wanted payments; then measure_peer medusa; fi
  if wanted deliveries; then measure_peer outpost; fi
done

echo
echo 'Microseconds of processor time, medians'
row work 'all' 'of these: stores' 'a second' 'on the disk before the answer'
row_of sqlite-lifecycle 'a life: the gateway, SQLite' 'each operation, with its key, entry and event'
row_of mariadb-lifecycle 'a life: the gateway, MariaDB' 'each operation, with its key, entry and event'
row_of medusa "a life: Medusa, PostgreSQL" 'each row; no keys, no HTTP, no signature'
row_of sqlite-webhooks 'an event: the gateway, SQLite' 'the operations that cause it, and the event'
row_of mariadb-webhooks 'an event: the gateway, MariaDB' 'the operations that cause it, and the event'
row_of outpost 'an event: Outpost' "the event in RabbitMQ's queue"
printf 'not run: %s\n' "${missing[@]}" | sort -u | grep -v ': $' || true
echo 'not run: Svix, because three of its dependencies are not on crates.io'
