# Saved charges beside plain creates, and by_ref beside timelines, in turn, all by a platform's key in live. Sourced by tools/bench.

source tools/measure/scripts/connect.bash
least=0.90
customers=1000

# writes KIND: new payments for the configured seconds. A charge that is captured at once stores one event more than a create, so
# charges that are captured later are measured, too.
writes() {
  local kind=$1 count=$((${guess[$store]} * (seconds + 1) * 3 / 2))
  presign $store-platform "$kind" "$kind$run" "${next_payment[$store]}" "$count" "${live_options[@]}"
  next_payment[$store]=$((${next_payment[$store]} + count))
  drive $store-platform once "$seconds"
  record "$kind-$store"
}

# reads KIND: the same requests repeatedly. The first pass loads their payments and customers into memory.
reads() {
  presign $store-platform "$1" "create$run" 0 $customers "${live_options[@]}"
  drive_all $store-platform 4
  drive $store-platform again "$seconds"
  record "$1-$store"
}

# compared KIND WITH: whether KIND reaches the required share of WITH's rate.
compared() {
  local mine other
  mine=$(median_of "${rates[$1-$store]}") other=$(median_of "${rates[$2-$store]}")
  awk -v s=$store -v name="$1" -v other_name="$2" -v m="$mine" -v o="$other" -v least=$least 'BEGIN {
    met = m / o >= least
    printf "%s: %s %d/s, %s %d/s: %.3f (target: %.2f, %s)\n", s, name, m, other_name, o, m / o, least, met ? "met" : "missed"
    exit !met }' || missed=1
}

missed=0
gateway_options+=(--dev)
for store in mariadb sqlite; do
  start_gateway $store $store
  believed_at=$((SECONDS + 62))
  merchant=${merchant_of[$store]}
  ctl() { build/gatewayctl --data-dir="$stand/$store" --json "$@" >"$stand/ctl.out"; }
  ctl connection set --merchant "$merchant" --mode live --provider sandbox --status connected
  ctl route set --merchant "$merchant" --mode live --provider sandbox --currencies HKD --methods card
  connect $store live 'payments:write payments:read customers:read'
  live_options=(--on-behalf-of="$merchant" --environment=live --customers=$customers)
  guess[$store]=20000 next_payment[$store]=$customers
  presign $store-platform save "save$run" 0 $customers "${live_options[@]}"
  drive_all $store-platform 2
  presign $store-platform create "create$run" 0 $customers "${live_options[@]}"
  drive_all $store-platform 1
  # Customers are read again for each charge until then.
  wait_until_rows_are_kept $((believed_at - SECONDS))
  echo "$store, $connections connections"
  for ((round = 1; round <= rounds; round++)); do
    # In turn; each round begins with another kind.
    order=(create charge authorize)
    for ((i = 0; i < 3; i++)); do writes ${order[((i + round) % 3)]}; done
    reads timeline
    reads by_ref
  done
  compared charge create
  compared authorize create
  compared by_ref timeline
  stop_gateway $store
done
[ $wrong -eq 0 ] || fail "$wrong wrong answers"
[ $missed -eq 0 ] || [ $check = no ] || exit 1
