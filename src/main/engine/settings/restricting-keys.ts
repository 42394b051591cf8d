import type { Node } from 'jsonc-parser';
import { HookEvent } from '../../../shared/hooks';
import { nearestName } from '../../../shared/nearest-name';
import { isKnownTool, readRule } from '../permissions/rules';
import { type Property, propertiesOf } from './json-text';
import { child, isOff } from './sandbox-fields';
import { SANDBOX_KEYS } from './sandbox-values';
import { FIELDS, type FieldRule, PERMISSION_FIELDS } from './schema';
import { USED_ELSEWHERE } from './used-elsewhere';

/** The fields at the top of a settings file. */
export const TOP: ReadonlySet<string> = new Set([...Object.keys(FIELDS), 'permissions', 'env']);
/** The fields of `permissions`. */
export const PERMISSIONS: ReadonlySet<string> = new Set([
  ...Object.keys(PERMISSION_FIELDS),
  ...['allow', 'ask', 'deny', 'additionalDirectories'],
]);

/** Tells whether a field only takes something away, so that none of its values may be lost. */
export const isLimit = ({ otherwise }: FieldRule): boolean => otherwise !== undefined;

const LIMITS: ReadonlySet<string> = new Set(
  Object.entries<FieldRule>({ ...FIELDS, ...PERMISSION_FIELDS }).flatMap(([name, rule]) =>
    isLimit(rule) ? [name] : [],
  ),
);
const FIELD_NAMES: ReadonlySet<string> = new Set([...TOP, ...PERMISSIONS]);

const lettersOf = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/[^a-z]/gi, '')
    .toLowerCase();

const DENIAL =
  '(?:den(?:y|ies|ied)|disallow(?:s|ed)?|forbid(?:s|den)?|block(?:s|ed)?|bann?(?:s|ed)?|reject(?:s|ed)?|refused?|prohibit(?:s|ed)?|never|black(?=list))';
const OBJECT =
  '(?:list|tool|rule|command|path|file|pattern|permission|action|call|use|bash|shell|read|write|edit|fetch|access)s?';

/** The words, as letters, by which people mean denials, alone or with what they deny. */
const DENIES = new RegExp(`^(?:always)?${DENIAL}(?:${OBJECT})*$|^(?:${OBJECT})+${DENIAL}$`);
const ASKS = new RegExp(`^(?:always)?asks?(?:${OBJECT}|for|before)*$`);
const BEGINS_DENIAL = new RegExp(`^(?:always)?${DENIAL}`);
/** The beginnings of other words: “banner”, “blockquote”, “nevertheless”. */
const BEGINS_OTHER = /^(?:[Bb]an|[Bb]lock|[Nn]ever)(?!ned|ed|s|list)[a-z]/;
const LOOKS =
  'show|display|hide|remind|notify|warn|suggest|hint|tip|message|text|title|label|reason|icon|sound|style|theme|colou?r|font|size|width|height|indent|spacing|margin|padding|layout|cursor|align|wrap|fold|collapse|highlight|format';
/** The names, as letters, of how something looks or what is said of it: “neverShow”, “blockStyle”, “denyMessage”. */
const OF_LOOKS = new RegExp(`^${DENIAL}(?:(?:${LOOKS})s?)+$`);
/** The signs of a path, a pattern or a rule. */
const OF_RULES = /[/\\*~()]|\.\w|^mcp__/;
const ofRules = (text: string): boolean => OF_RULES.test(text) || isKnownTool(text.trim());
/** The words that say as often something else: updates that never come, a way to work that asks. */
const DOUBTFUL = /^(?:asks?|never)$/;
/** The ends of names below which rules stand. */
const HOLDS_RULES = /(?:permission|polic(?:y|ie)|rule|tool|bash|shell|command)s?$/;
/** The words that begin a name which takes something away, whatever it is. */
const TIGHTENS = new RegExp(`^(?:always)?(?:${DENIAL}|ask|disabled?|permissionpolicy)`);
const DENIES_SERVERS = new RegExp(
  `^${DENIAL}(?:mcp|mcpjson)?servers?$|^(?:mcp)?servers?${DENIAL}$|^${DENIAL}mcps?$`,
);
/** The words by which people mean that something may be done. */
const ALLOWS = /^(?:auto|always)?(?:allow|approve|accept|permit|grant|trust|white)/;

const lets = (letters: string): boolean => ALLOWS.test(letters) || /^enable/.test(letters);

/** Tells whether a key is `permissions`, be it misspelled, with words before it or with characters that cannot be seen. */
export const meansPermissions = (name: string): boolean =>
  name === 'permissions' ||
  (!TOP.has(name) &&
    (/permissions?$/.test(lettersOf(name)) || nearestName(name, TOP) === 'permissions') &&
    restrictionNamed(name) === null);

