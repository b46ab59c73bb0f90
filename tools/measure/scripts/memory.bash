# The resident memory that remains after a million payments. Sourced by tools/bench.

first=10000 most_growth_kb=$((150 * 1024))
chunk_seconds=10

resident_kb() {
  awk '/^VmRSS:/ { print $2 }' "/proc/${server_pid[$store]}/status"
}

created() {
  sample "$store" 'gateway_http_requests_total{route="/v1/payment_intents",status="200"}'
}

# create_some FIRST COUNT SECONDS
create_some() {
  presign "$store" create memory "$1" "$2"
  drive "$store" once "$3"
  [ "$bad" -eq 0 ] && [ "$broken" -eq 0 ] || fail "$bad answers with a wrong status, $broken broken connections"
}

start_gateway "$store" "$store"
[ "$payments" -gt "$first" ] || fail "--payments must be above $first"

# A few more requests than needed, because each thread of wrk takes one request from its script that it does not send.
next=0
until [ "$(created)" -ge "$first" ]; do
  count=$((first - $(created) + threads))
  create_some "$next" "$count" 4
  next=$((next + count))
done
begun=$(resident_kb)
printf '%9d payments: %7d kB resident\n' "$(created)" "$begun"

pace=8000
while [ "$(created)" -lt "$payments" ]; do
  count=$((pace * chunk_seconds * 3 / 2))
  create_some "$next" "$count" "$chunk_seconds"
  next=$((next + count))
  # If the requests ran out, the rate is unknown: plan with twice the rate next time.
  if [ "$exhausted" -gt 0 ]; then pace=$((pace * 2)); else pace=$(rate); fi
  printf '%9d payments: %7d kB resident, %s creates/s\n' "$(created)" "$(resident_kb)" "$pace"
done
ended=$(resident_kb)

printf '\nresident set: %d kB after the first %d payments, %d kB after %d: %+d MB (target: at most +150 MB)\n' \
  "$begun" "$first" "$ended" "$(created)" $(((ended - begun) / 1024))
if [ $((ended - begun)) -gt $most_growth_kb ]; then
  echo "missed" >&2
  [ $check = no ] || exit 1
fi
