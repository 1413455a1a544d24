#!/bin/sh
# Gathers what Hairpin reads from this node, and as root from the network namespace of every pod, into one archive.
# Reads only: it changes no setting, loads no module on purpose, and takes no Secret, environment or command line.
#
#   sh collect.sh [-o FILE] [--no-pods] [--base64]
#
# -o FILE    where the archive goes; `-` is standard output. Default: hairpin-HOST-TIME.tar.gz in this folder.
# --no-pods  the node itself only
# --base64   to standard output as text between two marker lines, for channels that are not clean

set -u
umask 077
LC_ALL=C
export LC_ALL
# Shells by ssh often lack the folders in which these tools live.
PATH=$PATH${HAIRPIN_SBIN-:/usr/local/sbin:/usr/sbin:/sbin}
export PATH

seconds=${HAIRPIN_SECONDS:-15}           # each command may take this long
bytes=${HAIRPIN_BYTES:-67108864}         # and print this much
total=${HAIRPIN_TOTAL_SECONDS:-600}      # no further namespace is begun after this
out=
pods=yes
base64=no

while [ $# -gt 0 ]; do
  case $1 in
  -o)
    [ $# -gt 1 ] || { echo "collect: -o needs a file" >&2; exit 64; }
    out=$2
    shift
    ;;
  --no-pods) pods=no ;;
  --base64) base64=yes ;;
  *)
    echo "collect: $1: not an option" >&2
    exit 64
    ;;
  esac
  shift
done

have() { command -v "$1" >/dev/null 2>&1; }
say() { printf '%s\n' "$*" >&2; }

# Only what is safe as a folder's name; anything else is called by $2.
plain() {
  case $1 in
  '' | .* | *[!A-Za-z0-9._-]*) printf '%s' "$2" ;;
  *) printf '%s' "$1" ;;
  esac
}

read -r host </proc/sys/kernel/hostname 2>/dev/null || host=$(uname -n 2>/dev/null) || host=node
host=$(plain "$host" node)
[ -n "$out" ] || [ "$base64" = yes ] || out=./hairpin-$host-$(date -u +%Y%m%dT%H%M%SZ 2>/dev/null || echo now).tar.gz

