# Creates as work grows: by connections, by merchants, and by payments that the store holds. Sourced by tools/bench.
#
# Each point is one verified run of gateway-load in the closed model. All points share 256 connections, one merchant, an empty store
# and sequential payment ids, except for the number that the curve varies. The curve over merchants uses random ids: the ids of many
# merchants are spread over the indexes, and with sequential ids only the point of one merchant would gain from its order. The results
# stay in build/bench/curves-STORE/, so that --only can measure one curve again while the page keeps the others.
source tools/measure/scripts/fill.bash

reference=256
results=$root/build/bench/curves-$store
page=$results.html

tools/install jq mariadb-server mariadb-client sqlite3
build gatewayd gatewayctl gateway-load
make_stand
# With the default limit the gateway would reject requests of thousands of connections, and rejections are no creates.
gateway_options=(--begin-wait=1m)

# point CURVE GATEWAY CONNECTIONS MERCHANTS PAYMENTS
point() {
  local curve=$1 gateway=$2 clients=$3 merchants=$4 held=$5 file=$stand/load.json asks others x
  case $curve in
    connections) x=$clients ;;
    merchants) x=$merchants ;;
    payments) x=$held ;;
  esac
  # A run with one merchant uses the merchant of the setup, who owns a share of the payments in the store.
  if [ "$merchants" -gt 1 ]; then asks=(--data-dir="$stand/$gateway" --merchants="$merchants")
  else asks=(--key-id="${key_id[$gateway]}" --insecure); fi
  if [ "$curve" = merchants ]; then asks+=(--payment-ids=random); fi
  GATEWAY_LOAD_SECRET=${key_secret[$gateway]} build/gateway-load run create --closed --connections="$clients" --target="${url[$gateway]}" \
    "${asks[@]}" --warm-up=2s --duration="${seconds}s" --timeout=60s --label="payments=$held" --name="$x $curve" --json="$file" \
    >"$stand/load.out" 2>"$stand/load.err" || fail "gateway-load at $x $curve: $(tail -n 12 "$stand/load.out" "$stand/load.err")"
  others=$(jq '[.operations[].outcomes | to_entries[] | select(.key != "200") | .value] | add // 0' "$file")
  [ "$others" -eq 0 ] || fail "at $x $curve $others requests were not answered 200: $(tail -n 12 "$stand/load.out")"
  jq --raw-output --arg x "$x $curve" '[.latency.p50, .latency.p99] as [$p50, $p99] |
    "  \($x): \(.latency.count / .seconds | floor)/s, p50 \($p50 / 1e6 | floor) ms, p99 \($p99 / 1e6 | floor) ms"' "$file"
  mv "$file" "$results/$curve-$(printf '%08d' "$x")-$round.json"
}

measure_connections() {
  local n files
  files=$(ulimit -Hn)
  start_gateway connections "$store" gateway_connections
  for n in 10 50 "$reference" 1000 5000; do
    if [ $brief = yes ] && [ "$n" -gt 50 ]; then break; fi
    if [ "$files" = unlimited ] || [ "$files" -gt $((n + 512)) ]; then
      point connections connections "$n" 1 0
    else
      echo "  $n connections: left out, this user may have $files open files" >&2
    fi
  done
  stop_gateway connections
}

# In ascending order on one gateway, which keeps the merchants of earlier runs.
measure_merchants() {
  local n
  start_gateway merchants "$store" gateway_merchants
  for n in 1 100 10000 100000; do
    if [ $brief = yes ] && [ "$n" -gt 100 ]; then break; fi
    point merchants merchants "$reference" "$n" 0
  done
  stop_gateway merchants
}

measure_payments() {
  local n name
  for n in 0 100000 1000000 10000000; do
    [ "$n" -le "$payments" ] || break
    name=holds_$n
    if [ -z "${key_id[$name]-}" ]; then
      start_gateway "$name" "$store" "gateway_$name"
      stop_gateway "$name"
      [ "$n" -eq 0 ] || fill "$name" "$store" "$n"
    fi
    start_gateway "$name" "$store" "gateway_$name"
    point payments "$name" "$reference" 1 "$n"
    stop_gateway "$name"
  done
}

curves=()
for curve in connections merchants payments; do
  if wanted "$curve"; then curves+=("$curve"); fi
done
[ ${#curves[@]} -gt 0 ] || { usage >&2; exit 2; }

mkdir -p "$results"
for curve in "${curves[@]}"; do rm -f "$results/$curve"-*.json; done
for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds on $store, $seconds s each, $(nproc) cores"
  for curve in "${curves[@]}"; do "measure_$curve"; done
done

build/gateway-load report "$results"/*.json --html="$page" --title="Creates on $store as work grows" | sed -n '/^by /,$p'
echo "drawn: $page"
