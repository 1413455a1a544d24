# Makes a small node out of fresh namespaces and runs "$@" on it. Started by the tests in namespaces of its own:
# processes, mounts, network, host name. Whatever it makes is gone with it.
set -eu
hostname worker-1
mount -t tmpfs none /run
ip link set lo up
ip link add eth0 type veth peer name outer
ip addr add 192.0.2.11/24 dev eth0
ip link set eth0 address 02:00:00:aa:bb:01 up
ip link set outer up
ip link add cni0 type bridge
ip addr add 10.244.1.1/24 dev cni0
ip link set cni0 up

unshare --net --uts sh -c 'hostname web-0; exec sleep 300' &
pod=$!
sleep 0.3
ip link add veth0 type veth peer name eth0 netns "$pod"
ip link set veth0 master cni0 up
nsenter -t "$pod" -n sh -c 'ip link set lo up; ip addr add 10.244.1.7/24 dev eth0; ip link set eth0 up
  ip route add default via 10.244.1.1; iptables-legacy -A INPUT -p tcp --dport 9999 -j DROP'
ip netns add quiet
ip netns exec quiet ip addr add 198.18.0.1/32 dev lo

sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.eth0.rp_filter=2
iptables-legacy -t nat -A PREROUTING -d 10.96.0.10/32 -p tcp -m tcp --dport 80 -m comment --comment "shop/web:http cluster IP" -j DNAT --to-destination 10.244.1.7:8080
iptables-legacy -t nat -A POSTROUTING -s 10.244.1.0/24 ! -o cni0 -j MASQUERADE
iptables-nft -A FORWARD -s 198.51.100.7/32 -j DROP
ip6tables-legacy -A FORWARD -d fd00:77::7/128 -j DROP
ipset create PLANTED hash:ip,port
ipset add PLANTED 10.96.0.10,tcp:80
iptables-legacy -A FORWARD -m set --match-set PLANTED dst,dst -j ACCEPT
ip rule add fwmark 0x77 lookup 177
ip route add 203.0.113.0/24 via 192.0.2.1 dev eth0 table 177
ip -6 route add 2001:db8:77::/48 dev eth0 || true
ip neigh add 192.0.2.1 lladdr 02:00:00:aa:bb:fe dev eth0
ping -c 1 -W 2 10.244.1.7 >/dev/null || true
# As under a container runtime whose cgroups systemd makes.
if [ -n "${HAIRPIN_TEST_UID:-}" ]; then
  printf '0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod%s.slice/%s-77.scope\n' "$(echo "$HAIRPIN_TEST_UID" | tr - _)" "${HAIRPIN_TEST_RUNTIME:-cri-containerd}" >/run/cgroup
  mount --bind /run/cgroup "/proc/$pod/cgroup"
fi
HAIRPIN_TEST_POD=$pod
export HAIRPIN_TEST_POD
# Who enters the mount namespace of process 1 begins at its root; where the tests themselves run in a chroot that is another machine's.
exec 9</
if [ "$(stat -c %d:%i /)" != "$(nsenter --mount=/proc/self/ns/mnt stat -c %d:%i /)" ]; then
  nsenter --mount=/proc/self/ns/mnt sh -c 'mount --rbind "$(readlink /proc/self/fd/9)" /'
fi
exec 9<&-

status=0
"$@" || status=$?
kill "$pod" 2>/dev/null || true
exit $status
