import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { FormValues } from '../../../shared/form';
import type { HookEvent } from '../../../shared/hooks';
import type { TerminalSequences } from '../../../shared/terminal-signal';
import { plainValue, readJson } from '../settings/json-text';
import { PermissionUpdate } from '../settings/permission-update';
import { restrictionNamed } from '../settings/restricting-keys';
import { cap } from './cap';
import { readTerminalSequence } from './terminal-sequence';

/** The decision of a PreToolUse hook. */
export const HookPermission = z.preprocess(
  // Other words for a denial deny, too.
  (said) => (typeof said === 'string' && restrictionNamed(said)) || said,
  z.enum(['allow', 'deny', 'ask', 'defer']),
);
export type HookPermission = z.infer<typeof HookPermission>;

/** The older way to decide. */
const Decision = z.preprocess(
  (said) => (typeof said === 'string' && restrictionNamed(said) === 'deny' ? 'block' : said),
  z.enum(['block', 'approve']),
);

/** An answer in the user's place. */
export interface HookAnswer {
  readonly behavior: 'allow' | 'deny';
  readonly message: string;
  /** With a denial: the query ends too. */
  readonly interrupt: boolean;
  readonly updates: readonly PermissionUpdate[];
  /** With a permission: the call's whole input from here on. */
  readonly updatedInput: Readonly<Record<string, unknown>> | null;
}

/** An answer to the question of a tool server, in the user's place. */
export type HookElicited = {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: FormValues | undefined;
};

/** The content of a hook's JSON. Null: nothing about that. */
export interface JsonReply {
  /** The reason what was about to happen must not happen. */
  readonly block: string | null;
  /** The reason the query is to end. */
  readonly stop: string | null;
  /** For the user. */
  readonly systemMessage: string | null;
  /** For the model. */
  readonly context: string | null;
  readonly permission: { readonly behavior: HookPermission; readonly reason: string } | null;
  /** In place of the call's whole input. */
  readonly updatedInput: Readonly<Record<string, unknown>> | null;
  readonly answer: HookAnswer | null;
  /** The text that the model reads in place of a call's result; `''` too. */
  readonly output: string | null;
  readonly elicited: HookElicited | null;
  /** The folder that it made for a worktree. */
  readonly worktree: string | null;
  /** A title for the session. */
  readonly title: string | null;
  /** Words that stand in front of the first prompt. */
  readonly opening: string | null;
  /** Files whose changes are to be told. Absolute. */
  readonly watches: readonly string[];
  /** Skills, commands and agents are to be read again. */
  readonly reloads: boolean;
  /** The prompt it keeps from the model is not to be shown again either. */
  readonly hidesPrompt: boolean;
  /** The model may try again what the automatic mode denied. */
  readonly retry: boolean;
  /** The text that is shown in place of a part of a message; '' shows nothing of it. */
  readonly display: string | null;
  /** Signals to the user that Lathe emits in its place. */
  readonly terminal: TerminalSequences | null;
  /** The names of what may not be emitted. It is no fault of the answer: what the hook decides counts. */
  readonly dropped: readonly string[];
  /** The parts that could not be used, for a user. */
  readonly faults: readonly string[];
}

/** Nothing about anything. */
export const NOTHING: JsonReply = {
  block: null,
  stop: null,
  systemMessage: null,
  context: null,
  permission: null,
  updatedInput: null,
  answer: null,
  output: null,
  elicited: null,
  worktree: null,
  title: null,
  opening: null,
  watches: [],
  reloads: false,
  hidesPrompt: false,
  retry: false,
  display: null,
  terminal: null,
  dropped: [],
  faults: [],
};

/**
 * Reads the JSON a hook printed (docs/hooks.md). Each field is taken by itself, so that a mistake in one does not
 * lose a denial in another. Pure; never throws.
 */
export function readJsonReply(event: HookEvent, text: string): JsonReply {
  try {
    return replyOf(event, JSON.parse(text));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const faults = [`printed JSON that cannot be read: ${cap(why, 300)}`];
    const { root } = readJson(text);
    const { block, stop, permission } = root === null ? NOTHING : replyOf(event, plainValue(root));
    // What could be read of it may only deny.
    const tightens = permission?.behavior === 'deny' || permission?.behavior === 'ask';
    return { ...NOTHING, block, stop, permission: tightens ? permission : null, faults };
  }
}

