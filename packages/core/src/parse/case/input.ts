/** A file of a case, as the edge hands it in: text, or what its first bytes say it is. */
export interface CaseInput {
  /** Relative to the case, with forward slashes. */
  readonly path: string;
  /** The same with the archive or folder it came in: `node1.zip/iptables/iptables`. */
  readonly within?: string;
  /** Of a large file that can be read again, read when it is asked for, and kept by nobody. */
  readonly text?: string;
  /** Of such a file: equal, the text is the same. */
  readonly digest?: string;
  /** For files that are no text: "pcap", "pcapng", "binary". */
  readonly binary?: string;
  /** The bytes of a capture. */
  readonly bytes?: Uint8Array;
  /** Or piece by piece, however large it is. */
  readonly pieces?: () => Iterable<Uint8Array>;
}
