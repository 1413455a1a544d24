/** `! --option value`. */
export interface Negatable<T> {
  readonly value: T;
  readonly negated: boolean;
}

export const is = <T>(value: T): Negatable<T> => ({ value, negated: false });
export const isNot = <T>(value: T): Negatable<T> => ({ value, negated: true });
