import { basename, dirname } from 'node:path';
import type { HookSetting } from '../../../shared/hooks';
import { nearestName } from '../../../shared/nearest-name';
import type { PermissionRule } from '../../../shared/permission';
import { plainLine } from '../../../shared/plain-line';
import type { SettingsProblem } from '../../../shared/settings';
import { ruleDoubt } from '../permissions/rule-doubts';
import { readRule } from '../permissions/rules';
import type { Files } from '../ports';
import { bindsByName, hooksOfDefinition } from '../settings/definition-hooks';
import { type IsModel, MAX_SKILL_BYTES } from '../settings/definition-places';
import {
  type Frontmatter,
  fieldProblem,
  readFrontmatter,
  switchOf,
  textProblems,
} from '../settings/frontmatter';
import type { FoundFile } from '../settings/markdown-files';
import { denyingFields } from '../settings/restricting-keys';
import { EffortSetting } from '../settings/schema';

/** The place a skill comes from, strongest first: what a project brings never stands in for what a user has. */
export type SkillSource = 'managed' | 'user' | 'project' | 'plugin';

/** A text that a user or the model can put to use by its name: a skill, or a command of a file (docs/skills.md). */
export interface Skill {
  readonly kind: 'skill' | 'command';
  /** As it is typed behind the `/`; folders of commands with colons. */
  readonly name: string;
  readonly source: SkillSource;
  readonly file: string;
  /** The folder of its own files. */
  readonly folder: string;
  readonly description: string;
  readonly whenToUse: string;
  readonly argumentHint: string;
  /** Names of its arguments, in their order. */
  readonly argumentNames: readonly string[];
  readonly modelInvocable: boolean;
  /** The model is told its name alone. */
  readonly nameOnly?: boolean;
  readonly userInvocable: boolean;
  /** Rules that allow, and that deny, while it is in use. */
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly model?: string;
  readonly effort?: string;
  /** The kind of sub-agent that carries it out; absent: the agent that uses it. */
  readonly agent?: string;
  /** Nobody waits for that sub-agent. */
  readonly background?: boolean;
  /** The folder of the plugin that brings it. */
  readonly pluginRoot?: string;
  /** The values of its options that a text may show. */
  readonly pluginValues?: Readonly<Record<string, string>>;
  readonly hooks: readonly HookSetting[];
  /** Rules that hold while it is in use, because a guard among its hooks cannot be read. */
  readonly rules?: readonly PermissionRule[];
  /** Globs of files: it is listed once one of them was read. Empty: always. */
  readonly paths: readonly string[];
}

/** A skill, unless its file defines none, and what could not be used as written. */
export interface ReadSkill {
  readonly skill: Skill | null;
  readonly problems: readonly SettingsProblem[];
}

/** The fields stand in the first part of a file. Bytes. */
const HEAD_BYTES = 32 * 1024;
/** The longest text by which the model is told of a skill. Characters. */
export const MAX_DESCRIPTION = 1_536;

const FIELDS = [
  ...['name', 'description', 'when_to_use', 'argument-hint', 'arguments', 'model', 'effort'],
  ...['disable-model-invocation', 'user-invocable', 'allowed-tools', 'disallowed-tools'],
  ...['context', 'agent', 'background', 'hooks', 'paths', 'shell', 'metadata', 'license'],
  'compatibility',
];