/** Returns the list that the words of a key mean; null where they mean none. */
export function restrictionNamed(name: string): 'deny' | 'ask' | null {
  const letters = lettersOf(name).replace(/^permissions?(?=.)/, '');
  if (DENIES.test(letters)) return 'deny';
  return ASKS.test(letters) ? 'ask' : null;
}

/** Returns the list of rules that a key means which can only tighten, be it misspelled; null for any other key. */
export function restrictionMeant(name: string): 'deny' | 'ask' | null {
  const named = restrictionNamed(name);
  if (named !== null || PERMISSIONS.has(name)) return named;
  const nearest = nearestName(name.normalize('NFKC'), PERMISSIONS);
  if (nearest === 'deny') return nearest;
  // In longer words there is too often an “ask”: “tasks”, “mask”.
  return nearest === 'ask' && name.length === nearest.length ? nearest : null;
}

/** Returns the fields of a definition that mean the one which takes tools away, itself first. Pure. */
export function denyingFields(
  names: Iterable<string>,
  name: string,
  known: Iterable<string>,
): string[] {
  const fields = new Set(known);
  const isMeant = (one: string) =>
    !fields.has(one) &&
    (restrictionNamed(one) === 'deny' ||
      (nearestName(one, fields) === name && !lets(lettersOf(one))));
  return [name, ...[...names].filter(isMeant)];
}

/** Returns the list of rules that a property at the top of a file means and that belongs into `permissions`. */
export function looseList({ name, value }: Property): 'deny' | 'ask' | null {
  if (TOP.has(name) || limitMeant(name) !== null) return null;
  return value.type === 'array' ? restrictionMeant(name) : restrictionNamed(name);
}

/** Returns the field that a key means whose value only takes something away, be it misspelled; null for any other key. */
export function limitMeant(name: string): string | null {
  if (LIMITS.has(name)) return name;
  if (FIELD_NAMES.has(name) || USED_ELSEWHERE.has(name) || restrictionNamed(name) !== null)
    return null;
  const letters = lettersOf(name);
  if (DENIES_SERVERS.test(letters)) return 'deniedMcpServers';
  const meant = nearestName(name.normalize('NFKC'), FIELD_NAMES);
  if (meant === null || !LIMITS.has(meant)) return null;
  // “enabled” is but three letters from “disabled”.
  return lets(letters) && TIGHTENS.test(lettersOf(meant)) ? null : meant;
}

/** The events at which a hook can stop a call: what cannot be read of such a guard makes it run for more. */
export const GUARD_EVENTS: ReadonlySet<string | null> = new Set<HookEvent>([
  'PreToolUse',
  'PermissionRequest',
]);

