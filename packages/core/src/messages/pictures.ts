/** Small pictures of what goes wrong, in signs and words that every language of the field uses. `X` is where the packet is lost. */
export const PICTURES = {
  "reverse-path": `
  client ---- request ---> [eth1  node ]
                           [eth0       ]--> route back to client: eth0
                   X <---- rp_filter=1: came in by eth1, would go back by eth0`,
  "wrong-source": `
  [eth0 10.0.0.5]  <-- source selected here (route to the Service)
  [ node        ]
  [eth1 / tunnel]  --- src 10.0.0.5 ---> peer   X   (not routed back this way)`,
  "masquerade-drawn": `
  client --> node-1 (MASQUERADE: src = node-1) --> server
  client     node-1 X <-------- reply -----------  server
    ^ the reply stops here instead of reaching the client`,
  "reply-bypasses": `
  client -- to Service --> node (DNAT) -- to endpoint --> endpoint
  client X <------------ from endpoint, untranslated ----- endpoint`,
  "own-address": `
  [ node 10.0.0.5 ] -- src 10.0.0.5 --> outside
  [ node 10.0.0.5 ] <- src 10.0.0.5 --- outside
        X  "martian source": only I may send from 10.0.0.5`,
  "lb-loop": `
  node-1 -- SYN to VIP --> [ load balancer ]
  node-1 X <- SYN to nodePort, src = node-1 -'`,
  route: `
  packet --> [ ip rule ] --> [ table ] --> best match
                                            |- right next hop --> endpoint
                                            '- wrong / refusing / none   X`,
  loop: `
  node-1 --> node-2 --> node-1 --> node-2 ... TTL 0   X`,
  hook: `
  in --> PREROUTING --> route --+--> FORWARD --> POSTROUTING --> out
         raw mangle nat         |    mangle filter   nat
                                '--> INPUT --> process --> OUTPUT
  a rule or policy at one of these hooks says DROP   X`,
  "two-tables": `
  hook forward:  table A, priority 0   accept --.
                 table B, priority 10  <--------'  drop   X
  accept ends one base chain, drop ends everything`,
  "bridge-bypass": `
  client --> [bridge] --> iptables: DNAT --> [bridge] --> endpoint
  client X <-[bridge]<-------- no iptables -------------- endpoint`,
  hairpin: `
        .--- Service: DNAT ---.
        |                     v
  pod --+--> [ bridge port ] X    same port in and out, hairpin off`,
  "empty-service": `
  client --> VIP:port --> (no endpoint)
  client <-- refused  --'   or nothing at all, with policy Local and iptables`,
  "no-socket": `
  client -- SYN --> endpoint:port   nobody listens
  client <-- RST -- endpoint`,
  "stale-entry": `
  packet --> conntrack: entry found --> old endpoint   X
                        (rules are not asked again)
  packet --> conntrack: no entry ----> rules --> endpoint`,
  race: `
  packet 1 --> no entry yet --> ........ insert   ok
  packet 2 --> no entry yet --> ............ insert   X  clash`,
  full: `
  [#########################] table full
  new packet --> no room   X        known connections go on`,
  mtu: `
  1500 byte --> [ tunnel 1450 ]  X   DF set
  sender   X <- ICMP frag needed     (filtered: never hears of it)
    60 byte --> [ tunnel 1450 ] --> arrives`,
  tunnel: `
  node-1 ==[ VXLAN vni 1, to node-2 ]==> node-2: no device takes it   X`,
  underlay: `
  node-1 [eth0] -- leaves --> ( network )  X     [eth0] node-2
                                   nothing arrives`,
  neighbours: `
  who has 10.0.0.9?  --> node-1: me   (aa:..)
                     --> node-2: me   (bb:..)     or: nobody   X`,
  opaque: `
  packet --> [ ? ] --> known path
               '--> not read here: both ways are followed`,
} as const satisfies Readonly<Record<string, string>>;

export type PictureId = keyof typeof PICTURES;