/** Reads the fields of a skill or command. Its text is read when it is used. Never fails. */
export async function readSkill(
  files: Files,
  found: FoundFile,
  kind: Skill['kind'],
  source: SkillSource,
  isModel: IsModel = () => true,
): Promise<ReadSkill> {
  const { path: file, stat } = found;
  const problems: SettingsProblem[] = [];
  const leftOut = (message: string, line = 1): ReadSkill => ({
    skill: null,
    problems: [fieldProblem(file, '', `${message}, so there is no such ${kind}`, line)],
  });
  if (stat.size > MAX_SKILL_BYTES) {
    return leftOut(`its size is ${stat.size} bytes and at most ${MAX_SKILL_BYTES} are read`);
  }
  const bytes = await files.readRange(file, 0, HEAD_BYTES);
  if (!bytes.ok) return leftOut(bytes.error.message.replace(/\.$/, ''));
  if (stat.size === 0) return leftOut('the file is empty');
  // A cut inside a character would look like one that is no text.
  const whole = stat.size > HEAD_BYTES ? bytes.value.lastIndexOf(0x0a) + 1 : stat.size;
  const front = await readFrontmatter(bytes.value.subarray(0, whole));
  if (front.fault !== null) return leftOut(front.fault.message, front.fault.line);
  const name = nameOf(found, kind);
  if (!/^[a-z][\w:-]*$/i.test(name)) {
    return leftOut(
      `"${name}" cannot be typed as a command (a letter, then letters, digits, "-" and "_")`,
    );
  }
  const tell = (field: string, message: string) =>
    void problems.push(fieldProblem(file, field, message, front.lineOf(field)));
  problems.push(...textProblems(file, front.remarks));
  const called = front.fields.get('name') ?? name;
  if (kind === 'skill' && typeof called === 'string' && called.trim() !== name)
    tell('name', `it is called ${name}, as its folder is, not "${called.slice(0, MAX_SHOWN)}"`);
  const denying = denyingFields(front.fields.keys(), 'disallowed-tools', FIELDS);
  const lost = front.odd.find((one) => bindsByName(one.name));
  if (lost !== undefined) return leftOut(`${lost.name}: this is no name of a field`, lost.line);
  for (const { name: odd, line } of front.odd)
    problems.push(fieldProblem(file, odd, 'this is no name of a field', line));
  const place = { source, file, calls: `call while this ${kind} is in use` };
  const { hooks, rules, misspelled } = hooksOfDefinition(front.fields, place, tell);
  for (const field of front.fields.keys()) {
    if (misspelled.has(field)) continue;
    if (field !== 'disallowed-tools' && denying.includes(field)) {
      tell(field, 'there is no such field; it counts as disallowed-tools');
      continue;
    }
    const near = FIELDS.includes(field) ? null : nearestName(field, FIELDS);
    if (near !== null) tell(field, `there is no such field (did you mean "${near}"?)`);
  }
  const guards = { hooks, ...(rules.length === 0 ? {} : { rules }) };
  const given = { kind, name, source, file, ...guards };
  return { skill: skillOf(front, given, tell, isModel), problems };
}

const EFFORTS: readonly string[] = EffortSetting.options;
/** The part of a text that a message repeats. Characters. */
const MAX_SHOWN = 80;

const nameOf = ({ path, name }: FoundFile, kind: Skill['kind']): string =>
  kind === 'skill' ? basename(dirname(path)) : name.replace(/\.md$/, '').replaceAll('/', ':');

