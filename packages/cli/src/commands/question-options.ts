import { SEES } from "@hairpin/core/model/index.ts";
import { type Command, Option } from "commander";

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** The options `trace` and `diagnose` share: who asks whom, and what is taken as given. */
export const withQuestionOptions = (command: Command): Command =>
  command
    .option("--from <who>", "who asks: an address, node/NAME, pod/NS/NAME, stack/NAME, a bare name, external")
    .option(
      "--to <whom>",
      "what is asked: ADDRESS:PORT, svc/NS/NAME[:PORT], node/NAME:PORT, pod/NS/NAME:PORT, NAME, NAME.NS.svc:PORT, a URL; no port for icmp",
    )
    .addOption(new Option("--proto <protocol>", "tcp unless said otherwise").choices(["tcp", "udp", "sctp", "icmp"]))
    .option("--in <device>", "the device by which an outside packet arrives")
    .option("--node <name>", "the node at which an outside packet arrives")
    .addOption(
      new Option("--via <kind>", "by which of a Service's addresses").choices([
        "clusterip",
        "nodeport",
        "loadbalancer",
        "external",
      ]),
    )
    .option("--bind <device|address>", "as curl --interface does")
    .addOption(
      new Option(
        "--family <family>",
        "which of a name's addresses; a Service by its name is asked in both unless said otherwise",
      ).choices(["4", "6", "both"]),
    )
    .option("--sport <port>", "the source port; the whole ephemeral range otherwise")
    .option("--size <bytes>", "the size of the first data packet")
    .addOption(new Option("--sees <what>", "what the client sees now: evidence like any other").choices([...SEES]))
    .option("--assume <id=value>", "settle an open fact; may be given again", collect, [])
    .option(
      "--try <patch>",
      "with this change made: a command as typed, or a fix named in case.yaml; may be given again",
      collect,
      [],
    )
    .option("--json", "print JSON");
