# Measures creates on a store that holds many payments and on an empty one, alternately. Sourced by tools/bench.
source tools/measure/scripts/measures.bash
source tools/measure/scripts/fill.bash

tools/install sqlite3 mariadb-client
start_gateway empty "$store"
start_gateway full "$store" gateway_full
stop_gateway full
fill full "$store" "$payments"
start_gateway full "$store" gateway_full

for name in empty full; do guess[$name]=8000 next_payment[$name]=0; done
for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds, $seconds s each, $connections connections"
  for name in empty full; do measure_create $name; done
done
empty=$(median_of "${rates[create-empty]}")
full=$(median_of "${rates[create-full]}")
ratio=$(awk -v a="$full" -v b="$empty" 'BEGIN { printf "%.3f", a / b }')
printf 'creates on %s: %d/s with an empty store, %d/s with %d payments: %s of it\n' "$store" "$empty" "$full" "$payments" "$ratio"
[ $wrong -eq 0 ] || fail "$wrong answers or counts were not as expected: the rates above mean nothing"
if [ $check = yes ] && awk -v r="$ratio" 'BEGIN { exit !(r < 0.85) }'; then fail "more than 15 % are lost as the store grows"; fi