function replyOf(event: HookEvent, value: unknown): JsonReply {
  const faults: string[] = [];
  const fields = fieldsOf(value, '', faults);
  const specific = fields('hookSpecificOutput', z.record(z.string(), z.unknown()), 'an object');
  const own = fieldsOf(ownOutput(event, specific, faults), 'hookSpecificOutput.', faults);
  const isStart = event === 'SessionStart';
  const decision = fields('decision', Decision, '"block"');
  const reason = fields('reason', z.string(), 'a text');
  return {
    block: decision === 'block' ? cap(reason ?? 'It did not say why.') : null,
    stop:
      fields('continue', z.boolean(), 'true or false') === false
        ? cap(fields('stopReason', z.string(), 'a text') ?? 'A hook ended this.')
        : null,
    systemMessage: capped(fields('systemMessage', z.string(), 'a text')),
    // What is on screen is none of the model's business.
    context:
      event === 'MessageDisplay' ? null : capped(own('additionalContext', z.string(), 'a text')),
    permission: PERMITTING.has(event) ? permissionOf(own, value, decision, reason) : null,
    updatedInput: event === 'PreToolUse' ? inputOf(own) : null,
    answer: event === 'PermissionRequest' ? answerOf(own, faults) : null,
    output: event === 'PostToolUse' ? outputOf(own) : null,
    elicited: ELICITING.has(event) ? elicitedOf(own) : null,
    worktree: event === 'WorktreeCreate' ? capped(own('worktreePath', z.string(), 'a path')) : null,
    title: TITLES.has(event) ? capped(own('sessionTitle', z.string(), 'a text'), MAX_TITLE) : null,
    opening: isStart ? capped(own('initialUserMessage', z.string(), 'a text')) : null,
    watches: WATCHING.has(event) ? watchesOf(own) : [],
    reloads: isStart && (own('reloadSkills', z.boolean(), 'true or false') ?? false),
    hidesPrompt: own('suppressOriginalPrompt', z.boolean(), 'true or false') ?? false,
    retry: event === 'PermissionDenied' && (own('retry', z.boolean(), 'true or false') ?? false),
    display: event === 'MessageDisplay' ? displayOf(own) : null,
    ...terminalOf(fields('terminalSequence', z.unknown(), '')),
    faults,
  };
}

/** Returns the sequences that may be emitted, null for none, and what of them may not. */
function terminalOf(given: unknown): Pick<JsonReply, 'terminal' | 'dropped'> {
  if (given === undefined || given === null) return { terminal: null, dropped: [] };
  if (typeof given !== 'string') return { terminal: null, dropped: ['what is no text'] };
  const { dropped, ...permitted } = readTerminalSequence(given);
  return { terminal: permitted.sequences.length === 0 ? null : permitted, dropped };
}

/** A hook may make more of some lines than other texts of hooks have; never without a bound. UTF-16 units. */
const MAX_DISPLAY = 200_000;

function displayOf(own: Fields): string | null {
  const given = own('displayContent', z.string(), 'a text');
  return given === undefined ? null : cap(given, MAX_DISPLAY);
}

const capped = (text: string | undefined, limit?: number): string | null =>
  text === undefined || text.trim() === '' ? null : cap(text, limit);

/** Events at which a hook may permit what is about to happen. */
const PERMITTING: ReadonlySet<HookEvent> = new Set<HookEvent>(['PreToolUse', 'PreModelSwitch']);

/** Events at which a hook may answer a tool server. */
const ELICITING: ReadonlySet<HookEvent> = new Set<HookEvent>(['Elicitation', 'ElicitationResult']);

/** Events at which a hook may name files to watch. */
const WATCHING: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'SessionStart',
  'CwdChanged',
  'FileChanged',
]);

const watchesOf = (own: Fields): readonly string[] =>
  own('watchPaths', z.array(z.string().refine(isAbsolute)), 'a list of whole paths') ?? [];

function elicitedOf(own: Fields): HookElicited | null {
  const action = own(
    'action',
    z.enum(['accept', 'decline', 'cancel']),
    'accept, decline or cancel',
  );
  const content = own('content', FormValues, 'the values of the form');
  return action === undefined ? null : { action, ...(content === undefined ? {} : { content }) };
}

/** Events at which a hook may name the session. */
const TITLES: ReadonlySet<HookEvent> = new Set<HookEvent>(['SessionStart', 'UserPromptSubmit']);
const MAX_TITLE = 200;

/** Returns the text in place of a call's result: the words of it where its shape is known, else its JSON. */
function outputOf(own: Fields): string | null {
  const given =
    own('updatedToolOutput', z.unknown(), '') ?? own('updatedMCPToolOutput', z.unknown(), '');
  return given === undefined ? null : cap(wordsOf(given));
}

const Words = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.literal('text'), text: z.string() })),
  z.looseObject({ content: z.array(z.looseObject({ type: z.literal('text'), text: z.string() })) }),
  z.looseObject({ stdout: z.string(), stderr: z.string() }),
]);

