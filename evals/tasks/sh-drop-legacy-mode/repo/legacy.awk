# 20 columns of the name, then the count.
{ name = substr($0, 1, 20); sub(/ +$/, "", name); print name "\t" substr($0, 21) + 0 }
