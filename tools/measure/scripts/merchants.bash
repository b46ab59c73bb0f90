# How long a start takes with many merchants in the store, and how much memory they need, unused and used. Sourced by
# tools/bench.

most_start_ms=5000 used=200

# Prints statements that insert merchants with all that belongs to one: an owner, two keys, a connection, a route and a destination.
# Their sealed secrets are invalid, because no request is signed with these keys.
merchant_statements() {
  local kind=$1 from=$2 to=$3 now=$4 rows id hex
  if [ "$kind" = mariadb ]; then
    rows="seq_${from}_to_${to}" id="CONCAT('merch_', LPAD(seq, 20, '0'))" hex="LPAD(HEX(seq), 16, '0')"
  else
    rows="(WITH RECURSIVE s(seq) AS (SELECT $from UNION ALL SELECT seq + 1 FROM s WHERE seq < $to) SELECT seq FROM s)"
    id="printf('merch_%020d', seq)" hex="printf('%016x', seq)"
  fi
  text() {
    local joined=$1 part
    for part in "${@:2}"; do [ "$kind" = mariadb ] && joined+=", $part" || joined+=" || $part"; done
    [ "$kind" = mariadb ] && echo "CONCAT($joined)" || echo "$joined"
  }
  local sealed="'c2VhbGVkIGFuZCBuZXZlciBvcGVuZWQuLi4gc2VhbGVkIGFuZCBuZXZlciBvcGVuZWQuLi4gc2VhbGVkIGFuZCBuZXZlciBvcGVuZWQ='"
  cat <<SQL
INSERT INTO merchants (merchant_id, entity_id, name, entity_kind, owner_email, created_at)
  SELECT $id, $(text "'ent_'" "$hex"), $(text "'Shop '" seq), 'standard', $(text "'owner'" seq "'@shop.example'"), $now FROM $rows;
INSERT INTO people (user_id, email, email_key, password_hash, created_at)
  SELECT $(text "'user_'" "$hex"), $(text "'owner'" seq "'@shop.example'"), $(text "'owner'" seq "'@shop.example'"), '', $now FROM $rows;
INSERT INTO memberships (merchant_id, user_id, role, created_at) SELECT $id, $(text "'user_'" "$hex"), 'owner', $now FROM $rows;
INSERT INTO api_keys (merchant_id, key_id, environment, scopes, sealed_secret, created_at)
  SELECT $id, $(text "'mk_test_'" "$hex"), 'test', 'payments:write payments:read', $sealed, $now FROM $rows;
INSERT INTO api_keys (merchant_id, key_id, environment, scopes, sealed_secret, created_at)
  SELECT $id, $(text "'mk_live_'" "$hex"), 'live', 'payments:write payments:read', $sealed, $now FROM $rows;
INSERT INTO connections (merchant_id, environment, provider, connection_id, status, account)
  SELECT $id, 'test', 'sandbox', $(text "'conn_'" "$hex"), 'connected', 'acct_sandbox' FROM $rows;
INSERT INTO routes (merchant_id, environment, provider, route_id, position, currencies, methods)
  SELECT $id, 'test', 'sandbox', $(text "'route_'" "$hex"), 1, '', 'card' FROM $rows;
INSERT INTO destinations (owner_id, destination_id, kind, environment, url, events, status, disabled_reason, sealed_secret, sealed_previous,
  created_at)
  SELECT $id, $(text "'dest_'" "$hex"), 'merchant', 'live', 'https://shop.example/hooks', '', 'enabled', '', $sealed, '', $now FROM $rows;
SQL
}

fill_with_merchants() {
  local from to chunk=100000 now began=$SECONDS
  now=$(date +%s000)
  for ((from = 1; from <= merchants; from += chunk)); do
    to=$((from + chunk - 1))
    [ $to -le "$merchants" ] || to=$merchants
    if [ "$store" = mariadb ]; then
      mariadb_sql "USE gateway; SET unique_checks=0; $(merchant_statements mariadb $from $to "$now")"
    else
      { echo "PRAGMA synchronous=OFF;"; merchant_statements sqlite $from $to "$now"; } | sqlite3 "$stand/$store/gateway.sqlite" >/dev/null
    fi
  done
  local count="SELECT COUNT(*) FROM merchants"
  if [ "$store" = mariadb ]; then
    count=$(mariadb_sql "USE gateway; $count" | tail -n 1)
  else
    count=$(sqlite3 "$stand/$store/gateway.sqlite" "$count")
  fi
  [ "$count" -gt "$merchants" ] || fail "the store has $count merchants"
  printf '%d merchants written in %d s\n' "$merchants" $((SECONDS - began))
}

# The memory of the process, and the peak during its start.
resident_kb() {
  awk -v name="$1:" '$1 == name { print $2 }' "/proc/${server_pid[$store]}/status"
}

# Sets start_ms, the time from starting the program until it reports that it is ready.
start_timed() {
  local began
  began=$(date +%s%N)
  start_gateway "$store" "$store"
  until curl --silent --fail --output /dev/null "${metrics[$store]}/readyz"; do sleep 0.01; done
  start_ms=$((($(date +%s%N) - began) / 1000000))
}

report() {
  printf '%-34s %6d ms to ready, %7d kB resident, %7d kB at most\n' "$1" "$start_ms" "$(resident_kb VmRSS)" "$(resident_kb VmHWM)"
}

# The merchants that are used have valid secrets: they are created through the operator socket.
make_used() {
  local tell=(build/gatewayctl "--data-dir=$stand/$store" --json) made number
  for ((number = 0; number < used; ++number)); do
    made=$(member merchant_id "$("${tell[@]}" merchant create --name "Shop $number" --owner-email "shop$number@example.com")")
    "${tell[@]}" merchant key mint --merchant "$made" --mode test >/dev/null
    "${tell[@]}" merchant key mint --merchant "$made" --mode live >/dev/null
    "${tell[@]}" destination set --merchant "$made" --mode live --url http://127.0.0.1:9/hooks >/dev/null
    used_merchants+=("$made")
  done
}

gateway_options+=(--dev) # permits destinations on this machine
used_merchants=()
start_gateway "$store" "$store"
make_used
stop_gateway "$store"
start_timed
report "$((used + 1)) merchants in the store:"
stop_gateway "$store"
fill_with_merchants
starts=()
for ((round = 1; round <= rounds; ++round)); do
  start_timed
  starts+=("$start_ms")
  report "$merchants merchants in the store:"
  [ "$round" -eq "$rounds" ] || stop_gateway "$store"
done

before=$(resident_kb VmRSS)
for one in "${used_merchants[@]}"; do
  build/gatewayctl --data-dir="$stand/$store" event list --merchant "$one" >/dev/null || fail "$one is not found"
done
after=$(resident_kb VmRSS)
known=$(sample "$store" gateway_directory_merchants)
printf '%d of them used: %d kB more\n' "$known" $((after - before))

middle=$(printf '%s\n' "${starts[@]}" | median)
printf '\nstart with %d merchants in the store: %d ms (median of %d; target: at most %d)\n' "$merchants" "$middle" "$rounds" "$most_start_ms"
if [ "$middle" -gt $most_start_ms ]; then
  echo "missed" >&2
  [ $check = no ] || exit 1
fi
