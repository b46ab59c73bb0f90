# Prints a line for each request that takes more than $most times its figure in $known: by how much, and in which steps.
($known[0].requests) as $before
| .requests | to_entries[]
| .key as $name | .value as $now
| ($before[$name] // null) as $was
| if $was == null then "\($name): not known yet"
  elif $now.instructions <= $was.instructions * $most then empty
  else
    "\($name): \($now.instructions) instructions, \($was.instructions) known: "
    + "\(($now.instructions / $was.instructions * 1000 - 1000 | round) / 10) % more. By step: "
    + ([ $now.steps | to_entries[] | {key, more: (.value - ($was.steps[.key] // 0))} | select(.more > $was.instructions / 500) ]
       | sort_by(-.more) | map("\(.key) +\(.more)") | join(", "))
  end
