# Prints some of the gateways' metrics as fields of one row of samples (tools/measure/scripts/soak.bash). `before` is a file that keeps the
# buckets of the webhooks' arrivals from one sample to the next.
BEGIN {
  while ((getline line < before) > 0) {
    split(line, field, " ")
    old[field[1]] = field[2]
  }
  close(before)
}
$1 == "gateway_idempotency_keys_taken_total" { taken += $2 }
$1 == "gateway_idempotency_keys_purged_total" { purged += $2 }
$1 == "gateway_idempotency_purge_overdue_seconds" && $2 > overdue { overdue = $2 }
index($1, "gateway_webhook_pending{") == 1 { pending += $2 }
index($1, "gateway_webhook_oldest_seconds{") == 1 && $2 > oldest { oldest = $2 }
index($1, "gateway_webhook_commit_to_arrival_seconds_bucket{") == 1 {
  le = $1
  sub(/.*le="/, "", le)
  sub(/".*/, "", le)
  if (!(le in place)) {
    bound[++count] = le
    place[le] = count
  }
  total[place[le]] += $2
}
END {
  printf "" > before
  for (i = 1; i <= count; i++) print bound[i], total[i] > before
  arrived = count > 0 ? total[count] - old[bound[count]] : 0
  p99 = ""
  # Interpolates the p99 in the first bucket that reaches it. Beyond the last bound it is that bound.
  for (i = 1; arrived > 0 && i <= count; i++) {
    here = total[i] - old[bound[i]]
    if (here < 0.99 * arrived) continue
    low = i > 1 ? bound[i - 1] : 0
    below = i > 1 ? total[i - 1] - old[bound[i - 1]] : 0
    p99 = bound[i] == "+Inf" ? low : low + (bound[i] - low) * (0.99 * arrived - below) / (here - below)
    p99 *= 1000
    break
  }
  printf "%d,%d,%s,%d,%s,%s", taken, taken - purged, overdue + 0, pending, oldest + 0, p99
}
