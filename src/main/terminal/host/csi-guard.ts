import type { IFunctionIdentifier, Terminal } from '@xterm/headless';

/**
 * Counts above this are refused (THREATS 14): `ESC[2147483647S` and its kin loop once per count in xterm 6 and
 * freeze it for seconds to minutes. No real program asks for more than a screen has cells.
 */
export const MAX_CSI_COUNT = 10_000;

/** Every CSI sequence whose work in xterm grows with its count. */
export const COUNTED_SEQUENCES: readonly IFunctionIdentifier[] = [
  ...[...'@AEFILMPSTXZabej'].map((final) => ({ final })),
  { intermediates: ' ', final: '@' },
  { intermediates: ' ', final: 'A' },
  { intermediates: "'", final: '}' },
  { intermediates: "'", final: '~' },
];

/** Makes a terminal ignore sequences with absurd counts. */
export function refuseHugeCounts(terminal: Terminal): void {
  for (const sequence of COUNTED_SEQUENCES)
    terminal.parser.registerCsiHandler(sequence, hasHugeCount);
}

/** True, which means "handled, do nothing more", when a parameter is too large. */
export const hasHugeCount = (params: (number | number[])[]): boolean =>
  params.flat().some((param) => param > MAX_CSI_COUNT);
