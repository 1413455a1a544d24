/** What Node and browsers have alike; neither's types are taken in for it. */
declare const TextDecoder: new (name: string) => { readonly decode: (bytes: Uint8Array) => string };

export const decoder = (name: string): { readonly decode: (bytes: Uint8Array) => string } => new TextDecoder(name);
