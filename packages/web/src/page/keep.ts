import type { Lang } from "@hairpin/core/messages/index.ts";
import type { Query, Upload } from "./protocol.ts";

/** What a reload brings back. It lies in this browser and nowhere else, until it is removed. */
export interface Kept {
  readonly given: readonly Upload[];
  readonly query: Query;
  readonly story: string | undefined;
}

/** More than this is not kept: what a reload brings back must not take longer than dropping it again. */
const MOST_BYTES = 64_000_000;
const [DATABASE, STORE, KEY] = ["hairpin", "page", "session"] as const;

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

async function store<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await done(opening);
  try {
    return await done(work(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

/** A browser that refuses to keep anything still answers. */
const orNothing = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch {
    return undefined;
  }
};

export async function keep(session: Kept): Promise<void> {
  const bytes = session.given.reduce((n, g) => n + g.files.reduce((m, f) => m + f.bytes.length, 0), 0);
  await (session.given.length === 0 || bytes > MOST_BYTES
    ? orNothing(store("readwrite", (s) => s.delete(KEY)))
    : orNothing(store("readwrite", (s) => s.put(session, KEY))));
}

export const kept = (): Promise<Kept | undefined> =>
  orNothing(store("readonly", (s) => s.get(KEY) as IDBRequest<Kept | undefined>));

const LANGUAGE = "hairpin-language";

export function keptLanguage(): Lang | undefined {
  try {
    const found = localStorage.getItem(LANGUAGE);
    return found === "en" || found === "zh" ? found : undefined;
  } catch {
    return undefined;
  }
}

export function keepLanguage(lang: Lang): void {
  try {
    localStorage.setItem(LANGUAGE, lang);
  } catch {
    // It is asked again next time.
  }
}
