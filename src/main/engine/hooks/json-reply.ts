import { z } from 'zod';
import type { HookEvent } from '../../../shared/hooks';
import { PermissionMode, RuleBehavior } from '../../../shared/permission';
import { cap } from './cap';

/** How a PreToolUse hook decides. */
export const HookPermission = z.enum(['allow', 'deny', 'ask', 'defer']);
export type HookPermission = z.infer<typeof HookPermission>;

const Destination = z.enum(['session', 'localSettings', 'projectSettings', 'userSettings']);
const Rules = z.array(
  z.object({ toolName: z.string().min(1), ruleContent: z.string().optional() }),
);
/** A change of permissions that comes with an answer (CONVENTIONS 4). */
export const PermissionUpdate = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(['addRules', 'replaceRules', 'removeRules']),
    rules: Rules,
    behavior: RuleBehavior,
    destination: Destination,
  }),
  z.object({ type: z.literal('setMode'), mode: PermissionMode, destination: Destination }),
  z.object({
    type: z.enum(['addDirectories', 'removeDirectories']),
    directories: z.array(z.string().min(1)),
    destination: Destination,
  }),
]);
export type PermissionUpdate = z.infer<typeof PermissionUpdate>;

/** An answer in the person's place. */
export interface HookAnswer {
  readonly behavior: 'allow' | 'deny';
  readonly message: string;
  /** With a denial: the query ends too. */
  readonly interrupt: boolean;
  readonly updates: readonly PermissionUpdate[];
  /** With a permission: the call's whole input from here on. */
  readonly updatedInput: Readonly<Record<string, unknown>> | null;
}

/** What a hook's JSON says. Null: nothing about that. */
export interface JsonReply {
  /** Why what was about to happen must not happen. */
  readonly block: string | null;
  /** Why the query is to end. */
  readonly stop: string | null;
  /** For the person. */
  readonly systemMessage: string | null;
  /** For the model. */
  readonly context: string | null;
  readonly permission: { readonly behavior: HookPermission; readonly reason: string } | null;
  /** In place of the call's whole input. */
  readonly updatedInput: Readonly<Record<string, unknown>> | null;
  readonly answer: HookAnswer | null;
  /** What could not be used, for a person. */
  readonly faults: readonly string[];
}

const NOTHING: JsonReply = {
  block: null,
  stop: null,
  systemMessage: null,
  context: null,
  permission: null,
  updatedInput: null,
  answer: null,
  faults: [],
};

/**
 * Reads the JSON a hook printed (CONVENTIONS 4). Each field is taken by itself, so that a mistake in one does not
 * lose a denial in another. Pure; never throws.
 */
export function readJsonReply(event: HookEvent, text: string): JsonReply {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { ...NOTHING, faults: [`printed JSON that cannot be read: ${cap(why, 300)}`] };
  }
  const faults: string[] = [];
  const fields = fieldsOf(value, '', faults);
  const specific = fields('hookSpecificOutput', z.record(z.string(), z.unknown()), 'an object');
  const own = fieldsOf(ownOutput(event, specific, faults), 'hookSpecificOutput.', faults);
  const decision = fields('decision', z.enum(['block', 'approve']), '"block"');
  const reason = fields('reason', z.string(), 'a text');
  return {
    block: decision === 'block' ? cap(reason ?? 'It did not say why.') : null,
    stop:
      fields('continue', z.boolean(), 'true or false') === false
        ? cap(fields('stopReason', z.string(), 'a text') ?? 'A hook ended this.')
        : null,
    systemMessage: capped(fields('systemMessage', z.string(), 'a text')),
    context: capped(own('additionalContext', z.string(), 'a text')),
    permission: event === 'PreToolUse' ? permissionOf(own, decision, reason) : null,
    updatedInput: event === 'PreToolUse' ? inputOf(own) : null,
    answer: event === 'PermissionRequest' ? answerOf(own, faults) : null,
    faults,
  };
}

const capped = (text: string | undefined): string | null =>
  text === undefined || text.trim() === '' ? null : cap(text);

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

/** The part for this event; one that names another event is meant for that. */
function ownOutput(
  event: HookEvent,
  specific: Record<string, unknown> | undefined,
  faults: string[],
): Record<string, unknown> {
  const named = specific?.['hookEventName'];
  if (specific === undefined || named === undefined || named === event) return specific ?? {};
  faults.push(`its JSON was not understood: hookSpecificOutput is for ${String(named)}`);
  // A denial counts whatever the name says.
  return specific['permissionDecision'] === 'deny' ? specific : {};
}

function permissionOf(
  own: Fields,
  decision: 'block' | 'approve' | undefined,
  reason: string | undefined,
): JsonReply['permission'] {
  const behavior = own('permissionDecision', HookPermission, '"allow", "deny", "ask" or "defer"');
  const why = cap(own('permissionDecisionReason', z.string(), 'a text') ?? reason ?? '');
  if (behavior !== undefined) return { behavior, reason: why };
  return decision === 'approve' ? { behavior: 'allow', reason: why } : null;
}

const inputOf = (fields: Fields): JsonReply['updatedInput'] =>
  fields('updatedInput', z.record(z.string(), z.unknown()), 'the whole input as an object') ?? null;

function answerOf(own: Fields, faults: string[]): HookAnswer | null {
  const given = own('decision', z.record(z.string(), z.unknown()), 'an object');
  const fields = fieldsOf(given, 'hookSpecificOutput.decision.', faults);
  const behavior = fields('behavior', z.enum(['allow', 'deny']), '"allow" or "deny"');
  if (behavior === undefined) return null;
  const updates = fields('updatedPermissions', z.array(PermissionUpdate), 'a list of changes');
  return {
    behavior,
    message: cap(fields('message', z.string(), 'a text') ?? ''),
    interrupt: fields('interrupt', z.boolean(), 'true or false') ?? false,
    updates: behavior === 'allow' ? (updates ?? []) : [],
    updatedInput: behavior === 'allow' ? inputOf(fields) : null,
  };
}
