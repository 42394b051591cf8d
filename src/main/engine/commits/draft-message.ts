import { err, fault, ok, type Result } from '../../../shared/result';
import { type AskModel, type SideQuestion, textOf } from '../model/side-call';

/** The most of a difference that the model reads. UTF-16 units; about 10 000 tokens. */
const MAX_SHOWN = 40_000;
const MAX_TOKENS = 600;

const SYSTEM = `You write the message of a git commit. Answer with the message alone: no fence, no quotes, no preface.
The first line says in the imperative what changes, in at most 72 characters, and follows the style of the latest commits.
Where the reason or the consequences are not plain from it, a short body follows after an empty line. Claim nothing that the
difference does not show.`;

/** The facts that a message is drafted from. */
export interface DraftFacts {
  /** The staged difference, without what the model may not read. */
  readonly diff: string;
  /** Staged paths whose content the model may not read. */
  readonly hidden: readonly string[];
  /** The subjects of the latest commits. */
  readonly subjects: readonly string[];
}

/** Has the small model propose a message; nothing is committed by it. */
export async function draftMessage(
  { diff, hidden, subjects }: DraftFacts,
  ask: AskModel,
  signal: AbortSignal,
): Promise<Result<string>> {
  const cut = diff.length > MAX_SHOWN;
  const text = [
    `Latest commits:\n${subjects.join('\n') || '(none)'}`,
    ...(hidden.length === 0 ? [] : [`Changed too, not shown: ${hidden.join(', ')}`]),
    `Difference${cut ? ' (its beginning)' : ''}:\n${diff.slice(0, MAX_SHOWN)}`,
  ].join('\n\n');
  const question: SideQuestion = {
    purpose: 'commit message',
    size: 'small',
    system: SYSTEM,
    text,
    maxTokens: MAX_TOKENS,
  };
  const answer = await ask(question, signal);
  if (!answer.ok) return err(fault('no_draft', `No message was drafted: ${answer.error}.`));
  const message = plain(textOf(answer.value));
  return message === ''
    ? err(fault('no_draft', 'The model answered with no message.'))
    : ok(message);
}

/** Returns an answer without the fence around it. Pure. */
const plain = (answer: string): string =>
  (/^```\w*\n(.*?)\n?```$/s.exec(answer.trim())?.[1] ?? answer).trim();
