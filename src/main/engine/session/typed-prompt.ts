import type { UserBlock } from '../../../shared/message';

/** Returns the text of a prompt that is nothing but text; null otherwise. Pure. */
export function onlyText(prompt: string | readonly UserBlock[] | null): string | null {
  if (prompt === null || typeof prompt === 'string') return prompt;
  const [first, ...more] = prompt;
  return first?.type === 'text' && more.length === 0 ? first.text : null;
}

/** Returns the blocks of a prompt. Pure. */
export const blocksOf = (prompt: string | readonly UserBlock[]): readonly UserBlock[] =>
  typeof prompt === 'string' ? [{ type: 'text', text: prompt }] : prompt;

/** Returns a prompt behind a text that its agent begins with; undefined: none. Pure. */
export function behind(
  first: string | undefined,
  prompt: string | readonly UserBlock[] | null,
): string | readonly UserBlock[] | null {
  if (first === undefined || prompt === null) return prompt;
  return typeof prompt === 'string'
    ? `${first}\n\n${prompt}`
    : [{ type: 'text', text: first }, ...prompt];
}
