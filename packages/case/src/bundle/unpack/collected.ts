/** All that comes out, at most so much. */
export function collected(pieces: Iterable<Uint8Array>, most: number, tooMuch: () => Error): Uint8Array {
  const all: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    size += piece.length;
    if (size > most) throw tooMuch();
    all.push(piece);
  }
  const [only] = all;
  if (all.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of all) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
