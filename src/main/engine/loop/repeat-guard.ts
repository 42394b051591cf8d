import type { ToolUseBlock } from '../../../shared/message';

/** SPEC A10: a query ends when the same call comes this often in a row. */
export const MAX_SAME_CALLS = 5;

/** The newest call and in how many answers in a row it came. */
export interface Repeats {
  readonly key: string;
  readonly tool: string;
  readonly count: number;
}

export const NO_REPEATS: Repeats = { key: '', tool: '', count: 0 };

/**
 * Counts the calls of one answer in; stops counting at the limit, so that a later other call changes nothing. Equal calls
 * side by side in one answer count once: none of them was asked for in the knowledge of another's result.
 */
export function countRepeats(before: Repeats, calls: readonly ToolUseBlock[]): Repeats {
  const keys = calls.map(
    ({ name, input, invalid }) => `${name} ${stableJson(input)} ${invalid ?? ''}`,
  );
  return calls.reduce((repeats, { name }, i) => {
    const key = keys[i] ?? '';
    if (isRepeating(repeats) || (i > 0 && key === keys[i - 1])) return repeats;
    return { key, tool: name, count: key === repeats.key ? repeats.count + 1 : 1 };
  }, before);
}

/** Whether the limit is reached. */
export const isRepeating = ({ count }: Repeats): boolean => count >= MAX_SAME_CALLS;

/** The explanation, for the person and the model. */
export const repeatText = ({ tool }: Repeats): string =>
  `Stopped: ${tool} was called with the same input ${MAX_SAME_CALLS} times in a row, which brings nothing new. Say what to do differently.`;

/** JSON whose keys are in order at every depth. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