work=
part=
job=
finish() {
  [ -z "$work" ] || {
    # Whatever is still running was started here.
    [ ! -s "$work/pid" ] || { read -r pid <"$work/pid" && kill "$pid" 2>/dev/null; }
    [ -z "$job" ] || kill "$job" 2>/dev/null
    rm -rf "$work"
  }
  [ -z "$part" ] || rm -f "$part"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

tmp=${TMPDIR:-/tmp}
if have mktemp; then
  work=$(mktemp -d "$tmp/hairpin.XXXXXX") || exit 73
else
  work=$tmp/hairpin.$$
  mkdir "$work" || exit 73
fi
top=$work/bundle
node=$top/nodes/$host
mkdir -p "$node"
manifest=$node/manifest.txt

limit() {
  if have head; then head -c "$bytes"; else cat; fi
}

# Runs a command no longer than $seconds, with or without timeout(1).
timed() {
  if have timeout; then exec timeout "$seconds" "$@"; fi
  have sleep || exec "$@"
  "$@" &
  of=$!
  (
    sleep "$seconds"
    kill "$of" 2>/dev/null
  ) >/dev/null 2>&1 &
  guard=$!
  trap 'kill "$of" "$guard" 2>/dev/null; exit 143' TERM
  wait "$of"
  status=$?
  kill "$guard" 2>/dev/null
  [ "$status" -ne 143 ] || status=124
  exit "$status"
}

# Where a tool lies. Some shells would run a lesser one of their own instead.
path_of() {
  IFS=:
  for folder in $PATH; do
    [ -f "$folder/$1" ] && [ -x "$folder/$1" ] && printf '%s/%s' "$folder" "$1" && return
  done
  printf '%s' "$1"
}

enter=    # words before a command that make it run in another network namespace
where=$node

# dump FILE COMMAND…: what the command prints goes to FILE; how it went, to the manifest.
dump() {
  file=$where/$1
  shift
  name=${file#"$top"/}
  if ! have "$1"; then
    printf 'missing  %s  %s: no such tool\n' "$name" "$1" >>"$manifest"
    return 0
  fi
  called=$*
  [ "$1" != sh ] || called="a few lines of sh"
  tool=$(path_of "$1")
  shift
  : >"$work/pid"
  : >"$work/status"
  # In the background, so that a signal is noticed at once and not when the command is done.
  {
    {
      (timed $enter "$tool" "$@") 2>"$work/err" </dev/null &
      echo $! >"$work/pid"
      wait $!
      echo $? >"$work/status"
    } | limit
  } >"$file" &
  job=$!
  wait "$job"
  job=
  read -r status <"$work/status" || status=0
  size=$(wc -c <"$file" 2>/dev/null || echo 0)
  size=$((size + 0))
  first=
  IFS= read -r first <"$work/err" 2>/dev/null || :
  if [ "$size" -ge "$bytes" ]; then
    # Hairpin takes a list that ends so for a part of one.
    printf '\n...\n' >>"$file"
    printf 'cut      %s  %s: more than %s bytes\n' "$name" "$called" "$bytes" >>"$manifest"
  elif [ "$status" = 124 ]; then
    [ "$size" -eq 0 ] && rm -f "$file" || printf '\n...\n' >>"$file"
    printf 'timeout  %s  %s: longer than %s s\n' "$name" "$called" "$seconds" >>"$manifest"
  elif [ "$status" != 0 ]; then
    [ "$size" -gt 0 ] || rm -f "$file"
    printf 'failed   %s  %s: status %s: %s\n' "$name" "$called" "$status" "$first" >>"$manifest"
  elif [ "$size" -eq 0 ]; then
    rm -f "$file"
    printf 'empty    %s  %s\n' "$name" "$called" >>"$manifest"
  else
    printf 'ok       %s  %s\n' "$name" "$called" >>"$manifest"
  fi
}

skip() { printf 'skipped  %s: %s\n' "$1" "$2" >>"$manifest"; }

# Asking some tools loads the kernel module they are about. What is not loaded holds nothing to read.
loaded() {
  [ -d "/sys/module/$1" ] || grep -q "$2" /proc/kallsyms 2>/dev/null
}

# Keys of this list are keys in the other sense.
sysctls='sysctl -a 2>/dev/null | grep "^net\." | grep -v -e stable_secret -e fastopen_key -e "\.secret"'

# All that is of one network namespace.
namespace() {
  for family in ip ip6; do
    # Rules may stand in either back end, or in both. Asking for legacy ones loads them, so it is asked only where there are any.
    if have "${family}tables-legacy-save" || have "${family}tables-nft-save"; then
      tables=$($enter cat "/proc/net/${family}_tables_names" 2>/dev/null)
      if [ -n "$tables" ]; then dump "${family}tables-legacy-save.txt" "${family}tables-legacy-save" -c; fi
      if [ "$nf_tables" = yes ]; then dump "${family}tables-nft-save.txt" "${family}tables-nft-save" -c; fi
    else
      dump "${family}tables-save.txt" "${family}tables-save" -c
    fi
  done
  if [ "$nf_tables" = yes ]; then dump nft-list-ruleset.txt nft list ruleset; else skip "nft list ruleset" "nf_tables is not loaded"; fi
  if [ "$ip_set" = yes ]; then dump ipset-list.txt ipset list; else skip "ipset list" "ip_set is not loaded"; fi
  if [ -e /proc/net/ip_vs ]; then
    dump ipvsadm-Sn.txt ipvsadm -Sn
    dump ipvsadm-ln.txt ipvsadm -ln
    dump ipvsadm-lnc.txt ipvsadm -lnc
    have ipvsadm || dump proc-net-ip_vs.txt cat /proc/net/ip_vs
  else
    skip ipvsadm "ip_vs is not loaded"
  fi
  dump ip-rule.txt ip -4 rule
  dump ip-6-rule.txt ip -6 rule
  dump ip-4-route-show-table-all.txt ip -4 route show table all
  dump ip-6-route-show-table-all.txt ip -6 route show table all
  dump ip-d-addr.txt ip -d addr
  dump ip-d-link.txt ip -d link
  # busybox's ip knows no -d.
  [ -e "$where/ip-d-addr.txt" ] || dump ip-addr.txt ip addr
  dump ip-neigh.txt ip -4 neigh
  dump ip-6-neigh.txt ip -6 neigh
  dump ip-nexthop.txt ip nexthop
  dump bridge-fdb.txt bridge fdb
  dump bridge-d-link.txt bridge -d link
  dump bridge-vlan.txt bridge vlan
  if have sysctl; then
    dump sysctl-a.txt sh -c "$sysctls"
  else
    dump proc-sys-net.txt sh -c 'grep -rs . /proc/sys/net | grep -v -e stable_secret -e fastopen_key -e "/secret"'
  fi
  if [ -e /proc/sys/net/netfilter/nf_conntrack_max ] || [ -e /proc/net/nf_conntrack ]; then
    dump conntrack-L.txt conntrack -L
    dump conntrack-S.txt conntrack -S
    have conntrack || dump nf_conntrack.txt cat /proc/net/nf_conntrack
  else
    skip conntrack "nf_conntrack is not loaded"
  fi
  dump ss-lntu.txt ss -lntu
  dump nstat-az.txt nstat -az
  # Without iproute2 the older tools, or the kernel itself, say some of it.
  have ip || {
    dump ifconfig-a.txt ifconfig -a
    dump route-n.txt route -n
    dump arp-n.txt arp -n
    have ifconfig || dump proc-net-route.txt cat /proc/net/route
  }
  have ss || dump netstat-lntu.txt netstat -lntu
}

nf_tables=no
case $(iptables -V 2>/dev/null) in *nf_tables*) nf_tables=yes ;; esac
if [ "$nf_tables" = yes ] || loaded nf_tables ' nf_tables_newtable'; then nf_tables=yes; fi
ip_set=no
if loaded ip_set ' ip_set_create'; then ip_set=yes; fi

say "collect: $host"
printf 'Hairpin bundle of %s\n' "$host" >"$manifest"
dump hostname.txt cat /proc/sys/kernel/hostname
dump uname-a.txt uname -a
dump os-release.txt cat /etc/os-release
dump lsmod.txt lsmod
have lsmod || dump proc-modules.txt cat /proc/modules
dump iptables-V.txt iptables -V
namespace
dump hairpin_mode.txt sh -c 'for f in /sys/class/net/*/brport/hairpin_mode; do [ -r "$f" ] && printf "%s:%s\n" "$f" "$(cat "$f")"; done; :'
[ ! -r /run/flannel/subnet.env ] || dump subnet.env cat /run/flannel/subnet.env
dump dmesg.txt sh -c 'dmesg 2>/dev/null | grep -e "martian" -e "ll header" -e "nf_conntrack" -e "neighbour" -e " IN=.* OUT=" -e "TRACE: " | tail -n 5000'

# Namespaces of pods: one process of each stands for it.
inside=$work/namespaces
: >"$inside"
find_namespaces() {
  own=$(readlink /proc/self/ns/net 2>/dev/null)
  seen=" $own "
  ls -l /proc/[0-9]*/ns/net 2>/dev/null | while IFS= read -r line; do
    case $line in
    *'/ns/net -> net:['*']') ;;
    *) continue ;;
    esac
    link=${line##*-> }
    case $seen in *" $link "*) continue ;; esac
    seen="$seen$link "
    pid=${line#*/proc/}
    pid=${pid%%/*}
    printf 'pid %s %s\n' "$pid" "$link" >>"$inside"
  done
  # Named ones in which no process runs.
  for named in /run/netns/* /var/run/netns/*; do
    [ -e "$named" ] || continue
    inode=$(ls -Li "$named" 2>/dev/null) || continue
    set -- $inode
    case $own in *"[$1]") continue ;; esac
    grep -q "net:\[$1\]" "$inside" 2>/dev/null || printf 'file %s net:[%s]\n' "$named" "$1" >>"$inside"
  done
}

# What the container runtimes call the process: lines `PID NAMESPACE NAME`.
names=$work/names
: >"$names"
ask_runtimes() {
  if have crictl; then
    for id in $(timed_short crictl pods -q --state Ready); do
      timed_short crictl inspectp --output go-template --template '{{.info.pid}} {{.status.metadata.namespace}} {{.status.metadata.name}}' "$id"
    done >>"$names"
  fi
  [ -s "$names" ] || ! have docker || {
    ids=$(timed_short docker ps -q)
    [ -z "$ids" ] || timed_short docker inspect -f '{{.State.Pid}} {{with index .Config.Labels "io.kubernetes.pod.namespace"}}{{.}}{{else}}-{{end}} {{with index .Config.Labels "io.kubernetes.pod.name"}}{{.}}{{else}}{{slice $.Name 1}}{{end}}' $ids >>"$names"
  }
  [ -s "$names" ] || ! have ctr || {
    timed_short ctr -n k8s.io tasks ls | while read -r id pid state; do
      case $pid in '' | *[!0-9]*) continue ;; esac
      labels=$(timed_short ctr -n k8s.io containers info "$id" | grep -e '"io.kubernetes.pod.name"' -e '"io.kubernetes.pod.namespace"')
      pod=${labels#*io.kubernetes.pod.name\": \"}
      space=${labels#*io.kubernetes.pod.namespace\": \"}
      [ "$pod" = "$labels" ] || printf '%s %s %s\n' "$pid" "${space%%\"*}" "${pod%%\"*}"
    done >>"$names"
  }
}
timed_short() { (timed "$@") 2>/dev/null </dev/null; }

# The folder of a namespace, below the node's.
folder_of() {
  link=$3
  number=${link#net:[}
  number=${number%]}
  if [ "$1" = file ]; then
    printf 'netns/%s' "$(plain "${2##*/}" "$number")"
    return
  fi
  while read -r pid space pod; do
    [ "$(readlink "/proc/$pid/ns/net" 2>/dev/null)" = "$link" ] || continue
    pod=$(plain "$pod" "$number")
    if [ "$space" = - ]; then printf 'containers/%s' "$pod"; else printf 'pods/%s/%s' "$(plain "$space" unknown)" "$pod"; fi
    return
  done <"$names"
  # A pod's host name is its own; whose process it is shows in its cgroup.
  called=$(nsenter -t "$2" -u cat /proc/sys/kernel/hostname 2>/dev/null)
  called=$(plain "$called" "$number")
  if grep -q -e kubepods -e '/pod[0-9a-f]*-' "/proc/$2/cgroup" 2>/dev/null; then
    printf 'pods/unknown/%s' "$called"
  elif [ "$called" != "$host" ]; then
    printf 'containers/%s' "$called"
  else
    printf 'netns/%s' "$number"
  fi
}

