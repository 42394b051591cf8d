/** Values by their ids, in the order they came. A change costs the same however many there are. */
export interface Keyed<T extends { readonly id: string }> {
  /** Returns the values as they are now. Later changes do not touch the list that was given out. */
  list(): readonly T[];
  get(id: string): T | undefined;
  /** Puts a value in the place of the one with its id, or at the end. */
  put(value: T): void;
  remove(id: string): void;
}

/** Creates keyed values that begin with `start`. */
export function createKeyed<T extends { readonly id: string }>(start: readonly T[]): Keyed<T> {
  let list: readonly T[] | null = start;
  let values: Map<string, T> | null = null;
  const all = () => {
    values ??= new Map(start.map((value) => [value.id, value]));
    return values;
  };
  return {
    list: () => {
      list ??= [...all().values()];
      return list;
    },
    get: (id) => all().get(id),
    put: (value) => {
      all().set(value.id, value);
      list = null;
    },
    remove: (id) => {
      if (all().delete(id)) list = null;
    },
  };
}
