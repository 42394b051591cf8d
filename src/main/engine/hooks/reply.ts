import type { HookEvent, HookOutcome } from '../../../shared/hooks';
import { cap } from './cap';
import { type JsonReply, NOTHING, readJsonReply } from './json-reply';

/** The end of a hook: its exit code and words, or why there are none. */
export type HookEnd =
  | {
      readonly kind: 'exited';
      readonly exitCode: number | null;
      readonly stdout: string;
      readonly stderr: string;
    }
  | { readonly kind: 'timeout' | 'cancelled' | 'failed'; readonly message: string };

type Said = Omit<JsonReply, 'faults'>;

/** The wishes of one hook. */
export interface HookReply extends Said {
  readonly outcome: HookOutcome;
  /** For a user, in a few words; '' when there is nothing to say. */
  readonly note: string;
}

/** Events that an exit code of 2 blocks (docs/hooks.md). */
const BLOCKABLE: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'Stop',
  'SubagentStop',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'PreCompact',
  'PostToolBatch',
  'ConfigChange',
  'PreModelSwitch',
  'Elicitation',
  'ElicitationResult',
  'WorktreeCreate',
]);
/** Events after which the model is told what a hook complains about. */
const HEARD: ReadonlySet<HookEvent> = new Set<HookEvent>(['PostToolUse', 'PostToolUseFailure']);
/** Events at which plain words become context for the model. */
const PLAIN_CONTEXT: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'SessionStart',
  'UserPromptSubmit',
  'UserPromptExpansion',
]);
/** Events that only tell: nothing a hook says there counts. */
const DEAF: ReadonlySet<HookEvent> = new Set<HookEvent>(['StopFailure', 'InstructionsLoaded']);

const { faults: _, ...SILENT } = NOTHING;

/** Reads what a hook's end means at an event (docs/hooks.md). Pure; never throws. */
export function readReply(event: HookEvent, end: HookEnd): HookReply {
  if (end.kind !== 'exited') {
    const outcome = end.kind === 'cancelled' ? 'cancelled' : 'failed';
    return { ...SILENT, outcome, note: end.message };
  }
  const text = DEAF.has(event) ? '' : end.stdout.trim();
  const json = isJson(event, text) ? readJsonReply(event, text) : null;
  if (end.exitCode === 2) return fromExitTwo(event, end.stderr.trim(), json);
  if (end.exitCode !== 0) {
    const how = end.exitCode === null ? 'it was ended by a signal' : `exit code ${end.exitCode}`;
    return { ...SILENT, outcome: 'failed', note: how };
  }
  if (json !== null) return fromJson(event, json);
  if (event === 'WorktreeCreate' && text !== '')
    return { ...SILENT, outcome: 'done', worktree: text, note: cap(text) };
  if (!PLAIN_CONTEXT.has(event) || text === '') return { ...SILENT, outcome: 'done', note: '' };
  return { ...SILENT, outcome: 'done', context: cap(text), note: 'told the model' };
}

/** Returns whether a text is JSON. For events whose plain words count, a text that only begins like JSON is words. */
const isJson = (event: HookEvent, text: string): boolean =>
  text.startsWith('{') && (text.endsWith('}') || !PLAIN_CONTEXT.has(event));

/** Exit code 2 stands whatever the JSON says; the JSON may add to it, and word it when standard error is empty. */
function fromExitTwo(event: HookEvent, stderr: string, json: JsonReply | null): HookReply {
  const { faults: _, ...said } = json ?? NOTHING;
  const denial = said.permission?.behavior === 'deny' ? said.permission.reason : '';
  const words = cap(stderr) || said.block || denial || 'It did not say why.';
  if (BLOCKABLE.has(event)) return { ...said, outcome: 'blocked', block: words, note: words };
  if (HEARD.has(event)) {
    const reply = heard({ ...said, block: words });
    return { ...reply, outcome: 'done', note: words };
  }
  if (json !== null) return fromJson(event, json);
  return { ...SILENT, outcome: 'failed', note: 'exit code 2 decides nothing at this event' };
}

function fromJson(event: HookEvent, { faults, ...said }: JsonReply): HookReply {
  const [fault] = faults;
  const reply = HEARD.has(event) ? heard(said) : said;
  const blocks =
    reply.stop !== null ||
    (BLOCKABLE.has(event) && reply.block !== null) ||
    reply.permission?.behavior === 'deny' ||
    reply.answer?.behavior === 'deny' ||
    (reply.elicited !== null && reply.elicited.action !== 'accept');
  const note = fault ?? noteOf(reply);
  if (blocks) return { ...reply, outcome: 'blocked', note };
  return { ...reply, outcome: fault === undefined ? 'done' : 'failed', note };
}

/** Turns a block into words for the model: what happened cannot be blocked any more. */
const heard = (said: Said): Said => ({
  ...said,
  block: null,
  context: [said.block, said.context].filter((words) => words !== null).join('\n\n') || null,
});

function noteOf(reply: Said): string {
  const { permission, answer } = reply;
  const said = [
    reply.stop,
    reply.block,
    permission && `${PERMISSION_WORDS[permission.behavior]}${withReason(permission.reason)}`,
    answer && `${ANSWER_WORDS[answer.behavior]}${withReason(answer.message)}`,
    reply.systemMessage,
    (reply.updatedInput ?? answer?.updatedInput) && 'changed the input',
    reply.context && 'told the model',
    reply.elicited && `answered: ${reply.elicited.action}`,
    reply.worktree,
    reply.retry ? 'lets the model try again' : null,
    reply.terminal && 'gave you a signal',
  ].filter((words) => typeof words === 'string');
  return cap(said.join(' · '));
}

const PERMISSION_WORDS = {
  allow: 'allowed it',
  deny: 'denied it',
  ask: 'wants you to be asked',
  defer: 'puts it off',
} as const;
const ANSWER_WORDS = { allow: 'answered: allow', deny: 'answered: deny' } as const;

const withReason = (reason: string): string => (reason === '' ? '' : `: ${reason}`);
