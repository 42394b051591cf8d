import type { HookAnswer, HookElicited, HookPermission, JsonReply } from './json-reply';
import type { HookReply } from './reply';

/** The joined answer of all hooks to one request. Null: nothing about that. */
export interface HookVerdict {
  readonly block: string | null;
  readonly stop: string | null;
  readonly permission: JsonReply['permission'];
  readonly updatedInput: Readonly<Record<string, unknown>> | null;
  readonly answer: HookAnswer | null;
  /** For the model, in order. */
  readonly contexts: readonly string[];
  /** The text that the model reads in place of a call's result. */
  readonly output: string | null;
  readonly elicited: HookElicited | null;
  /** The folder that a hook made for a worktree. */
  readonly worktree: string | null;
  /** A title for the session. */
  readonly title: string | null;
  /** Words that stand in front of the first prompt, in order. */
  readonly openings: readonly string[];
  /** Files whose changes are to be told. Absolute. */
  readonly watches: readonly string[];
  /** Skills, commands and agents are to be read again. */
  readonly reloads: boolean;
  /** The model may try again what was denied. */
  readonly retry: boolean;
  /** The text that is shown in place of a part of a message. */
  readonly display: string | null;
  /** At least one of them gave no usable answer. */
  readonly failed: boolean;
}

/** The joined answer when no hook said anything. */
export const NO_VERDICT: HookVerdict = {
  block: null,
  stop: null,
  permission: null,
  updatedInput: null,
  answer: null,
  contexts: [],
  output: null,
  elicited: null,
  worktree: null,
  title: null,
  openings: [],
  watches: [],
  reloads: false,
  retry: false,
  display: null,
  failed: false,
};

/** Strongest first (docs/hooks.md). */
const PRECEDENCE: readonly HookPermission[] = ['deny', 'defer', 'ask', 'allow'];

/**
 * Joins what hooks said, given in the order of the settings (strongest source first). Every reason to block is
 * kept; of rival inputs the first counts, so that the answer never depends on who was faster. Pure.
 */
export function joinReplies(replies: readonly HookReply[]): HookVerdict {
  const blocks = replies.flatMap(({ block }) => block ?? []);
  const strongest = PRECEDENCE.find((behavior) =>
    replies.some(({ permission }) => permission?.behavior === behavior),
  );
  return {
    block: blocks.length === 0 ? null : blocks.join('\n\n'),
    stop: replies.find(({ stop }) => stop !== null)?.stop ?? null,
    permission: strongest === undefined ? null : permissionOf(replies, strongest),
    updatedInput: replies.find(({ updatedInput }) => updatedInput !== null)?.updatedInput ?? null,
    answer: answerOf(replies),
    contexts: replies.flatMap(({ context }) => context ?? []),
    output: replies.find(({ output }) => output !== null)?.output ?? null,
    elicited: elicitedOf(replies),
    worktree: replies.find(({ worktree }) => worktree !== null)?.worktree ?? null,
    title: replies.findLast(({ title }) => title !== null)?.title ?? null,
    openings: replies.flatMap(({ opening }) => opening ?? []),
    watches: replies.flatMap(({ watches }) => watches),
    reloads: replies.some(({ reloads }) => reloads),
    retry: replies.some(({ retry }) => retry),
    display: replies.find(({ display }) => display !== null)?.display ?? null,
    failed: replies.some(({ outcome }) => outcome === 'failed'),
  };
}

function permissionOf(
  replies: readonly HookReply[],
  behavior: HookPermission,
): JsonReply['permission'] {
  const reasons = replies.flatMap(({ permission }) =>
    permission?.behavior === behavior && permission.reason !== '' ? permission.reason : [],
  );
  return { behavior, reason: [...new Set(reasons)].join('\n') };
}

/** Returns the answer to a tool server that counts: one that gives nothing away over every other. */
function elicitedOf(replies: readonly HookReply[]): HookElicited | null {
  const all = replies.flatMap(({ elicited }) => elicited ?? []);
  return all.find(({ action }) => action !== 'accept') ?? all[0] ?? null;
}

/** Returns the answer that counts: a denial over every permission. */
function answerOf(replies: readonly HookReply[]): HookAnswer | null {
  const answers = replies.flatMap(({ answer }) => answer ?? []);
  return answers.find(({ behavior }) => behavior === 'deny') ?? answers[0] ?? null;
}
