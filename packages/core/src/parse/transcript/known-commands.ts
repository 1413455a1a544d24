/** Names that make `# ip rule` a typed command and not a heading or a comment. */
const KNOWN = new Set(
  `ip bridge tc ss arp arping route ifconfig brctl netstat nstat ethtool sysctl lsmod modprobe uname hostname hostnamectl
  iptables ip6tables iptables-save ip6tables-save iptables-legacy ip6tables-legacy iptables-nft ip6tables-nft
  iptables-legacy-save ip6tables-legacy-save iptables-nft-save ip6tables-nft-save iptables-restore xtables-nft-multi
  xtables-legacy-multi ebtables arptables nft ipset ipvsadm ipvsadm-save conntrack tcpdump tshark nmap
  curl wget telnet nc ncat ping ping6 traceroute tracepath mtr dig nslookup host getent ab
  kubectl oc k k3s helm docker podman nerdctl crictl ctr calicoctl cilium etcdctl kubeadm kubelet istioctl
  cat less more head tail grep egrep zgrep awk sed sort uniq wc cut tr jq yq xargs tee echo printf diff find ls ll cd pwd
  readlink stat test for while if do true time date watch timeout env export set unset source exit logout clear history
  sudo su doas bash sh zsh ash ssh scp sshpass nsenter unshare chroot vagrant minikube kind multipass ansible pdsh clush salt
  systemctl service journalctl dmesg ps top kill killall pidof lsof strace bpftool perf trace-cmd iperf iperf3
  cp mv rm mkdir touch chmod chown ln tar gzip gunzip vi vim nano id whoami who uptime free df mount lscpu lspci dmidecode
  yum dnf apt apt-get rpm dpkg apk pip python python3 perl go make git
  firewall-cmd ufw nmcli resolvectl networkctl virsh ovs-vsctl ovs-ofctl`.split(/\s+/),
);

/** Whether this word can be the name of a command: a known one, or a path to one. */
export const isKnownCommand = (word: string): boolean =>
  KNOWN.has(word) || KNOWN.has(word.slice(word.lastIndexOf("/") + 1));
