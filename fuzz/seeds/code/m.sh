mP7
#!/bin/sh
# doc
set -eu
. ./lib
f() {
  if [ "$1" = a ]; then echo "${1#a}"; fi
  cat <<EOF
text $(date)
EOF
}
function g { for i in *; do :; done; }
f "$@"
