# Measures the lists and the log of events: pages of lists with many payments, what a follower of the log costs, and what a thousand
# that wait cost. Sourced by tools/bench. events.py holds the readers.
source tools/measure/scripts/measures.bash
source tools/measure/scripts/fill.bash
source tools/measure/scripts/callgrind.bash

chosen=()
for part in lists follower waiting counted; do if wanted $part; then chosen+=($part); fi; done
[ ${#chosen[@]} -gt 0 ] || { usage >&2; exit 2; }
packages=(jq curl python3)
if [ "$store" = sqlite ]; then packages+=(sqlite3); else packages+=(mariadb-server mariadb-client); fi
if wanted counted; then packages+=(valgrind); fi
tools/install "${packages[@]}"
build gatewayd gatewayctl gateway-load
make_stand

page_target_ms=50 most=1.03 event_target_us=100 idle_target=0.01
low_rate=500 waiting=1000 pages_of_list=200 backlog=20000 missed=0
[ $brief = no ] || pages_of_list=20 backlog=2000
declare -A cost_us ratios

# reader SERVER COMMAND ARGUMENT…: runs one of the readers of events.py with the merchant's key.
reader() {
  local server=$1 command=$2
  shift 2
  KEY_ID=${key_id[$server]} SECRET=${key_secret[$server]} exec python3 tools/measure/scripts/events.py "$command" "${url[$server]}" "$@"
}

# start_reader SERVER COMMAND ARGUMENT…: in the background, until it says that it is ready.
start_reader() {
  : >"$stand/reader.out"
  reader "$@" >"$stand/reader.out" 2>"$stand/reader.log" &
  server_pid[reader]=$!
  until [ -s "$stand/reader.out" ]; do
    kill -0 "${server_pid[reader]}" 2>/dev/null || fail "events.py $2: $(tail -n 1 "$stand/reader.log")"
    sleep 0.1
  done
}

stop_reader() {
  kill -0 "${server_pid[reader]}" 2>/dev/null || fail "a reader ended: $(tail -n 1 "$stand/reader.log")"
  kill "${server_pid[reader]}"
  wait "${server_pid[reader]}" 2>/dev/null || true
  unset "server_pid[reader]"
}

# judge NAME VALUE TARGET: reports a value that is over its target.
judge() {
  if awk -v value="$2" -v target="$3" 'BEGIN { exit !(value > target) }'; then
    echo "missed: $1: $2 (target: at most $3)" >&2
    missed=1
  fi
}

# ---- lists --------------------------------------------------------------------------------------------

# time_list NAME QUERY
time_list() {
  local row
  row=$(reader full pages "$2" $pages_of_list | sort -n | awk '
    { row[NR] = $1 }
    END { printf "%.1f %.1f %.1f", row[int((NR + 1) / 2)], row[int(NR * 0.99 + 0.5)], row[NR] }') || fail "$1 could not be read"
  read -r -a row <<<"$row"
  printf '%-34s %8s %8s %8s\n' "$1" "${row[@]}"
  judge "p99 of $1 in ms" "${row[1]}" $page_target_ms
}

measure_lists() {
  local half month day=86400 of_payments='/v1/payment_intents?limit=100' of_events='/v1/events?limit=100'
  gateway_options=(--events-kept=10y)
  start_gateway full "$store" gateway_full
  stop_gateway full
  fill_history full "$store" "$payments" "${merchant_of[full]}" events
  start_gateway full "$store" gateway_full
  gateway_options=()
  half=$(date -u -d "@$(($(date +%s) - payments * 3 / 2))" +%FT%TZ)
  month=$(date -u -d "@$(($(date +%s) - payments * 3 / 2 - 30 * day))" +%FT%TZ)
  echo "Pages of 100 with $payments payments of one merchant and an event of every tenth on $store, $pages_of_list pages each, one after the other:"
  printf '%-34s %8s %8s %8s\n' list 'p50 ms' 'p99 ms' 'most'
  time_list 'payments' "$of_payments"
  time_list 'payments, from the middle' "$of_payments&created_to=$half"
  time_list 'payments, a month in the middle' "$of_payments&created_from=$month&created_to=$half"
  time_list 'payments, captured' "$of_payments&state=captured"
  time_list 'payments, failed or refunded' "$of_payments&state=failed,refunded"
  time_list 'payments, voided (rare)' "$of_payments&state=voided"
  time_list 'payments, EUR' "$of_payments&currency=EUR"
  time_list 'payments, failed in USD' "$of_payments&state=failed&currency=USD"
  time_list 'payments, by provider_ref' "$of_payments&provider_ref=$(printf 'ch_%016x' $((payments / 2)))"
  time_list 'events' "$of_events"
  time_list 'events, from the middle' "$of_events&from=$half"
  time_list 'events, captured' "$of_events&types=payment.captured"
  time_list 'events, failed (a tenth)' "$of_events&types=payment.failed"
  stop_gateway full
  echo
}

# ---- a follower ---------------------------------------------------------------------------------------

# creates NAME METHOD low|full: sets `per`, the gateway's processor time for a create; the first second warms up. A follower has seen all
# events before the time is read.
creates() {
  local how=(--closed) from sent
  [ "$3" = full ] || how=(--rate=$low_rate)
  how+=(--connections="$connections" --no-verify --payment-method="$2")
  load shop create "${how[@]}" --duration=1s
  sent=$requests
  from=$(used_by shop)
  load shop create "${how[@]}" --duration="${seconds}s"
  events_made=$((sent + requests))
  [ "$1" != followed ] || await_follower
  per=$(awk -v n="$requests" -v from="$from" -v to="$(used_by shop)" 'BEGIN { printf "%.1f", (to - from) / n }')
  [ "$bad" -eq 0 ] && [ "$broken" -eq 0 ] || fail "creates: $bad answers of 5xx, $broken broken connections"
}

# Waits until the follower has seen the events of the creates, where they make any.
await_follower() {
  local until=$((SECONDS + 30))
  [ "$makes_events" = yes ] || events_made=0
  while [ "$(cat "$stand/followed")" -lt "$events_made" ]; do
    [ $SECONDS -lt $until ] || fail "the follower saw $(cat "$stand/followed") of $events_made events"
    sleep 0.02
  done
  [ "$(cat "$stand/followed")" -eq "$events_made" ] || fail "the follower saw $(cat "$stand/followed") events, not $events_made"
}

# measure_pair KIND METHOD low|full: creates without a follower and with one, in turn.
measure_pair() {
  local name=$1-$3 order=(alone followed) way
  makes_events=$([ "$1" = eventful ] && echo yes || echo no)
  [ $((round % 2)) -eq 1 ] || order=(followed alone)
  for way in "${order[@]}"; do
    [ $way = alone ] || start_reader shop follow "$stand/followed"
    creates $way "$2" "$3"
    [ $way = alone ] || stop_reader
    cost_us[$name-$way]+=" $per"
  done
  ratios[$name]+=" $(awk -v a="${cost_us[$name-alone]##* }" -v f="${cost_us[$name-followed]##* }" 'BEGIN { printf "%.3f", f / (a > 0 ? a : 1) }')"
  ratios[$name-difference]+=" $(awk -v a="${cost_us[$name-alone]##* }" -v f="${cost_us[$name-followed]##* }" 'BEGIN { printf "%.1f", f - a }')"
}

# The log from its beginning, in pages of 100: the creates before have made enough events.
measure_backlog() {
  local from most_events
  most_events=$backlog
  from=$(used_by shop)
  (reader shop read "$most_events") || fail "the log could not be read from its beginning"
  cost_us[backlog]+=" $(awk -v n="$most_events" -v from="$from" -v to="$(used_by shop)" 'BEGIN { printf "%.1f", (to - from) / n }')"
}

measure_follower() {
  local amount kind name text
  for ((round = 1; round <= rounds; round++)); do
    echo "follower: round $round of $rounds, $seconds s each, $connections connections, $store, $(nproc) cores"
    for amount in low full; do
      measure_pair quiet pm_card_visa $amount
      measure_pair eventful pm_card_riskBlocked $amount
    done
  done
  # A closed run of a second may make fewer.
  while [ "$(events_of_shop)" -lt "$backlog" ]; do
    load shop create --closed --connections="$connections" --no-verify --payment-method=pm_card_riskBlocked --count="$backlog"
  done
  for ((round = 1; round <= rounds; round++)); do measure_backlog; done

  echo
  echo "Microseconds of the gateway's processor time for a create, without and with a follower of its merchant's events; medians of $rounds,"
  echo "ratio and difference those of the rounds' own"
  printf '%-46s %9s %9s %8s %10s\n' '' alone followed ratio difference
  for kind in quiet eventful; do
    for amount in low full; do
      name=$kind-$amount text="at $low_rate/s"
      [ $amount = low ] || text="$connections connections"
      [ $kind = quiet ] && text="no event, $text" || text="an event each, $text"
      printf '%-46s %9s %9s %8s %10s\n' "$text" "$(middle "${cost_us[$name-alone]}")" "$(middle "${cost_us[$name-followed]}")" \
        "$(middle "${ratios[$name]}")" "$(middle "${ratios[$name-difference]}")"
      if [ $kind = quiet ]; then
        judge "creates with a follower, as a multiple of those without one, $text" "$(middle "${ratios[$name]}")" $most
      else
        judge "a followed event in us, $text" "$(middle "${ratios[$name-difference]}")" $event_target_us
      fi
    done
  done
  printf 'an event that is read in pages of 100: %s us\n\n' "$(middle "${cost_us[backlog]}")"
  judge 'an event that is read in pages of 100, in us' "$(middle "${cost_us[backlog]}")" $event_target_us
}

# The events of the merchant whose creates are measured.
events_of_shop() {
  local count="SELECT COUNT(*) FROM events WHERE merchant_id = '${merchant_of[shop]}'"
  if [ "$store" = mariadb ]; then
    mariadb_sql "USE gateway_shop; $count" | tail -n 1
  else
    sqlite3 -readonly "$stand/shop/gateway.sqlite" "$count"
  fi
}

# ---- those that wait ------------------------------------------------------------------------------------

# rest NAME: what the gateway uses while no client sends anything but those that wait, as a share of one core.
rest() {
  local from
  sleep 1
  from=$(used_by shop)
  sleep "$seconds"
  cost_us[idle-$1]+=" $(awk -v us=$(($(used_by shop) - from)) -v s="$seconds" 'BEGIN { printf "%.4f", us / s / 1e6 }')"
}

# make_waiting_merchant SERVER: the merchant of those that wait.
make_waiting_merchant() {
  local key merchant
  merchant=$(member merchant_id "$(build/gatewayctl --data-dir="$stand/$1" --json merchant create --name Waiting)")
  key=$(build/gatewayctl --data-dir="$stand/$1" --json merchant key mint --merchant "$merchant" --mode test)
  key_id[waiting]=$(member key_id "$key") key_secret[waiting]=$(member secret "$key") url[waiting]=${url[$1]}
}

measure_waiting() {
  local order way
  make_waiting_merchant shop
  makes_events=no
  for ((round = 1; round <= rounds; round++)); do
    echo "waiting: round $round of $rounds, $seconds s each, $waiting followers that wait, $store, $(nproc) cores"
    order=(alone beside)
    [ $((round % 2)) -eq 1 ] || order=(beside alone)
    for way in "${order[@]}"; do
      [ $way = alone ] || start_reader waiting wait $waiting
      rest $way
      creates $way pm_card_visa low
      cost_us[create-$way]+=" $per"
      creates $way pm_card_riskBlocked low
      cost_us[event-$way]+=" $per"
      [ $way = alone ] || stop_reader
    done
    for name in create event; do
      ratios[$name]+=" $(awk -v a="${cost_us[$name-alone]##* }" -v b="${cost_us[$name-beside]##* }" 'BEGIN { printf "%.3f", b / (a > 0 ? a : 1) }')"
    done
  done

  echo
  echo "Beside $waiting followers that wait for events of another merchant; medians of $rounds"
  printf '%-60s %9s %9s %8s\n' '' none waiting ratio
  printf '%-60s %9s %9s\n' 'processor time of an idle gateway, share of a core' "$(middle "${cost_us[idle-alone]}")" "$(middle "${cost_us[idle-beside]}")"
  printf '%-60s %9s %9s %8s\n' "a create without an event at $low_rate/s, us" "$(middle "${cost_us[create-alone]}")" "$(middle "${cost_us[create-beside]}")" \
    "$(middle "${ratios[create]}")"
  printf '%-60s %9s %9s %8s\n' "a create with an event at $low_rate/s, us" "$(middle "${cost_us[event-alone]}")" "$(middle "${cost_us[event-beside]}")" \
    "$(middle "${ratios[event]}")"
  judge "an idle gateway's additional share of a core beside $waiting followers" \
    "$(awk -v a="$(middle "${cost_us[idle-alone]}")" -v b="$(middle "${cost_us[idle-beside]}")" 'BEGIN { printf "%.4f", b - a }')" $idle_target
  judge "creates beside $waiting followers, as a multiple of those without" "$(middle "${ratios[create]}")" $most
  judge "creates with an event beside $waiting followers, as a multiple of those without" "$(middle "${ratios[event]}")" $most
}

# ---- the same, counted ----------------------------------------------------------------------------------

# instructions_in FILE: all that callgrind counted.
instructions_in() {
  awk '/^(totals|summary):/ { sum = $2 } END { print sum }' "$1"
}

# in_function TEXT: the instructions of the function that callgrind names so, with those of what it calls.
in_function() {
  callgrind_annotate --inclusive=yes --threshold=100 "$part" |
    awk -v name="$1" 'index($0, name) { gsub(/,/, "", $1); if ($1 + 0 > most) most = $1 + 0 } END { printf "%d", most }'
}

# Processor times differ from run to run by more than what those that wait cost, instructions do not. Under callgrind the gateway answers
# some 50 creates a second: a tick of the followers sees few events. The cost at the low rate is calculated from that of a tick and of an event.
measure_counted() {
  local creates=300 idle_ms idle_news event each tick share
  [ $brief = no ] || creates=30
  start_gateway counted sqlite
  stop_gateway counted
  start_counted
  make_waiting_merchant counted
  local how=(--closed --connections=1 --no-verify --payment-method=pm_card_riskBlocked)
  load counted create "${how[@]}" --count=50
  counted idle sleep "$seconds"
  idle_ms=$counted_ms each=$(instructions_in "$part")
  counted alone load counted create "${how[@]}" --count=$creates
  each=$((($(instructions_in "$part") - each * counted_ms / idle_ms) / creates))
  start_reader waiting wait $waiting
  counted waiting sleep "$seconds"
  idle_ms=$counted_ms idle_news=$(in_function 'persistence::run(gateway::persistence::db_connection&, gateway::find_event_news const&)')
  counted beside load counted create "${how[@]}" --count=$creates
  event=$((($(in_function 'persistence::run(gateway::persistence::db_connection&, gateway::find_event_news const&)') - idle_news * counted_ms / idle_ms) / creates))
  tick=$(($(in_function 'event_followers::wake(') * 1000 / counted_ms))
  stop_reader
  stop_gateway counted
  share=$(awk -v event=$event -v tick=$tick -v rate=$low_rate -v each=$each 'BEGIN { printf "%.3f", 1 + (event + tick / rate) / each }')
  echo "Instructions beside $waiting followers that wait for events of another merchant, counted by callgrind on SQLite:"
  echo "  a create with an event, without them: $each; what they add to each event: $event; to each second with events: $tick"
  echo "  at $low_rate/s a create with an event takes $share times as many"
  judge "instructions of a create with an event beside $waiting followers, as a multiple of those without" "$share" $most
}

if wanted follower || wanted waiting; then
  start_gateway shop "$store" gateway_shop
  if wanted follower; then measure_follower; fi
  if wanted waiting; then measure_waiting; fi
  stop_gateway shop
fi
if wanted counted; then measure_counted; fi
if wanted lists; then measure_lists; fi
[ $check = no ] || [ $missed -eq 0 ] || exit 1
