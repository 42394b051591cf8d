/** The part of an xterm that takes handlers of control sequences. */
interface CountTerminal {
  readonly parser: {
    registerCsiHandler(
      sequence: { readonly final: string },
      handler: (params: readonly (number | number[])[]) => boolean,
    ): unknown;
  };
}

/**
 * The largest count of a sequence of {@link COUNTED_FINALS}; no honest program inserts, scrolls or repeats more than
 * this at once.
 */
const MAX_COUNT = 10_000;

/**
 * The sequences whose work in xterm 6 grows with their count, however small the screen: tab, insert and delete lines,
 * scroll, repeat. All others end at an edge of the screen, so that "99999 to the right" means its last column.
 */
export const COUNTED_FINALS: readonly string[] = [...'ILMSTZb'];

/** Returns true when a parameter exceeds {@link MAX_COUNT}: then the sequence counts as done. */
const isExcessive = (params: readonly (number | number[])[]): boolean =>
  params.flat().some((param) => param > MAX_COUNT);

/** Has a terminal ignore absurd counts, which freeze it for seconds to minutes (docs/security.md 14). */
export function refuseHugeCounts({ parser }: CountTerminal): void {
  for (const final of COUNTED_FINALS) parser.registerCsiHandler({ final }, isExcessive);
}
