/** Puts `key` first and cuts the list to `capacity`. `dropped` is what fell off the end. */
export function touch(
  order: readonly string[],
  key: string,
  capacity: number,
): { readonly order: readonly string[]; readonly dropped: readonly string[] } {
  const next = [key, ...order.filter((k) => k !== key)];
  return { order: next.slice(0, capacity), dropped: next.slice(capacity) };
}
