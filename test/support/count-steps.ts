/** Methods of arrays that ask a callback about elements, and may stop early. */
const ASKING = [
  'every',
  'filter',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'flatMap',
  'forEach',
  'map',
  'reduce',
  'reduceRight',
  'some',
] as const;

/** Methods of arrays that go through all elements, or move them. */
const MOVING = [
  'concat',
  'copyWithin',
  'fill',
  'includes',
  'indexOf',
  'join',
  'lastIndexOf',
  'reverse',
  'shift',
  'sort',
  'splice',
  'toReversed',
  'toSorted',
  'toSpliced',
  'unshift',
  'with',
] as const;

type Method = (...args: unknown[]) => unknown;

/**
 * Counts the elements of arrays that `run` touches: steps of iterators (spreads and `for … of` included), callbacks, and
 * what methods without a callback go through. A measure of cost that does not hang on how fast a machine is. Replaces
 * the built-in methods while it runs.
 */
export async function countSteps(run: () => unknown): Promise<number> {
  let steps = 0;
  const undo: (() => void)[] = [];
  const replace = (owner: object, name: string, make: (old: Method) => Method): void => {
    const old = Reflect.get(owner, name) as Method;
    undo.push(() => Reflect.set(owner, name, old));
    Reflect.set(owner, name, make(old));
  };
  const counting = (callback: unknown): unknown =>
    typeof callback !== 'function'
      ? callback
      : function (this: unknown, ...args: unknown[]) {
          steps += 1;
          return callback.apply(this, args);
        };
  for (const name of ASKING) {
    replace(
      Array.prototype,
      name,
      (old) =>
        function (this: unknown, callback: unknown, ...rest: unknown[]) {
          return old.call(this, counting(callback), ...rest);
        },
    );
  }
  for (const name of MOVING) {
    replace(
      Array.prototype,
      name,
      (old) =>
        function (this: unknown, ...args: unknown[]) {
          steps += (this as { readonly length: number }).length;
          return old.apply(this, args);
        },
    );
  }
  replace(
    Array.prototype,
    'slice',
    (old) =>
      function (this: unknown, ...args: unknown[]) {
        const part = old.apply(this, args) as { readonly length: number };
        steps += part.length;
        return part;
      },
  );
  replace(
    Object.getPrototypeOf([][Symbol.iterator]()),
    'next',
    (old) =>
      function (this: unknown) {
        steps += 1;
        return old.call(this);
      },
  );
  try {
    await run();
    return steps;
  } finally {
    for (const each of undo) each();
  }
}
