# Measures the cost of a create on one node and on three, in processor time of the gateways. Sourced by tools/bench.
#
# A create costs more at a lower rate, because threads sleep in between and transactions are smaller. So one node is compared
# with three that have the same load together, and with three that have the same load each.
source tools/measure/scripts/measures.bash
source tools/measure/scripts/cluster.bash

rate=500 size=3
declare -A cost_us idle_us idle_part sleeps passed batch database_us ratios

# used_by PROCESS…: processor time of their threads in microseconds, and how often these went to sleep.
used_by() {
  local process tasks=()
  for process; do tasks+=(/proc/"$process"/task/*); done
  echo "$(cat "${tasks[@]/%//schedstat}" | awk '{ ns += $1 } END { printf "%d", ns / 1000 }')" \
    "$(cat "${tasks[@]/%//status}" | awk '/^voluntary/ { sum += $2 } END { print sum }')"
}

processes_of() {
  local name
  for name in ${nodes_of[$1]}; do echo "${server_pid[$name]}"; done
}

counts_of() {
  used_by $(processes_of "$1")
  used_by "$(cat "$stand/mariadb-server/mariadb.pid")"
  sum_of "$1" 'gateway_node_requests_total{way="passed"}'
  sum_of "$1" gateway_store_batch_units_count
  sum_of "$1" gateway_store_batch_units_sum
}

# measure_idle GROUP: microseconds in a second.
measure_idle() {
  local before after
  before=$(used_by $(processes_of "$1"))
  sleep "$seconds"
  after=$(used_by $(processes_of "$1"))
  idle_us[$1]+=" $(((${after% *} - ${before% *}) / seconds))"
}

# measure_nodes GROUP RATE: the first second warms up and does not count.
measure_nodes() {
  local group=$1 name=$1-$2 from to how
  how=(create --rate="$2" --connections="$connections" --no-verify)
  load "$group" "${how[@]}" --duration=1s
  read -r -d '' -a from <<<"$(counts_of "$group")" || true
  load "$group" "${how[@]}" --duration="${seconds}s"
  read -r -d '' -a to <<<"$(counts_of "$group")" || true
  if [ "$bad" -ne 0 ] || [ "$broken" -ne 0 ]; then fail "$name: $bad answers of 5xx, $broken broken connections"; fi
  cost_us[$name]+=" $(((to[0] - from[0]) / requests))"
  sleeps[$name]+=" $(awk -v n=$((to[1] - from[1])) -v of="$requests" 'BEGIN { printf "%.1f", n / of }')"
  database_us[$name]+=" $(((to[2] - from[2]) / requests))"
  passed[$name]+=" $((100 * (to[4] - from[4]) / requests))"
  batch[$name]+=" $(awk -v n=$((to[6] - from[6])) -v of=$((to[5] - from[5])) 'BEGIN { printf "%.2f", n / of }')"
  idle_part[$name]=$(($(middle "${idle_us[$group]}") / $2))
  echo "  $group at $2/s: ${cost_us[$name]##* } us, MariaDB ${database_us[$name]##* } us, ${passed[$name]##* } % passed"
}

ratio_of() {
  awk -v of="${cost_us[$1]##* }" -v to="${cost_us[one-$rate]##* }" 'BEGIN { printf "%.2f", of / to }'
}

nodes_row() {
  printf '%-46s %12s %12s %12s\n' "$@"
}

# row_of TEXT ARRAY: a row of the medians in ARRAY.
row_of() {
  local -n values=$2
  local work cells=()
  for work in "${works[@]}"; do cells+=("$(middle "${values[${work/ /-}]}")"); done
  nodes_row "$1" "${cells[@]}"
}

tools/install jq openssl mariadb-server mariadb-client
build gatewayd gatewayctl gateway-load
make_stand
works=("one $rate" "three $rate" "three $((size * rate))")
start_nodes one 1
start_nodes three $size
echo "the nodes are up"
wait_until_rows_are_kept 62

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds: creates for $seconds s over $connections connections, $(nproc) cores"
  for group in one three; do measure_idle $group; done
  for work in "${works[@]}"; do
    measure_nodes $work
    ratios[${work/ /-}]+=" $(ratio_of "${work/ /-}")"
  done
done

echo
echo "Medians of $rounds rounds"
nodes_row "" "one node" "three nodes" "three nodes"
nodes_row "creates a second, of all nodes" "$rate" "$rate" "$((size * rate))"
row_of "processor time of a create, us" cost_us
row_of "  of that, what idle nodes use" idle_part
row_of "times that a thread went to sleep" sleeps
row_of "creates passed to their owner, %" passed
row_of "units of work in a transaction" batch
row_of "MariaDB's processor time of a create, us" database_us
row_of "times the processor time on one node (1.25)" ratios
