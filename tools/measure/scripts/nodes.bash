# Measures what a request costs on one node and on three, in processor time of the gateways. Sourced by tools/bench.
#
# A request costs more at a lower rate, because threads sleep in between and transactions are smaller. So one node is compared
# with three that have the same load each, and for creates also with three that have the same load together.
source tools/measure/scripts/measures.bash
source tools/measure/scripts/cluster.bash

size=3
# Work: the requests that one node gets in a second, and the most that three may cost. No target: the table only shows it.
# A life of a payment is a create, a capture and two refunds; captures are lives that end with it, so half of these requests are creates;
# refunds are lives of which they are 20 of 22 requests.
declare -A rate_of=([create]=500 [lifecycle]=300 [captures]=300 [refunds]=300 [storm]=300 [hot]=100)
declare -A most_of=([create]=1.1 [lifecycle]=1.25 [captures]=1.25 [refunds]=1.25)
declare -A how_of=([create]=create [lifecycle]=lifecycle [captures]='lifecycle --refunds=0' [refunds]='lifecycle --refunds=20'
  [storm]='storm --duplicates=100' [hot]=hot)
declare -A cost_us idle_us idle_part sleeps passed taken_back lost batch database_us ratios

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
  local way
  used_by $(processes_of "$1")
  used_by "$(cat "$stand/mariadb-server/mariadb.pid")"
  for way in passed taken_back lost_claim; do sum_of "$1" 'gateway_node_requests_total{way="'$way'"}'; done
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

# measure_nodes GROUP WORK RATE: the first second warms up and does not count.
measure_nodes() {
  local group=$1 work=$2 name=$1-$2-$3 from to how
  # shellcheck disable=SC2206 # some are several words
  how=(${how_of[$work]} --rate="$3" --connections="$connections" --no-verify)
  load "$group" "${how[@]}" --duration=1s
  read -r -d '' -a from <<<"$(counts_of "$group")" || true
  load "$group" "${how[@]}" --duration="${seconds}s"
  read -r -d '' -a to <<<"$(counts_of "$group")" || true
  if [ "$bad" -ne 0 ] || [ "$broken" -ne 0 ]; then fail "$name: $bad answers of 5xx, $broken broken connections"; fi
  per_request() { awk -v n=$((to[$1] - from[$1])) -v of="$requests" 'BEGIN { printf "%.'"$2"'f", n / of }'; }
  cost_us[$name]+=" $(per_request 0 0)"
  sleeps[$name]+=" $(per_request 1 1)"
  database_us[$name]+=" $(per_request 2 0)"
  passed[$name]+=" $(per_request 4 3)"
  taken_back[$name]+=" $(per_request 5 3)"
  lost[$name]+=" $(per_request 6 3)"
  batch[$name]+=" $(awk -v n=$((to[8] - from[8])) -v of=$((to[7] - from[7])) 'BEGIN { printf "%.2f", n / of }')"
  idle_part[$name]=$(($(middle "${idle_us[$group]}") / $3))
  ratios[$name]+=" $(awk -v of="${cost_us[$name]##* }" -v to="${cost_us[one-$work-${rate_of[$work]}]##* }" 'BEGIN { printf "%.2f", of / to }')"
  echo "  $group, $work at $3/s: ${cost_us[$name]##* } us, MariaDB ${database_us[$name]##* } us, ${passed[$name]##* } passed, ${lost[$name]##* } lost claims"
}

nodes_row() {
  printf '%-46s %12s %12s %12s\n' "$@"
}

# row_of TEXT ARRAY: a row of the medians in ARRAY.
row_of() {
  local -n values=$2
  local each cells=()
  for each in "${columns[@]}"; do cells+=("$(middle "${values[$each]}")"); done
  nodes_row "$1" "${cells[@]}" $([ ${#cells[@]} = 3 ] || echo -)
}

# table_of WORK COLUMN…
table_of() {
  local work=$1 columns=("${@:2}")
  echo
  nodes_row "$work" "one node" "three nodes" "three nodes"
  nodes_row "requests a second, of all nodes" "${columns[@]##*-}" $([ ${#columns[@]} = 3 ] || echo -)
  row_of "processor time of a request, us" cost_us
  row_of "  of that, what idle nodes use" idle_part
  row_of "times that a thread went to sleep" sleeps
  row_of "passed to another node" passed
  row_of "taken back" taken_back
  row_of "lost claims" lost
  row_of "units of work in a transaction" batch
  row_of "MariaDB's processor time of a request, us" database_us
  row_of "times the processor time on one node${most_of[$work]:+ (${most_of[$work]})}" ratios
}

tools/install jq openssl mariadb-server mariadb-client
build gatewayd gatewayctl gateway-load
make_stand
start_nodes one 1
start_nodes three $size
echo "the nodes are up"
wait_until_rows_are_kept 62

for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds: each for $seconds s over $connections connections, $(nproc) cores"
  for group in one three; do measure_idle $group; done
  for work in create lifecycle captures refunds storm hot; do
    measure_nodes one $work ${rate_of[$work]}
    [ $work != create ] || measure_nodes three $work ${rate_of[$work]}
    measure_nodes three $work $((size * rate_of[$work]))
  done
done

echo
echo "Medians of $rounds rounds, each count for a request"
table_of create one-create-500 three-create-500 three-create-1500
for work in lifecycle captures refunds storm hot; do
  table_of $work one-$work-${rate_of[$work]} three-$work-$((size * rate_of[$work]))
done
