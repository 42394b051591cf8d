/** Files read at the same time: more than the system reads together, and few enough to hold. */
const SIZE = 16;

/** Does the same work for each item, for a few at a time, and returns the results in the order of the items. */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += SIZE)
    results.push(...(await Promise.all(items.slice(at, at + SIZE).map(work))));
  return results;
}
