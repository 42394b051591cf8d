import type { HookEvent, HookOutcome } from '../../../shared/hooks';
import { cap } from './cap';
import { type JsonReply, readJsonReply } from './json-reply';

/** How a hook ended: its exit code and words, or why there are none. */
export type HookEnd =
  | {
      readonly kind: 'exited';
      readonly exitCode: number | null;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'timeout' | 'cancelled' | 'failed'; readonly message: string };

/** What one hook wants. */
export interface HookReply extends Omit<JsonReply, 'faults'> {
  readonly outcome: HookOutcome;
  /** For a person, in a few words; '' when there is nothing to say. */
  readonly note: string;
}

/** Events that an exit code of 2 blocks (CONVENTIONS 4). */
const BLOCKABLE: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
  'PreCompact',
]);
/** Events after which the model is told what a hook complains about. */
const HEARD: ReadonlySet<HookEvent> = new Set<HookEvent>(['PostToolUse', 'PostToolUseFailure']);
/** Events at which plain words become context for the model. */
const PLAIN_CONTEXT: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'SessionStart',
  'UserPromptSubmit',
]);

const SILENT: Omit<JsonReply, 'faults'> = {
  block: null,
  stop: null,
  systemMessage: null,
  context: null,
  permission: null,
  updatedInput: null,
  answer: null,
};

/** What a hook's end means at an event (CONVENTIONS 4). Pure; never throws. */
export function readReply(event: HookEvent, end: HookEnd): HookReply {
  if (end.kind !== 'exited') {
    const outcome = end.kind === 'cancelled' ? 'cancelled' : 'failed';
    return { ...SILENT, outcome, note: end.message };
  }
  if (end.exitCode === 2) return fromExitTwo(event, end.stderr.trim());
  if (end.exitCode !== 0) {
    const how = end.exitCode === null ? 'it was ended by a signal' : `exit code ${end.exitCode}`;
    return { ...SILENT, outcome: 'failed', note: how };
  }
  const text = end.stdout.trim();
  if (text.startsWith('{')) return fromJson(event, text);
  if (!PLAIN_CONTEXT.has(event) || text === '') return { ...SILENT, outcome: 'done', note: '' };
  return { ...SILENT, outcome: 'done', context: cap(text), note: 'told the model' };
}

function fromExitTwo(event: HookEvent, stderr: string): HookReply {
  const words = cap(stderr === '' ? 'It did not say why.' : stderr);
  if (BLOCKABLE.has(event)) return { ...SILENT, outcome: 'blocked', block: words, note: words };
  if (HEARD.has(event)) return { ...SILENT, outcome: 'done', context: words, note: words };
  return { ...SILENT, outcome: 'failed', note: 'exit code 2 decides nothing at this event' };
}

function fromJson(event: HookEvent, text: string): HookReply {
  const { faults, ...said } = readJsonReply(event, text);
  const [fault] = faults;
  const reply = HEARD.has(event) ? heard(said) : said;
  const blocks =
    reply.stop !== null ||
    (BLOCKABLE.has(event) && reply.block !== null) ||
    reply.permission?.behavior === 'deny' ||
    reply.answer?.behavior === 'deny';
  const note = fault ?? noteOf(reply);
  if (blocks) return { ...reply, outcome: 'blocked', note };
  return { ...reply, outcome: fault === undefined ? 'done' : 'failed', note };
}

/** What happened cannot be blocked any more; the model is told. */
const heard = (said: Omit<JsonReply, 'faults'>): Omit<JsonReply, 'faults'> => ({
  ...said,
  block: null,
  context: [said.block, said.context].filter((words) => words !== null).join('\n\n') || null,
});

function noteOf(reply: Omit<JsonReply, 'faults'>): string {
  const { permission, answer } = reply;
  const said = [
    reply.stop,
    reply.block,
    permission && `${PERMISSION_WORDS[permission.behavior]}${withReason(permission.reason)}`,
    answer && `${ANSWER_WORDS[answer.behavior]}${withReason(answer.message)}`,
    reply.systemMessage,
    (reply.updatedInput ?? answer?.updatedInput) && 'changed the input',
    reply.context && 'told the model',
  ].filter((words) => typeof words === 'string');
  return cap(said.join(' · '));
}

const PERMISSION_WORDS = {
  allow: 'allowed it',
  deny: 'denied it',
  ask: 'wants you to be asked',
  defer: 'leaves it to a person',
} as const;
const ANSWER_WORDS = { allow: 'answered: allow', deny: 'answered: deny' } as const;

const withReason = (reason: string): string => (reason === '' ? '' : `: ${reason}`);
