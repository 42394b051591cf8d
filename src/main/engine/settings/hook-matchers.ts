import type { Node } from 'jsonc-parser';
import type { HookEvent, HookSetting } from '../../../shared/hooks';
import { nearestName } from '../../../shared/nearest-name';
import { err, ok, type Result } from '../../../shared/result';
import {
  canonicalName,
  isKnownTool,
  KNOWN_TOOLS,
  OLD_AGENT,
  presentName,
} from '../permissions/rules';
import { allNamed, plainValue } from './json-text';
import { GUARD_EVENTS } from './restricting-keys';

/** The events that are about a call. */
export const TOOL_EVENTS: ReadonlySet<HookEvent> = new Set<HookEvent>([
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionDenied',
]);

/** A test of whether a hook is for a subject: a tool's name, a trigger, a kind of notification. */
export type Matcher = (subject: string) => boolean;

/** Longer patterns are a mistake, or an attack on matching. UTF-16 units. */
const MAX_LENGTH = 1_000;
/** Names are shorter; what comes after this is not looked at, so that no pattern can run for long. UTF-16 units. */
const MAX_SUBJECT = 256;

/** docs/hooks.md: a text of only these is a list of exact names. */
const NAMES_ONLY = /^[A-Za-z0-9_\-, |]*$/;
/** The form of a matcher of kinds of failure: only `|` separates, and fewer characters make a name. */
const FAILURES_ONLY = /^[A-Za-z0-9_|]*$/;
/** A repeated group that repeats or chooses inside itself: matching one can take for ever. */
const ENDLESS = /\((?:[^()\\]|\\.)*(?:[*+|]|\{\d+,\d*\})(?:[^()\\]|\\.)*\)(?:[*+]|\{\d+,\d*\})/;

/**
 * Reads a matcher: exact names separated by `|` or `,`; any other text is a regular expression that may fit
 * anywhere; empty and `*` mean all. The error says what is wrong with it. Pure.
 */
export function readMatcher(text: string, event?: HookEvent): Result<Matcher, string> {
  const trimmed = text.trim();
  const isOfTools = event !== undefined && TOOL_EVENTS.has(event);
  if (trimmed === '' || trimmed === '*') return ok(() => true);
  if (trimmed.length > MAX_LENGTH) {
    return err(`the matcher is longer than ${MAX_LENGTH} characters`);
  }
  if ((event === 'StopFailure' ? FAILURES_ONLY : NAMES_ONLY).test(trimmed)) {
    const listed = trimmed.split(/[|,]/).map((name) => name.trim());
    const meant = isOfTools ? listed.map((name) => presentName(canonicalName(name))) : [];
    const names = new Set([...listed, ...meant]);
    return ok((subject) => names.has(subject));
  }
  if (ENDLESS.test(trimmed)) {
    return err(
      'the matcher repeats a group that itself repeats or chooses, which could take for ever',
    );
  }
  try {
    const pattern = new RegExp(trimmed);
    return ok(
      (subject) =>
        pattern.test(subject.slice(0, MAX_SUBJECT)) ||
        (isOfTools && subject === presentName(OLD_AGENT) && pattern.test(OLD_AGENT)),
    );
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return err(`the matcher is no regular expression (${why})`);
  }
}

/**
 * Reads the matcher of a group of hooks. One that cannot be read must not silence a guard: there it fits everything. Null
 * where the group is not used. Tells what is wrong.
 */
export function matcherOf(
  group: Node,
  event: HookEvent,
  field: string,
  problem: (node: Node, field: string, message: string) => void,
): Pick<HookSetting, 'matcher' | 'widened'> | null {
  const node = allNamed(group, 'matcher').at(-1);
  if (node === undefined) return { matcher: '' };
  const value = plainValue(node);
  const text = typeof value === 'string' ? value.trim() : null;
  const isGuard = GUARD_EVENTS.has(event);
  const ruled = canonicalName(/^(\w+)\s*\(.*\)$/.exec(text ?? '')?.[1] ?? '');
  if (isGuard && isKnownTool(ruled)) {
    problem(node, field, `a matcher only names tools, so its hooks run for all of ${ruled}`);
    return { matcher: ruled, widened: true };
  }
  const read = text === null ? err('a text in quotes is expected') : readMatcher(text, event);
  if (!read.ok) {
    const end = isGuard ? 'until it is corrected its hooks run for all' : 'its hooks are not used';
    problem(node, field, `${read.error}; ${end}`);
    return isGuard ? { matcher: '', widened: true } : null;
  }
  const doubt = TOOL_EVENTS.has(event) ? matcherDoubt(text ?? '') : null;
  if (doubt !== null) problem(node, field, doubt);
  return { matcher: text ?? '' };
}

/** Returns why a matcher of tools fits none; null when it may fit one. Pure. */
function matcherDoubt(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === '*' || !NAMES_ONLY.test(trimmed)) return null;
  const names = trimmed.split(/[|,]/).map((name) => name.trim());
  if (names.some((name) => isKnownTool(presentName(name)) || name.startsWith('mcp__'))) return null;
  const spelt = names.find((name) => isKnownTool(canonicalName(name)));
  if (spelt !== undefined)
    return `there is no tool ${spelt}; it is taken for ${canonicalName(spelt)}`;
  const meant = nearestName(names[0] ?? '', KNOWN_TOOLS);
  const advice = meant === null ? '' : `; “${meant}” may be meant`;
  return `there is no tool ${names.join(', ')}, so its hooks never run${advice}`;
}
