import type { PromptBlock } from '../../../shared/agent-event';
import type { UserBlock } from '../../../shared/message';
import type { Admission, QueryDeps } from './query-deps';
import { tell } from './record';

const IN: Admission = { kind: 'in', contexts: [] };

/**
 * Writes down what a person said, with what hooks add to it. Returns why a hook keeps it from the model (then
 * nothing is written down), else null.
 */
export async function takeIn(
  id: string,
  content: readonly UserBlock[],
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<string | null> {
  const text = wordsOf(content);
  const admission = deps.admit ? await deps.admit({ id, text }, signal) : IN;
  if (admission.kind === 'kept_out') return admission.reason;
  deps.record({ type: 'user_message', id, content: [...content] });
  for (const context of admission.contexts) tell(deps, 'hook', context);
  return null;
}

/** Puts the waiting prompts of the person into the history. One that a hook keeps out leaves a word for the model. */
export async function takeInQueued(deps: QueryDeps, signal: AbortSignal): Promise<void> {
  for (const prompt of deps.takeQueued()) {
    const refusal = await takeIn(prompt.id, promptContent(prompt), deps, signal);
    if (refusal !== null) tell(deps, 'hook', KEPT_OUT);
  }
}

const KEPT_OUT =
  'The user wrote something that one of their hooks keeps from you. Go on without it.';

/** Returns what a prompt says, its words first. */
export const promptContent = ({
  text,
  blocks = [],
}: {
  readonly text: string;
  readonly blocks?: readonly PromptBlock[] | undefined;
}): readonly UserBlock[] => [{ type: 'text', text }, ...blocks];

/** The text of a message. */
export const wordsOf = (content: readonly UserBlock[]): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
