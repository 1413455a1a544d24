import { lookup } from "@hairpin/core/model/lookup.ts";

/** The help of the command line in Chinese, by its English text, as gettext keeps it: a test counts what is missing. */
export const HELP_ZH = lookup({
  "Reads dumps of Kubernetes nodes, walks a packet there and back through an exact model of the Linux datapath, and says where it dies and why.":
    "读取 Kubernetes 节点的采集数据，在精确的 Linux 数据路径模型中模拟报文的去程和回程，指出报文在哪里被丢弃以及原因。",
  "print the version": "显示版本",
  "print this help": "显示帮助",
  "print the help of a command": "显示某个命令的帮助",
  "can FROM reach TO, and does the answer come back": "FROM 能否到达 TO，回包能否回来",
  "Can FROM reach TO, and does the answer come back? Says where the packet dies, what the client sees, which open facts decide it, and what was assumed. With --try, what becomes of the flow after that change.\n\nExit status: 0 reachable, 1 unreachable or intermittent, 2 undetermined, 64 and up for bad use or unreadable input.":
    "FROM 能否到达 TO，回包能否回来？指出报文在哪里被丢弃、客户端看到什么、由哪些未知事实决定，以及作了哪些假设。使用 --try 时，给出改动之后的结果（假设分析）。\n\n退出状态：0 可达，1 不可达或时通时断，2 未定，64 及以上表示用法错误或输入无法读取。",
  "who asks: an address, node/NAME, pod/NS/NAME, stack/NAME, a bare name, external":
    "发起方：地址、node/NAME、pod/NS/NAME、stack/NAME、名称或 external",
  "what is asked: ADDRESS:PORT, svc/NS/NAME[:PORT], node/NAME:PORT, pod/NS/NAME:PORT, NAME, NAME.NS.svc:PORT, a URL; no port for icmp":
    "目标：ADDRESS:PORT、svc/NS/NAME[:PORT]、node/NAME:PORT、pod/NS/NAME:PORT、NAME、NAME.NS.svc:PORT 或 URL；icmp 不带端口",
  "tcp unless said otherwise": "协议，默认为 tcp",
  "the device by which an outside packet arrives": "外部报文进入的设备",
  "the node at which an outside packet arrives": "外部报文到达的节点",
  "by which of a Service's addresses": "使用 Service 的哪种地址",
  "as curl --interface does": "与 curl --interface 相同",
  "which of a name's addresses; a Service by its name is asked in both unless said otherwise":
    "使用名称的哪种地址；按名称访问 Service 时默认两种都问",
  "the source port; the whole ephemeral range otherwise": "源端口，默认为整个临时端口范围",
  "the size of the first data packet": "第一个数据报文的大小",
  "what the client sees now: evidence like any other": "客户端目前看到的现象，与其他证据同等对待",
  "settle an open fact; may be given again": "指定某个未知事实的值，可重复使用",
  "with this change made: a command as typed, or a fix named in case.yaml; may be given again":
    "假设分析：应用该改动之后的结果；可以是命令，或 case.yaml 中的修复名称，可重复使用",
  "print JSON": "输出 JSON",
  "all branches, fixes, evidence and assumptions": "显示全部分支、修复、证据和假设",
  "write a report as well: one file that holds the whole answer and loads nothing":
    "另外写一份报告：单个文件包含完整回答，不加载任何外部内容",
  "the answer for a ticket, into a file, or instead of the text": "适合贴进工单的回答，写入文件，或代替文本输出",
  "the causes as SARIF, for pipelines": "以 SARIF 格式给出原因，供流水线使用",
  "the question as a test case of JUnit, for pipelines": "以 JUnit 测试用例的格式给出，供流水线使用",
  "the language of the answer; LANG says it otherwise": "回答的语言，默认由 LANG 决定",
  "a folder, a bundle (.tar.gz), a transcript, or loose files": "目录、打包文件（.tar.gz）、终端记录或零散文件",
  "every step of every branch of a packet, there and back": "报文去程和回程的每个分支、每一步",
  "Walks a packet from a process to whoever answers, and the answer back, through every branch that chance or an open fact allows. One line a step, with the rule or route that decided.\n\nExit status: 0 answered, 64 and up for bad use or unreadable input.":
    "模拟报文从进程到应答者、再带着回包返回的全过程，覆盖随机选择或未知事实可能产生的每个分支。每步一行，并给出起决定作用的规则或路由。\n\n退出状态：0 已回答，64 及以上表示用法错误或输入无法读取。",
  "also the rules that did not match, and why": "同时显示没有匹配的规则及原因",
  "many questions: a JSON object a line, with an id; - reads standard input":
    "批量提问：每行一个带 id 的 JSON 对象；- 表示标准输入",
  "with --batch: only what the walk of each comes to, not its steps": "配合 --batch：只给出每个问题的结果，不给出步骤",
  "what was read, what was not understood, contradictions, what is missing":
    "读到了什么、哪些没有看懂、有何矛盾、缺少什么",
  "Says what was recognised in the files, every line that was not understood, where dumps contradict each other, where a node is not as kube-proxy should have programmed it (with Kubernetes objects), and which commands would supply what is missing for a full answer.\n\nExit status: 0 clean, 1 something was not understood, contradicts itself or is not as it should be, 2 nothing was recognised, 64 and up for bad use or unreadable input.":
    "说明文件中识别出了什么、哪些行没有看懂、采集数据之间有何矛盾、哪些节点与 kube-proxy 应写入的不同（需要 Kubernetes 对象），以及用哪些命令可以补齐完整回答所缺的内容。\n\n退出状态：0 没有问题，1 有内容没有看懂、互相矛盾或与应有状态不同，2 什么都没有识别出来，64 及以上表示用法错误或输入无法读取。",
  "print one JSON object": "输出一个 JSON 对象",
  "only what concerns this node": "只看与该节点有关的内容",
  "a folder, a bundle (.tar.gz), a transcript, or loose files; - reads standard input":
    "目录、打包文件（.tar.gz）、终端记录或零散文件；- 表示标准输入",
  "what differs between two nodes or two moments, in meaning": "两个节点或两个时刻在含义上的差异",
  "Which packets fare otherwise in B than in A, and by which rule, set entry, route, sysctl or virtual server. Order, names of chains, counters and remarks that decide nothing are no difference. A and B are cases; with one case, two of its nodes (--node-a, --node-b), before and after a change where its dumps say which they are, what kube-proxy should have programmed from the objects and what is there (--expected), or what changes when kube-proxy moves to another mode (--mode nftables).\n\nExit status: 0 no difference in meaning, 1 there is one or it could not be decided, 64 and up for bad use or unreadable input.":
    "哪些报文在 B 中的结果与 A 不同，由哪条规则、集合条目、路由、sysctl 或虚拟服务造成。顺序、链名、计数和不起作用的注释不算差异。A 和 B 是两个案例；只给一个案例时，可以比较它的两个节点（--node-a、--node-b）、改动前后（采集数据有标明时）、kube-proxy 应写入的与实际的（--expected），或者 kube-proxy 改用另一种模式会带来的变化（--mode nftables）。\n\n退出状态：0 含义相同，1 有差异或无法判定，64 及以上表示用法错误或输入无法读取。",
  "the node of A": "A 的节点",
  "the node of B": "B 的节点",
  "one case with objects: how kube-proxy should have programmed its nodes, against how they are":
    "一个带有对象的案例：比较 kube-proxy 应写入的与节点的实际状态",
  "one case with objects: its nodes as they are, against kube-proxy in that mode, from the same objects":
    "一个带有对象的案例：比较节点的现状与由同样对象在该模式下写入的结果",
  "settle an open fact on both sides; may be given again": "为两边指定某个未知事实的值，可重复使用",
  "also what differs in text only, and what could not be compared": "同时显示仅文字不同的内容，以及无法比较的内容",
  "A and B: each a folder, a bundle (.tar.gz), a transcript or a file; or one case":
    "A 和 B：各为目录、打包文件（.tar.gz）、终端记录或文件；或者只给一个案例",
  "what a cause means: what the kernel does, how to see it, what cures it":
    "讲解一种原因：内核做了什么、如何确认、如何修复",
  "Teaches a cause that answers name by its code: what happens in the kernel and in which function, a picture, commands that show it on a node, what cures it, what it is not to be confused with, how sure an answer can be, and which bundled case shows it. Without a code, all causes are listed.\n\nExit status: 0, or 64 where there is no such cause.":
    "讲解回答中以代码给出的原因：内核中发生了什么、在哪个函数、一张示意图、在节点上确认它的命令、如何修复、不要与什么混淆、结论能有多确定，以及哪个自带示例演示了它。不给代码时列出全部原因。\n\n退出状态：0；没有这个原因时为 64。",
  "a cause, such as RP_FILTER_STRICT; upper or lower case": "原因代码，例如 RP_FILTER_STRICT，大小写均可",
  "reads this node, or others by ssh or kubectl, into one bundle":
    "把本节点（或经 ssh、kubectl 把其他节点）的数据采集到一个打包文件",
  "Gathers every dump that Hairpin reads, from the node and, as root, from each pod's network namespace, into one .tar.gz. It only reads, and takes no Secret, environment or command line.\n\nExit status: 0 all was gathered, 1 some machines could not be reached, 69 none could.":
    "从节点以及（以 root 运行时）每个 Pod 的网络命名空间采集 Hairpin 能读取的全部数据，打包为一个 .tar.gz。只读取，不采集 Secret、环境变量和命令行。\n\n退出状态：0 全部采集成功，1 部分机器无法访问，69 全部无法访问。",
  "where the bundle goes (default: hairpin-TIME.tar.gz here)": "打包文件的位置（默认为当前目录的 hairpin-TIME.tar.gz）",
  "from these machines, through the system's ssh": "通过系统的 ssh 从这些机器采集",
  "with --ssh: as root by sudo, which must not ask for a password":
    "配合 --ssh：用 sudo 以 root 运行，不能要求输入密码",
  "from these nodes (default: all) through a privileged pod or one of its own, with the cluster's objects":
    "通过已有的特权 Pod 或自己创建的 Pod 从这些节点（默认全部）采集，并包含集群对象",
  "with --kubectl: the image of the pod that reads a node (default: one that is on the node)":
    "配合 --kubectl：读取节点的 Pod 使用的镜像（默认使用节点上已有的镜像）",
  "with --kubectl: the context of kubectl's configuration": "配合 --kubectl：kubectl 配置中的 context",
  "with --kubectl: its configuration": "配合 --kubectl：它的配置文件",
  "the node itself only": "只采集节点本身",
  "other names, addresses and MACs, each the same everywhere": "替换名称、地址和 MAC，各处保持一致",
  "print the script that does it, and do nothing": "只输出采集脚本，不执行",
  "the LOG and TRACE rules and tcpdump filters that would settle a question":
    "能够澄清问题的 LOG、TRACE 规则和 tcpdump 过滤条件",
  "Finds the fewest places at which the packet is seen under one hypothesis and not under another, and prints the rules and captures that watch them, how to remove them, and what they will show in each case. Runs nothing. Paste what they print beside the dumps and ask again: it rules hypotheses out.\n\nExit status: 0 printed, 1 nothing that can be watched tells the hypotheses apart, 64 and up for bad use or unreadable input.":
    "找出最少的观察点：在一种可能下能看到报文，在另一种可能下看不到。给出观察用的规则和抓包命令、如何移除，以及各种可能下会看到什么。本身不执行任何操作。把输出放到采集数据旁边再问一次，就能排除不成立的可能。\n\n退出状态：0 已输出，1 没有可观察的位置能区分各种可能，64 及以上表示用法错误或输入无法读取。",
  "rules that LOG, rules that TRACE, or a table of nft's own": "使用 LOG 规则、TRACE 规则，或独立的 nft 表",
  "after this time the rules remove themselves": "超过该时间后规则自行移除",
  "print only the sh script for this node": "只输出该节点的 sh 脚本",
  "keeps a proved fix in place on a node": "让已证明的修复在节点上保持生效",
  "Keeps a fix on this node that others would flush. Without --apply it prints what it would do. --apply puts it there and takes it back by itself unless `hairpin guard --confirm` follows within a minute; then --run (a service) or --once (cron) puts back what was flushed. A fix that the walk does not prove is refused.\n\nExit status: 0 in place, 1 not, or contested by somebody else, 64 and up for bad use or a node that cannot be changed.":
    "让可能被其他程序清除的修复在本节点上保持生效。不带 --apply 时只显示将要做什么。--apply 使修复生效，如果一分钟内没有执行 `hairpin guard --confirm`，就自动撤销；之后由 --run（服务）或 --once（cron）补回被清除的部分。模拟没有证明的修复会被拒绝。\n\n退出状态：0 已生效，1 没有生效或与他人冲突，64 及以上表示用法错误或节点无法修改。",
  "the fix: a code that diagnose proposes, or a name in case.yaml": "修复：diagnose 给出的代码，或 case.yaml 中的名称",
  "which node of the case this is; by its host name otherwise": "本机是案例中的哪个节点，默认按主机名判断",
  "put it there, for a minute": "使修复生效，为期一分钟",
  "how long --apply waits for --confirm": "--apply 等待 --confirm 的时间",
  "keep what --apply put there": "保留 --apply 的改动",
  "stay, look on an interval and after changes, put back what is gone":
    "常驻运行，定期以及在变化之后检查，补回缺失的部分",
  "how often --run looks": "--run 的检查间隔",
  "one look, for cron": "检查一次，供 cron 使用",
  "what is kept and how it is; for health checks": "显示保持的内容及其状态，供健康检查使用",
  "undo everything": "全部撤销",
  "print the files of a service": "输出服务所需的文件",
  "wait for the deadline and take back what nobody confirmed": "等到期限，撤销没有确认的改动",
  "where it remembers what it keeps": "保存状态的位置",
  "the case the fix is proved on": "证明该修复所用的案例",
  "the same question asked of a real kernel": "向真实内核提出同样的问题",
  "Builds the case in fresh network namespaces, of the running kernel or of a small VM, sends the real packet, and lays what the kernel did beside what the walk predicted.\n\nExit status: 0 they agree, 1 they differ, 65 a value of the case is nothing to give a tool, 69 no kernel can be asked here.":
    "在全新的网络命名空间（当前内核或小型虚拟机）中搭建案例，发送真实报文，把内核的行为与模拟结果对照。\n\n退出状态：0 一致，1 不一致，65 案例中的某个值不能交给工具，69 这里没有可用的内核。",
  "with this fix of case.yaml applied; or, by its code, a proposed fix: first without it, then with it":
    "应用 case.yaml 中的修复；或按代码应用给出的修复：先不带、再带上各试一次",
  "auto (default), netns or vm": "auto（默认）、netns 或 vm",
  "remove what a killed run left behind": "清除被中断的运行留下的内容",
  "the page, on loopback": "在本机回环地址上提供网页",
  "Serves the page to this machine's browser: drop dumps, ask, look at the packet's way, try fixes. All of it runs in the browser; no byte of a dump leaves it. With a case, the page opens with it. Ends with Ctrl-C.":
    "为本机浏览器提供网页：拖入采集数据，开始分析，查看报文路径，尝试修复。全部在浏览器中运行，采集数据不会离开浏览器。给出案例时，网页直接打开它。按 Ctrl-C 结束。",
  "the port; any free one otherwise": "端口，默认使用任意空闲端口",
  "a Model Context Protocol server on stdio, for agents":
    "标准输入输出上的 Model Context Protocol 服务器，供智能体使用",
  "Serves agents over standard input and output: diagnose, check, what_if, diff and what_to_collect, on cases that lie under the roots. Nothing is run, nothing is written, and nothing outside the roots is read. Ends when its input does.":
    "通过标准输入输出为智能体提供 diagnose、check、what_if、diff 和 what_to_collect，只限根目录下的案例。不执行、不写入，也不读取根目录之外的内容。输入结束时退出。",
  "where cases may lie (default: the folder it is started in)": "案例所在的根目录（默认为启动时的目录）",
  "the same as a plugin of kubectl: kubectl hairpin …": "作为 kubectl 插件使用：kubectl hairpin …",
  "serves this node's dumps and metrics to hairpin live, as a DaemonSet":
    "以 DaemonSet 方式向 hairpin live 提供本节点的采集数据和指标",
  "What deploy/agent.yaml runs on every node. Dumps are served at 127.0.0.1 of its own pod, where only the API server leads (kubectl port-forward, as hairpin live does it); numbers in Prometheus' form at a port of the pod. It changes nothing, and runs nothing that a request names. Ends with SIGTERM.":
    "deploy/agent.yaml 在每个节点上运行的程序。采集数据只在自身 Pod 的 127.0.0.1 上提供，只有 API server 能通到那里（kubectl port-forward，hairpin live 即如此）；Prometheus 格式的指标在 Pod 的一个端口上提供。它不改动任何东西，也不运行请求中指名的任何东西。收到 SIGTERM 时结束。",
  "what the cluster calls this node (default: NODE_NAME)": "集群对本节点的称呼（默认：NODE_NAME）",
  "where this node's file system is": "本节点文件系统的位置",
  "serve no numbers": "不提供指标",
  "where numbers are served": "提供指标的地址",
  "how often it looks for the numbers": "每隔多久采集一次指标",
  "look once and print the numbers": "采集一次并输出指标",
  "instead of a case: the cluster that runs, read through kubectl as `hairpin live` reads it":
    "代替案例：直接读取运行中的集群，方式与 `hairpin live` 相同（通过 kubectl）",
  "with --live: do it on the nodes, through the access by which they were read":
    "与 --live 合用：经由读取节点的同一途径在节点上实施",
  "read by ssh, as that user, the nodes to which no pod leads (with sudo, unless it is root)":
    "没有 Pod 可通达的节点，以该用户身份经 ssh 读取（除 root 外使用 sudo）",
  "Asks a cluster through kubectl. As `kubectl-hairpin` in PATH it is `kubectl hairpin`; `kubectl hairpin FROM TO` is `hairpin live FROM TO`.":
    "通过 kubectl 查询集群。以 `kubectl-hairpin` 的名字放在 PATH 中，就是 `kubectl hairpin`；`kubectl hairpin FROM TO` 等同于 `hairpin live FROM TO`。",
  "asks a running cluster through kubectl: can FROM reach TO": "通过 kubectl 询问运行中的集群：FROM 能否到达 TO",
  "Can FROM reach TO, now? Reads the cluster's objects, then of its nodes and pods those that the round trip meets, all through kubectl and with your rights, and answers. Nodes are read through a privileged pod that is there, or through a pod of Hairpin's own that is removed afterwards; where neither may be, objects alone are asked.\n\nExit status: 0 reachable, 1 unreachable or intermittent, 2 undetermined, 69 no cluster; with --can-i 0 objects and nodes may be read, 1 not.":
    "FROM 现在能否到达 TO？先读取集群的对象，再读取往返路径经过的节点和 Pod，全部通过 kubectl 并使用您的权限，然后给出回答。读取节点时经由已有的特权 Pod，或经由 Hairpin 自己创建、用后删除的 Pod；两者都不允许时，只依据对象回答。\n\n退出状态：0 可达，1 不可达或时通时断，2 未定，69 无法访问集群；使用 --can-i 时，0 可以读取对象和节点，1 不能。",
  "objects alone: no node is read": "只用对象：不读取任何节点",
  "the image of the pod that reads a node (default: one that is on the node)":
    "读取节点的 Pod 使用的镜像（默认使用节点上已有的镜像）",
  "where that pod is made (default: the namespace, then kube-system)":
    "在哪个命名空间创建该 Pod（默认为上述命名空间，其次 kube-system）",
  "keep all that was read as a bundle that gives the same answer": "把读取的全部内容保存为打包文件，离线给出同样的回答",
  "ask what was asked in a bundle that was kept, and say what changed since":
    "再次询问已保存的打包文件中的问题，并说明此后的变化",
  "ask again and again until interrupted, and say so when the answer changes": "反复询问直到被中断，回答改变时输出一行",
  "with --watch: how long to wait in between (default: 10)": "与 --watch 一起使用：两次之间等待多少秒（默认 10）",
  "say which rights that takes and which of them you have, and do nothing": "列出所需的权限以及您拥有哪些，不做其他事",
  "Can FROM reach TO? FROM and TO as for `hairpin diagnose`; pod/NAME and svc/NAME are looked for in the namespace.\n\nExit status: 0 reachable, 1 unreachable or intermittent, 2 undetermined.":
    "FROM 能否到达 TO？FROM 和 TO 的写法与 `hairpin diagnose` 相同；pod/NAME 和 svc/NAME 在该命名空间中查找。\n\n退出状态：0 可达，1 不可达或时通时断，2 未定。",
  "where names without a namespace are looked for (default: that of the context)":
    "没有命名空间的名称在哪里查找（默认为 context 的命名空间）",
  "the context of kubectl's configuration": "kubectl 配置中的 context",
  "kubectl's configuration": "kubectl 的配置文件",
  "read these nodes as well (default: all), through a privileged pod or one of its own":
    "通过已有的特权 Pod 或自己创建的 Pod 同时读取这些节点（默认全部）",
  "json, yaml, or wide for all that is known": "json、yaml，或用 wide 显示全部内容",
  "who asks: pod/NAME, node/NAME, an address, external": "发起方：pod/NAME、node/NAME、地址或 external",
  "what is asked: svc/NAME[:PORT], pod/NAME:PORT, ADDRESS:PORT": "目标：svc/NAME[:PORT]、pod/NAME:PORT 或 ADDRESS:PORT",
  "what is not as it should be, and what is missing": "哪些与应有状态不同，缺少什么",
  "What of the cluster was read, where a node is not as kube-proxy should have programmed it (with --nodes), what is missing.":
    "读到了集群的哪些内容、哪些节点与 kube-proxy 应写入的不同（需要 --nodes）、缺少什么。",
  "a script that completes commands and options in your shell": "在 shell 中补全命令和选项的脚本",
  "Prints a completion script.\n\n  source <(hairpin completion bash)      # ~/.bashrc\n  source <(hairpin completion zsh)       # ~/.zshrc\n  hairpin completion fish | source       # config.fish":
    "输出补全脚本。\n\n  source <(hairpin completion bash)      # ~/.bashrc\n  source <(hairpin completion zsh)       # ~/.zshrc\n  hairpin completion fish | source       # config.fish",
  "which shell": "哪种 shell",
  "the manual page": "手册页",
  "Prints the manual page as roff.\n\n  hairpin man | man -l -\n  hairpin man > /usr/local/share/man/man1/hairpin.1":
    "以 roff 格式输出手册页。\n\n  hairpin man | man -l -\n  hairpin man > /usr/local/share/man/man1/hairpin.1",
  "the version, and which schemas it speaks": "版本及其支持的模式（schema）",
  "Prints the version; with --json, also what it runs on, how it was installed, and the versions of its schemas.":
    "输出版本；带 --json 时还包括运行环境、安装方式以及各模式（schema）的版本。",
  "Usage:": "用法：",
  "Arguments:": "参数：",
  "Options:": "选项：",
  "Commands:": "命令：",
  "every flow of a cluster at once": "一次检查集群的所有流",
  "Asks every class of flow: every pod, node, load balancer and somebody outside through each node, to every Service by each of its addresses, every pod, the cluster's DNS and API, every kubelet. Flows that go the same way by all that a walk looked at are one class, answered by one walk. With two cases, or one and --try, --mode or --kube-proxy: which flows fare otherwise in the second, and by which line. Prints what is broken by cause, with how many flows each cause breaks, a fix and an example; which facts would decide what is undetermined; and a matrix. Ctrl-C prints what is known so far.\n\nExit status: 0 all flows work, 1 some fail, 2 none fails and some are undetermined or were not asked, or nothing was asked; of two sides 0 no flow fares worse, 1 some do, 2 it cannot be said of all; 64 and up for bad use or unreadable input.":
    "检查每一类流：从每个 Pod、节点、负载均衡以及经由每个节点的外部客户端，到每个 Service 的每种地址、每个 Pod、集群 DNS、API 服务器和每个 kubelet。模拟中查看过的内容完全相同的流属于同一类，只需模拟一次。给出两个案例，或一个案例加 --try、--mode 或 --kube-proxy 时：哪些流在后者中结果不同，由哪一行引起。按原因列出故障、每个原因影响的流数、修复方法和示例；列出能决定未定结果的事实；并给出矩阵。按 Ctrl-C 显示目前已知的结果。\n\n退出状态：0 所有流可达，1 有流不可达，2 没有不可达但有未定或没有问完，或什么都没有问；比较两边时，0 没有流变差，1 有流变差，2 无法对全部下结论；64 及以上表示用法错误或输入无法读取。",
  "only these sources: pod, endpoint, node, external, loadbalancer, host, or a name with globs (pod/shop/*)":
    "只问这些发起方：pod、endpoint、node、external、loadbalancer、host，或带通配符的名称（pod/shop/*）",
  "only these targets: service, dns, apiserver, pod, kubelet, clusterip, nodeport, external, loadbalancer, or a name with globs (svc/shop/*)":
    "只问这些目标：service、dns、apiserver、pod、kubelet、clusterip、nodeport、external、loadbalancer，或带通配符的名称（svc/shop/*）",
  "only flows with an end on this node; globs": "只问有一端在该节点上的流，可用通配符",
  "only flows with an end in this namespace; globs": "只问有一端在该命名空间的流，可用通配符",
  "only this family": "只问该地址族",
  "only part I of N; parts put together with --merge are as one run. job/N: the part that an Indexed Job of Kubernetes gives this pod (JOB_COMPLETION_INDEX)":
    "只问 N 份中的第 I 份；用 --merge 合并后与一次运行的结果相同。job/N：Kubernetes 的 Indexed Job 分给本 Pod 的那一份（JOB_COMPLETION_INDEX）",
  "put together what --shard I/N --ndjson printed; of a folder every file .ndjson":
    "合并 --shard I/N --ndjson 的输出；给出文件夹则合并其中每个 .ndjson 文件",
  "JSON or NDJSON into a file, which is whole when it is there": "把 JSON 或 NDJSON 写入文件；文件出现时即已完整",
  "end with 0 whatever the flows do; bad use and unreadable input still end with 64 and up":
    "无论流是否连通都以 0 结束；用法错误和无法读取的输入仍以 64 及以上结束",
  "stop after so many seconds and print what is known": "到达秒数后停止，显示目前已知的结果",
  "all causes, facts and targets": "列出所有原因、事实和目标",
  "a JSON object for each class, a line each, then one that sums up": "每一类输出一行 JSON，最后一行为汇总",
  "the classes as test cases of JUnit, for pipelines": "以 JUnit 测试用例输出各类，供流水线使用",
  "hold what must and must not work against a case": "检查必须和不应连通的流",
  "the matrix, causes with worked examples and what is undetermined, as one file that loads nothing":
    "把矩阵、原因（附示例）和未定的内容写成一个不加载任何外部内容的 HTML 文件",
  "Reads a YAML list of expectations (from, to, expect: works, fails, refused or timesOut; also seesClientAddress, viaNode, family, proto, via, node) and holds each against the case; names may have globs. A line that does not hold comes with its diagnosis. With --record, prints such a file from how the case is today. Without a case, only reads the file. Ctrl-C prints what is known so far.\n\nExit status: 0 all hold, 1 some do not, 2 some cannot be decided, match nothing or were not asked, or not everything could be recorded; 65 nothing is expected; 64 and up for bad use or unreadable input.":
    "读取 YAML 期望列表（from、to、expect：works、fails、refused 或 timesOut；还有 seesClientAddress、viaNode、family、proto、via、node），逐条与案例核对；名称可用通配符。不成立的条目附有诊断。使用 --record 时，按案例目前的状态生成这样的文件。不给案例时，只检查文件能否读取。按 Ctrl-C 显示目前已知的结果。\n\n退出状态：0 全部成立，1 有不成立的，2 有无法判定、没有匹配或没有问到的，或没有全部记录下来；65 文件中没有任何期望；64 及以上表示用法错误或输入无法读取。",
  "the expectations, then the case; with --record only the case": "期望文件，然后是案例；使用 --record 时只给案例",
  "print the expectations that hold today": "输出目前成立的期望",
  "what does not hold as SARIF, for pipelines": "以 SARIF 输出不成立的条目，供流水线使用",
  "the expectations as test cases of JUnit, for pipelines": "以 JUnit 测试用例输出各条期望，供流水线使用",
  "what changes with this change made: a command as typed, or a fix named in case.yaml; may be given again":
    "应用该改动之后有哪些变化；可以是命令，或 case.yaml 中的修复名称，可重复使用",
  "what changes with kube-proxy in that mode": "kube-proxy 换成该模式之后有哪些变化",
  "what changes with the rules that this release of kube-proxy writes, as in 1.37":
    "使用该版本 kube-proxy 写出的规则之后有哪些变化，例如 1.37",
  "a folder, a bundle (.tar.gz), a transcript or a file; two of them are compared":
    "目录、压缩包（.tar.gz）、终端记录或文件；给出两个时进行比较",
  "between which two snapshots a flow broke, and what changed": "某个流在哪两个快照之间中断，以及有什么变化",
  "DIR holds snapshots, a folder or a bundle each, in the order of their names. Finds, by halving, between which two of them the flow stopped working, and prints what differs between these two. FROM and TO may be kinds or names with globs: then all of their flows have to work.\n\nExit status: 0 it works in the last snapshot, 1 found, 2 it never worked or cannot be decided; 64 and up for bad use or unreadable input.":
    "DIR 中按名称顺序存放快照，每个快照是一个目录或压缩包。用二分法找出流在哪两个快照之间中断，并显示这两个快照的差别。FROM 和 TO 可以是种类或带通配符的名称：此时它们的所有流都必须可达。\n\n退出状态：0 在最后一个快照中可达，1 已找到，2 从未可达或无法判定；64 及以上表示用法错误或输入无法读取。",
  "a folder of snapshots": "存放快照的目录",
  "who asks: as diagnose takes it, a kind of source, or a name with globs":
    "发起方：与 diagnose 相同，或发起方的种类，或带通配符的名称",
  "what is asked: as diagnose takes it, or a name with globs and its port":
    "目标：与 diagnose 相同，或带通配符的名称及端口",
});