function wordsOf(given: unknown): string {
  const known = Words.safeParse(given);
  if (!known.success) return JSON.stringify(given);
  const { data } = known;
  if (typeof data === 'string') return data;
  if ('stdout' in data) return [data.stdout, data.stderr].filter((part) => part !== '').join('\n');
  const blocks = Array.isArray(data) ? data : data.content;
  return blocks.map(({ text }) => text).join('\n');
}

type Fields = <T>(name: string, schema: z.ZodType<T>, expected: string) => T | undefined;

/** Reads single fields of an object; what does not fit is a fault and counts as absent. */
function fieldsOf(value: unknown, prefix: string, faults: string[]): Fields {
  const object = z.record(z.string(), z.unknown()).safeParse(value);
  return (name, schema, expected) => {
    if (!object.success || !Object.hasOwn(object.data, name)) return undefined;
    const given = object.data[name];
    if (given === null) return undefined;
    const parsed = schema.safeParse(given);
    if (parsed.success) return parsed.data;
    faults.push(`its JSON was not understood: ${prefix}${name} must be ${expected}`);
    return undefined;
  };
}

/** Returns the part for this event; one that names another event is meant for that. */
function ownOutput(
  event: HookEvent,
  specific: Record<string, unknown> | undefined,
  faults: string[],
): Record<string, unknown> {
  const named = specific?.['hookEventName'];
  if (specific === undefined || named === undefined || named === event) return specific ?? {};
  faults.push(`its JSON was not understood: hookSpecificOutput is for ${String(named)}`);
  // A denial counts whatever the name says.
  return HookPermission.safeParse(specific['permissionDecision']).data === 'deny' ? specific : {};
}

function permissionOf(
  own: Fields,
  value: unknown,
  decision: 'block' | 'approve' | undefined,
  reason: string | undefined,
): JsonReply['permission'] {
  const behavior =
    own('permissionDecision', HookPermission, '"allow", "deny", "ask" or "defer"') ??
    (decision === 'block' ? undefined : decisionMeant(value, 0));
  const why = cap(own('permissionDecisionReason', z.string(), 'a text') ?? reason ?? '');
  if (behavior !== undefined) return { behavior, reason: why };
  return decision === 'approve' ? { behavior: 'allow', reason: why } : null;
}

/** Names under which a decision may be meant, and the objects in which it may stand. */
const DECIDES = /^(?!.*reason).*(?:decision|permission|behaviou?r|action|verdict)/i;
const HOLDS = /^hook.?specific.?output$|decision|permission/i;

/** Returns the denial or question that stands under another name than its own; undefined for none, as what loosens has to be right. */
function decisionMeant(value: unknown, depth: number): 'deny' | 'ask' | undefined {
  const found = Object.entries(Object(value)).flatMap(([name, one]) => {
    if (typeof one === 'string') return DECIDES.test(name) ? (restrictionNamed(one) ?? []) : [];
    return depth < 2 && HOLDS.test(name) ? (decisionMeant(one, depth + 1) ?? []) : [];
  });
  return found.find((one) => one === 'deny') ?? found[0];
}

const inputOf = (fields: Fields): JsonReply['updatedInput'] =>
  fields('updatedInput', z.record(z.string(), z.unknown()), 'the whole input as an object') ?? null;

const Answer = z.preprocess(
  (said) => (typeof said === 'string' && restrictionNamed(said)) || said,
  z.enum(['allow', 'deny']),
);

function answerOf(own: Fields, faults: string[]): HookAnswer | null {
  const given = own('decision', z.record(z.string(), z.unknown()), 'an object');
  const fields = fieldsOf(given, 'hookSpecificOutput.decision.', faults);
  const behavior = fields('behavior', Answer, '"allow" or "deny"');
  if (behavior === undefined) return null;
  const updates = fields('updatedPermissions', z.array(z.unknown()), 'a list of changes') ?? [];
  const read = updates.map((update) => PermissionUpdate.safeParse(update));
  for (const [at, { error }] of read.entries()) {
    const field = error?.issues[0]?.path.join('.');
    const where = `hookSpecificOutput.decision.updatedPermissions[${at}]`;
    if (error) faults.push(`its JSON was not understood: ${where}${field ? `.${field}` : ''}`);
  }
  return {
    behavior,
    message: cap(fields('message', z.string(), 'a text') ?? ''),
    interrupt: fields('interrupt', z.boolean(), 'true or false') ?? false,
    updates: behavior === 'allow' ? read.flatMap(({ data }) => data ?? []) : [],
    updatedInput: behavior === 'allow' ? inputOf(fields) : null,
  };
}
