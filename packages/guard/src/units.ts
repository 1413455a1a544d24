export type UnitKind = "systemd" | "cron" | "daemonset";

/** Names one thing per object; a label takes 63 characters of a few kinds. */
const label = (code: string): string =>
  code
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40);

/** The files that keep a confirmed fix in place after this shell is gone. */
export function unit(kind: UnitKind, program: string, code: string): string {
  switch (kind) {
    case "systemd":
      return `# /etc/systemd/system/hairpin-guard.service
# systemctl daemon-reload && systemctl enable --now hairpin-guard
[Unit]
Description=Hairpin guard: keeps ${code} in place
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=${program} guard --run
Restart=always
RestartSec=5
StateDirectory=hairpin
CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW
ProtectHome=yes
PrivateTmp=yes

[Install]
WantedBy=multi-user.target
`;
    case "cron":
      return `# /etc/cron.d/hairpin-guard: keeps ${code} in place
* * * * * root ${program} guard --once 2>&1 | logger -t hairpin-guard
`;
    case "daemonset":
      return `# Keeps ${code} in place on the nodes labelled hairpin-guard=${label(code)}. The fix is applied and confirmed on each
# node first (hairpin guard CASE --fix ${code} --apply, then --confirm): what is kept is read from the node's own folder.
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: hairpin-guard-${label(code)}
  namespace: kube-system
spec:
  selector:
    matchLabels: { app: hairpin-guard-${label(code)} }
  template:
    metadata:
      labels: { app: hairpin-guard-${label(code)} }
    spec:
      hostNetwork: true
      nodeSelector: { hairpin-guard: ${label(code)} }
      tolerations: [{ operator: Exists }]
      containers:
        - name: guard
          image: IMAGE # with hairpin, iptables, ipset, iproute2 and flock; the iptables back ends of the node
          command: [hairpin, guard, --run]
          securityContext: { privileged: true }
          livenessProbe:
            exec: { command: [hairpin, guard, --status] }
            periodSeconds: 60
          volumeMounts:
            - { name: state, mountPath: /var/lib/hairpin }
            - { name: xtables-lock, mountPath: /run/xtables.lock }
      volumes:
        - { name: state, hostPath: { path: /var/lib/hairpin, type: DirectoryOrCreate } }
        - { name: xtables-lock, hostPath: { path: /run/xtables.lock, type: FileOrCreate } }
`;
  }
}
