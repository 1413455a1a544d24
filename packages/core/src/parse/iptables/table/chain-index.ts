/**
 * Things by name, found by a stretch of a line without cutting the stretch out: with tens of thousands of chains that
 * is what reading a dump spends most of its time on. The hash is of the last letters, which is where generated names
 * differ; names made to collide turn the index into an ordinary map.
 */
export class ChainIndex<T extends { readonly name: string }> {
  readonly all: T[] = [];
  private readonly next: number[] = [];
  private heads = new Int32Array(64);
  private map: Map<string, T> | undefined;

  add(item: T): void {
    this.all.push(item);
    this.next.push(0);
    if (this.map !== undefined) this.map.set(item.name, item);
    else if (this.all.length > this.heads.length) this.grow();
    else this.link(this.all.length - 1);
  }

  get(name: string): T | undefined {
    return this.find(name, 0, name.length);
  }

  /** The item named by text[start, end). */
  find(text: string, start: number, end: number): T | undefined {
    if (this.map !== undefined) return this.map.get(text.slice(start, end));
    const length = end - start;
    let at = this.heads[hashEnd(text, start, end) & (this.heads.length - 1)]!;
    let tries = 0;
    while (at !== 0) {
      const item = this.all[at - 1]!;
      if (item.name.length === length && text.startsWith(item.name, start)) return item;
      at = this.next[at - 1]!;
      if (++tries > MAX_TRIES) {
        this.map = new Map(this.all.map((one) => [one.name, one]));
        return this.map.get(text.slice(start, end));
      }
    }
    return undefined;
  }

  private grow(): void {
    this.heads = new Int32Array(this.heads.length * 4);
    for (let i = 0; i < this.all.length; i++) this.link(i);
  }

  private link(index: number): void {
    const { name } = this.all[index]!;
    const slot = hashEnd(name, 0, name.length) & (this.heads.length - 1);
    this.next[index] = this.heads[slot]!;
    this.heads[slot] = index + 1;
  }
}

const MAX_TRIES = 24;

function hashEnd(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let i = Math.max(start, end - 6); i < end; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash ^ (hash >>> 15);
}