if [ "$pods" = yes ]; then
  if [ "$(id -u 2>/dev/null)" != 0 ]; then
    skip "namespaces of pods" "only root may enter them"
    say "collect: not root: rules, sets and the namespaces of pods may be missing"
  elif ! have nsenter; then
    skip "namespaces of pods" "there is no nsenter"
  else
    find_namespaces
    ask_runtimes
    count=$(wc -l <"$inside")
    count=$((count + 0))
    done=0
    began=$(date +%s 2>/dev/null || echo 0)
    while read -r kind of link; do
      now=$(date +%s 2>/dev/null || echo 0)
      if [ $((now - began)) -gt "$total" ]; then
        skip "namespaces of pods" "only $done of $count in $total s"
        break
      fi
      done=$((done + 1))
      if [ "$kind" = pid ]; then enter="nsenter -t $of -n"; else enter="nsenter --net=$of"; fi
      # It may have ended meanwhile.
      $enter true 2>/dev/null || {
        skip "$of" "the namespace is gone"
        continue
      }
      where=$node/$(folder_of "$kind" "$of" "$link")
      [ ! -d "$where" ] || where=$where-${link#net:[}
      where=${where%]}
      mkdir -p "$where"
      say "collect: $host: namespace $done of $count: ${where#"$node"/}"
      namespace
    done <"$inside"
    enter=
    where=$node
  fi
fi

pack() {
  if have tar && have gzip; then
    (cd "$top" && tar cf - nodes) | gzip -c
  elif have tar; then
    (cd "$top" && tar cf - nodes)
  else
    # Without tar: one text, which Hairpin reads as well.
    (cd "$top" && find nodes -type f | while IFS= read -r f; do
      printf '==> %s <==\n' "$f"
      cat "$f"
      printf '\n'
    done)
  fi
}

if [ "$base64" = yes ]; then
  pack >"$work/packed" || exit 74
  echo "-----BEGIN HAIRPIN BUNDLE-----"
  if have base64; then base64 <"$work/packed"; else od -An -v -tx1 <"$work/packed" | sed 's/^/x/'; fi
  echo "-----END HAIRPIN BUNDLE-----"
elif [ "$out" = - ]; then
  pack >"$work/packed" || exit 74
  cat "$work/packed"
else
  # Written beside and renamed: under its name there is a whole bundle or none.
  part=$out.part.$$
  pack >"$part" || exit 74
  mv "$part" "$out" || exit 74
  part=
  say "collect: $out"
fi
