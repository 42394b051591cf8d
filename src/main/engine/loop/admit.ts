import type { PromptBlock } from '../../../shared/agent-event';
import type { UserBlock } from '../../../shared/message';
import { type Admission, type QueryDeps, tell } from './query-deps';

const ADMITTED: Admission = { kind: 'admitted', contexts: [] };

/**
 * Records what a person said, with what hooks add to it. Returns why a hook refused it (then nothing is recorded);
 * otherwise null.
 */
export async function admitPrompt(
  id: string,
  content: readonly UserBlock[],
  deps: QueryDeps,
  signal: AbortSignal,
): Promise<string | null> {
  const text = wordsOf(content);
  const admission = deps.admit ? await deps.admit({ id, text }, signal) : ADMITTED;
  if (admission.kind === 'refused') return admission.reason;
  deps.record({ type: 'user_message', id, content: [...content] });
  for (const context of admission.contexts) tell(deps, 'hook', context);
  return null;
}

/** Records the prompts that wait in the queue. One that a hook refuses leaves a word for the model. */
export async function admitQueued(deps: QueryDeps, signal: AbortSignal): Promise<void> {
  for (const prompt of deps.takeQueued()) {
    const refusal = await admitPrompt(prompt.id, promptContent(prompt), deps, signal);
    if (refusal !== null) tell(deps, 'hook', REFUSED);
  }
}

const REFUSED =
  'The user wrote something that one of their hooks keeps from you. Go on without it.';

/** Returns the content of a prompt, its words first. */
export const promptContent = ({
  text,
  blocks = [],
}: {
  readonly text: string;
  readonly blocks?: readonly PromptBlock[] | undefined;
}): readonly UserBlock[] => [{ type: 'text', text }, ...blocks];

/** Returns the text of a message. */
export const wordsOf = (content: readonly UserBlock[]): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
