/** Answers for the gallery, with every kind of block. */
export const SHORT_ANSWER =
  'In `src/price/cache.ts:41`, at the end of `publish()`. It clears **one product**, not the whole cache:\n\n```ts\ncache.delete(keyOf(product));\n```\n';

export const LONG_ANSWER = `## How prices are cached

Every price goes through one function, \`priceOf\`, in \`src/price/cache.ts\`. It keeps the *last known* price of each product for **ten minutes** and asks the database only when that is older. See the [design note](https://docs.example/price-cache) for why.

1. A request asks for a product.
2. If the price is fresh, it is answered from memory.
   - Fresh means younger than \`MAX_AGE_MS\`.
   - The clock is a parameter, so tests never wait.
3. Otherwise one load runs, and everyone who asks meanwhile waits for it.

\`\`\`ts
/** The price of a product in cents, at most ten minutes old. */
export async function priceOf(product: ProductId, clock: Clock): Promise<number> {
  const known = cache.get(product);
  if (known && clock.now() - known.at < MAX_AGE_MS) return known.cents;
  return (loading.get(product) ?? load(product, clock)).then(({ cents }) => cents);
}
\`\`\`

| Case | Answered from | Typical time |
|:--|:--|--:|
| Fresh | memory | 0.02 ms |
| Stale, someone loads | the same load | 14 ms |
| Stale, first to ask | database | 31 ms |

> The cache is per process. With several servers, prices may differ for up to ten minutes.

### What I would change

- [x] The clock is injected
- [ ] The size is not bounded: a crawler that asks for every product fills the memory

To see how large it is right now:

\`\`\`bash
curl -s localhost:3000/debug/cache | jq '.price | { size, hits, misses }' # needs the debug flag, which is off in production unless DEBUG_ROUTES=1
\`\`\`

An image is never loaded: ![cache diagram](https://tracker.example/p.png). A link that pretends is shown for what it is: [github.com/shop](https://collect.example/login). Raw <b>HTML</b> stays text.
`;