function skillOf(
  { fields, body }: Frontmatter,
  given: Pick<Skill, 'kind' | 'name' | 'source' | 'file' | 'hooks' | 'rules'>,
  tell: (field: string, message: string) => void,
  isModel: IsModel,
): Skill | null {
  const text = (field: string): string => {
    const value = fields.get(field) ?? '';
    if (typeof value === 'string') return value.trim();
    if (typeof value === 'number') return String(value);
    tell(field, 'a text is expected');
    return '';
  };
  const flag = (field: string, usual: boolean, unread = usual): boolean => {
    const value = switchOf(fields.get(field) ?? usual);
    if (value === null) tell(field, 'true or false is expected');
    return value ?? unread;
  };
  const list = (field: string): readonly string[] => {
    const items = wordsOf(fields.get(field) ?? []);
    if (items === null) tell(field, 'a list of texts is expected');
    return items ?? [];
  };
  const denying = denyingFields(fields.keys(), 'disallowed-tools', FIELDS);
  // What takes tools away and cannot be read would leave it freer than it was meant.
  const unread = denying.find((field) => wordsOf(fields.get(field) ?? []) === null);
  if (unread !== undefined) {
    tell(unread, `a list of tools is expected, so there is no such ${given.kind}`);
    return null;
  }
  const read = (field: string, texts: readonly string[], behavior: 'allow' | 'deny') =>
    texts.filter((text) => {
      const { problem, parsed } = readRule({ behavior, text, source: 'session' });
      const doubt = problem?.message ?? (parsed && ruleDoubt(parsed));
      if (doubt) tell(field, doubt.replace(/\.$/, ''));
      // One that denies and is odd denies all that it may mean.
      return parsed !== null;
    });
  const denied = denying.flatMap((field) => list(field).flatMap((text) => wordsOf(text) ?? []));
  const disallowedTools = read('disallowed-tools', denied, 'deny');
  if (disallowedTools.length < denied.length) {
    tell('disallowed-tools', `rules are expected, so there is no such ${given.kind}`);
    return null;
  }
  for (const field of ['name', 'license', 'compatibility']) text(field);
  const { metadata = null } = Object.fromEntries(fields);
  if (metadata !== null && (typeof metadata !== 'object' || Array.isArray(metadata)))
    tell('metadata', 'an object is expected');
  const shell = text('shell');
  if (shell !== '' && shell !== 'bash')
    tell('shell', '"bash" is expected; its commands run in bash');
  const background = flag('background', false);
  const hint = fields.get('argument-hint') ?? '';
  const context = text('context');
  if (context !== '' && context !== 'fork') tell('context', '"fork" is expected');
  const asked = text('model');
  const isUsual = asked === '' || asked === 'inherit';
  const model = isUsual || isModel(asked) ? asked : '';
  if (model !== asked)
    tell(
      'model',
      `there is no model "${plainLine(asked, MAX_SHOWN)}"; the model of the session is used`,
    );
  const effort = text('effort');
  if (effort !== '' && !EFFORTS.includes(effort))
    tell('effort', `one of ${EFFORTS.join(', ')} is expected`);
  for (const field of ['description', 'when_to_use'])
    if (String(fields.get(field) ?? '').trim().length > MAX_DESCRIPTION)
      tell(field, `cut after ${MAX_DESCRIPTION} characters`);
  return {
    ...given,
    folder: dirname(given.file),
    description: (text('description') || firstLine(body)).slice(0, MAX_DESCRIPTION),
    whenToUse: text('when_to_use').slice(0, MAX_DESCRIPTION),
    argumentHint: Array.isArray(hint) ? `[${hint.join(', ')}]` : text('argument-hint'),
    argumentNames: list('arguments'),
    // What keeps the model away and cannot be read keeps it away.
    modelInvocable: !flag('disable-model-invocation', false, true),
    userInvocable: flag('user-invocable', true),
    allowedTools: read('allowed-tools', list('allowed-tools'), 'allow'),
    disallowedTools,
    paths: list('paths'),
    ...(model === '' || model === 'inherit' ? {} : { model }),
    ...(EFFORTS.includes(effort) ? { effort } : {}),
    ...(context === 'fork' ? { agent: text('agent') || 'general-purpose', background } : {}),
  };
}

/**
 * Returns the items of a list, or of a text with commas or spaces outside of brackets; null when it is neither. A bracket
 * that is not closed goes on to the end: without it a rule would cover more than was meant.
 */
function wordsOf(value: unknown): readonly string[] | null {
  const items =
    typeof value === 'string' ? (value.match(/(?:\([^)]*(?:\)|$)|[^,\s(])+/g) ?? []) : value;
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) return null;
  return items.map((item: string) => item.trim()).filter((item) => item !== '');
}

const firstLine = (body: string): string =>
  body
    .split('\n')
    .map((line) => line.replace(/^#+\s*/, '').trim())
    .find((line) => line !== '') ?? '';