/** Returns a name without what is typed by mistake around it and cannot be seen in it: `hooks:`. */
const typedName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{C}/gu, '')
    .replace(/^[\s"']+|[\s"':;,.=]+$/g, '');

/** The letters that people put at an end of a name to switch off what it names, beside signs and digits. */
const OFF_END = /^(?:x+|no|not|un|dis|off|old|bak|tmp|disabled?|unused|skip|backup)$/;

/** Tells whether a name is another one with something at an end of it that switches off what it names. */
export function isSwitchedOff(name: string, named: string): boolean {
  const typed = typedName(name).toLowerCase();
  const rest = typed.replace(named.toLowerCase(), '');
  return rest !== typed && (/[^\p{L}]/u.test(rest) || OFF_END.test(rest));
}

/** Returns the known name that a key means which somebody counts on, be it misspelled; null where it is switched off. */
function wantedName(key: string, known: Iterable<string>, most?: number): string | null {
  const name = typedName(key);
  const meant = nearestName(name, known, most);
  return meant === null || isSwitchedOff(name, meant) ? null : meant;
}

/** Tells whether a name is that of an event at which a hook can stop a call, be it misspelled. */
export const meansGuard = (name: string, most?: number): boolean =>
  GUARD_EVENTS.has(wantedName(name, HookEvent.options, most));

/** The beginning of a text that is a comment. `#!` begins a script, `//host` a path. */
const COMMENT = /^\s*(?:\/\/|#)(?:\s|$|(?:off|disabled?)\b)/i;

/** Tells whether the value of a guard holds anything that is not switched off. */
export const holdsHooks = (node: Node): boolean => {
  if (node.type === 'array') return (node.children ?? []).some(holdsHooks);
  if (node.type === 'string' && COMMENT.test(String(node.value))) return false;
  return saysAnything(node) && !isOff(node);
};

/** The mistakes in the names of other programs are more: `toolUse` is three from an event, `mailbox` from the sandbox. */
const MOST_MISTAKES = 2;

/** Tells whether a property is a guard, or a misspelled `hooks` with guards in it. People rename it (`hooks2`) to switch hooks off. */
export const holdsGuards = ({ name, value }: Property): boolean =>
  (meansGuard(name, MOST_MISTAKES) && holdsHooks(value)) ||
  (meansHooks(name) &&
    propertiesOf(value).some((event) => meansGuard(event.name) && holdsHooks(event.value)));

/** Tells whether a name is of letters alone, of any script: some look like those of another. A sign or a digit switches off. */
const isWord = (name: string): boolean => /^\p{L}+$/u.test(typedName(name));

/** Tells whether a name is `hooks`, be it misspelled. */
export const meansHooks = (name: string): boolean =>
  isWord(name) && wantedName(name, TOP) === 'hooks';

/** Tells whether a property is `sandbox`, be it misspelled, and is not off: somebody counts on its walls. */
export function wantsSandbox({ name, value }: Property): boolean {
  const enabled = value.type === 'object' ? child(value, 'enabled') : value;
  return meansSandbox(name) && enabled !== undefined && !isOff(enabled);
}

/** Tells whether a name is `sandbox`, be it misspelled. */
export const meansSandbox = (name: string): boolean =>
  isWord(name) && wantedName(name, TOP, MOST_MISTAKES) === 'sandbox';

/** Tells whether a property of `sandbox` is a misspelled `enabled` that is not off. */
const enablesSandbox = ({ name, value }: Property): boolean =>
  wantedName(name, SANDBOX_KEYS.own, MOST_MISTAKES) === 'enabled' &&
  !TIGHTENS.test(lettersOf(name)) &&
  !isOff(value);

/** Returns what is lost with a key among known ones that nobody reads, in words; null where nothing is. */
export function lossOf(
  one: Property,
  known: ReadonlySet<string>,
  siblings: readonly Property[],
): string | null {
  if (known === TOP && holdsGuards(one)) return 'a hook in it may be meant to stop calls';
  const isEnabled =
    (known === TOP && wantsSandbox(one)) ||
    (known === SANDBOX_KEYS.own &&
      enablesSandbox(one) &&
      !siblings.some(({ name, value }) => name === 'enabled' && value.type === 'boolean'));
  if (isEnabled) return 'it may be meant to switch the sandbox on';
  return mayDeny(one, known) ? 'something in it may be a denial' : null;
}

/** Tells whether a key of a file that is not valid JSON may take something away or build walls, or the words in the midst of one. */
export const mayTighten = (key: string): boolean =>
  restrictionMeant(key) !== null ||
  [key, ...key.split(/[^\p{L}\p{N}_-]+/u)].some(
    (word) =>
      restrictionNamed(word) !== null ||
      meansGuard(word) ||
      meansSandbox(word) ||
      (TIGHTENS.test(lettersOf(word)) && !USED_ELSEWHERE.has(word)),
  );

/**
 * Tells whether a key among known ones that nobody reads may hold denials. Those of other programs stand in other places:
 * a word alone counts where rules stand and in the objects of a list.
 */
function mayDeny({ name, value }: Property, known: ReadonlySet<string>): boolean {
  const letters = lettersOf(name);
  if (ALLOWS.test(letters)) return false;
  if (
    BEGINS_DENIAL.test(letters) &&
    !BEGINS_OTHER.test(name) &&
    value.type !== 'boolean' &&
    !(value.type === 'string' && OF_LOOKS.test(letters) && !ofRules(value.value)) &&
    saysAnything(value)
  )
    return true;
  const isOne = HOLDS_RULES.test(letters) && !isDoubtful(String(value.value));
  const waiting = [{ node: value, areRules: known !== TOP || isOne, isListed: false }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, areRules, isListed } = next;
    if (node.type === 'array')
      for (const child of node.children ?? [])
        waiting.push({ node: child, areRules, isListed: child.type === 'object' });
    else if (node.type === 'string') {
      const text = String(node.value);
      const counts = areRules || (isListed && !isDoubtful(text));
      if (counts && restrictionNamed(text) !== null) return true;
      if (known === PERMISSIONS && isRule(text)) return true;
    }
    for (const inner of propertiesOf(node)) {
      const innerLetters = lettersOf(inner.name);
      if (ALLOWS.test(innerLetters)) continue;
      const counts = areRules || inner.value.type === 'array' || !isDoubtful(inner.name);
      if (counts && restrictionNamed(inner.name) !== null && saysAnything(inner.value)) return true;
      waiting.push({
        node: inner.value,
        areRules: areRules || HOLDS_RULES.test(innerLetters),
        isListed,
      });
    }
  }
  return false;
}

const isDoubtful = (text: string): boolean => DOUBTFUL.test(lettersOf(text));

/** Tells whether a value holds anything but a no. */
const saysAnything = ({ type, value, children = [] }: Node): boolean =>
  type === 'string' ? value !== '' : children.length > 0 || value === true;

function isRule(text: string): boolean {
  const { parsed } = readRule({ behavior: 'deny', text, source: 'session' });
  return parsed !== null && (isKnownTool(parsed.tool) || parsed.tool.startsWith('mcp__'));
}
