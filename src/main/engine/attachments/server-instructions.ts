import { createHash } from 'node:crypto';
import type { Message } from '../../../shared/message';
import type { Attachment, Collector } from './attachment';

const KIND = 'server_instructions';

/** What one server says about its tools. */
interface Said {
  readonly server: string;
  readonly text: string;
}

/** Tells what connected servers say about their tools: each once, and again when it says something else. */
export const createServerInstructions = (said: () => readonly Said[]): Collector => ({
  name: 'instructions of servers',
  collect: ({ history }) => {
    const attachment = serverInstructions(history, said());
    return attachment === null ? [] : [{ attachment }];
  },
});

/**
 * Returns what to tell of what servers say now; null when the model knows. It never stands in the prompt: a server connects
 * in the middle of a session, and a new prompt would cost the prompt cache and the thinking that is bound to it. Pure.
 */
export function serverInstructions(
  history: readonly Message[],
  said: readonly Said[],
): Attachment | null {
  const told = toldMarks(history);
  const fresh = said
    .filter((one) => one.text.trim() !== '' && !told.has(markOf(one)))
    .toSorted((a, b) => (a.server < b.server ? -1 : 1));
  if (fresh.length === 0) return null;
  const parts = fresh.map(({ server, text }) => `## ${server}\n${text.trim()}`);
  return {
    kind: KIND,
    about: fresh.map(markOf).join(' '),
    text: ['# What connected servers say about their tools', ...parts].join('\n\n'),
  };
}

/** Returns what stands for the words of a server. */
const markOf = ({ server, text }: Said): string =>
  createHash('sha256')
    .update(JSON.stringify([server, text]))
    .digest('base64url')
    .slice(0, 16);

const toldMarks = (history: readonly Message[]): ReadonlySet<string> =>
  new Set(
    history.flatMap((message) =>
      message.role === 'attachment' && message.kind === KIND
        ? (message.about?.split(' ') ?? [])
        : [],
    ),
  );
