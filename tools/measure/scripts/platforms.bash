# Creates by a platform's key and by the merchant's own key, in turn. Sourced by tools/bench.

least=0.97
source tools/measure/scripts/connect.bash

# creates GATEWAY SERIES [OPTION…]: new payments for the configured seconds.
creates() {
  local signer=$1 name=$2 count=$((${guess[$store]} * (seconds + 1) * 3 / 2))
  shift 2
  presign "$signer" create "$name$run" "${next_payment[$store]}" "$count" "$@"
  next_payment[$store]=$((${next_payment[$store]} + count))
  drive "$signer" once "$seconds"
  record "$name-$store"
}

missed=0
for store in mariadb sqlite; do
  start_gateway $store $store
  connect $store test payments:write
  guess[$store]=20000 next_payment[$store]=0
  echo "$store, $connections connections"
  for ((round = 1; round <= rounds; round++)); do
    if ((round % 2)); then
      creates $store merchant
      creates $store-platform platform --on-behalf-of="${merchant_of[$store]}"
    else
      creates $store-platform platform --on-behalf-of="${merchant_of[$store]}"
      creates $store merchant
    fi
  done
  of_merchant=$(tr ' ' '\n' <<<"${rates[merchant-$store]# }" | median)
  of_platform=$(tr ' ' '\n' <<<"${rates[platform-$store]# }" | median)
  awk -v s=$store -v m="$of_merchant" -v p="$of_platform" -v least=$least 'BEGIN {
    met = p / m >= least
    printf "%s: %d/s by the merchant, %d/s by the platform: %.3f (target: %.2f, %s)\n", s, m, p, p / m, least, met ? "met" : "missed"
    exit !met }' || missed=1
  stop_gateway $store
done
[ $wrong -eq 0 ] || fail "$wrong wrong answers"
[ $missed -eq 0 ] || [ $check = no ] || exit 1
