import type { Node } from 'jsonc-parser';
import type { HookSetting } from '../../../shared/hooks';
import type { PermissionRule, RuleBehavior, RuleSource } from '../../../shared/permission';
import { isSecret } from '../../../shared/secret-variables';
import type { SettingsProblem } from '../../../shared/settings';
import { ruleDoubt } from '../permissions/rule-doubts';
import { areSeveral, EACH_ALONE, readRule } from '../permissions/rules';
import { readHooks } from './hook-settings';
import { jsonOddities } from './json-oddities';
import { decodeText, type JsonTree, kindOf, plainValue, propertiesOf, readJson } from './json-text';
import {
  type KeyRemark,
  meansDenials,
  meansPermissions,
  restrictionMeant,
  unknownKeys,
} from './known-keys';
import { NO_SANDBOX_VALUES, readSandboxValues, type SandboxValues } from './sandbox-values';
import {
  FIELDS,
  type FieldRule,
  type FieldValues,
  OWN_VARIABLE,
  PERMISSION_FIELDS,
  type PermissionValues,
  VARIABLE_NAME,
  VariableValue,
} from './schema';

/** The settings as one file has them, or what was given in its place. */
export interface GivenSettings {
  readonly source: RuleSource;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The contents of one settings file, as far as they could be used. */
export interface SettingsLayer {
  readonly source: RuleSource;
  /** The id of the plugin that brings it; null for one that is tried from a folder. */
  readonly ofPlugin?: string | null;
  readonly file: string;
  /** Stands for the content of the file; absent when it is not there. */
  readonly digest?: string;
  /** The lines of its fields, by name (`model`, `env.A`, `permissions.allow`). */
  readonly lines: Readonly<Record<string, number>>;
  readonly fields: FieldValues;
  readonly permissions: PermissionValues;
  readonly additionalDirectories: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly rules: readonly PermissionRule[];
  readonly sandbox: SandboxValues;
  readonly hooks: readonly HookSetting[];
  readonly problems: readonly SettingsProblem[];
  /** The settings as the file has them; absent where it was not read. */
  readonly given?: GivenSettings['settings'];
}

/** Creates a layer that says nothing. */
export const emptyLayer = (source: RuleSource, file: string): SettingsLayer => ({
  source,
  file,
  lines: {},
  fields: {},
  permissions: {},
  additionalDirectories: [],
  env: {},
  rules: [],
  sandbox: NO_SANDBOX_VALUES,
  hooks: [],
  problems: [],
});

/**
 * Reads the text of one settings file. Pure; never throws. A bad field costs only itself. From a file that is
 * not valid JSON only the deny and ask rules that can still be read are kept: they can only tighten.
 */
export function readSettings(
  bytes: Uint8Array | string,
  source: RuleSource,
  file: string,
): SettingsLayer {
  const { text: body, encoding, oddity } = decodeText(bytes);
  const tree = readJson(body);
  const reader = new Reader(tree, body, source, file);
  const notText = body.search(/[\0\uFFFD]/);
  if (notText >= 0 && (tree.fault === null || encoding === 'utf-8'))
    return reader.malformed({ line: tree.lineOf(notText), message: 'this is not UTF-8 text' });
  if (tree.fault !== null) return reader.malformed(tree.fault);
  if (tree.root === null) return withProblem(emptyLayer(source, file), EMPTY);
  if (tree.root.type !== 'object') {
    return reader.malformed({
      line: 1,
      message: `an object is expected, not ${kindOf(tree.root)}`,
    });
  }
  const given = plainValue(tree.root) as GivenSettings['settings'];
  const layer = { ...reader.layer(), given };
  return oddity === null ? layer : withProblem(layer, oddity);
}

/** Said of a file in which nothing stands. */
export const EMPTY = 'the file is empty, so it sets nothing';

/** Returns a layer with one more problem, which is about its whole file. */
export const withProblem = (
  layer: SettingsLayer,
  message: string,
  level: SettingsProblem['level'] = 'warning',
): SettingsLayer => {
  const { file, problems } = layer;
  const problem = { file, line: 1, message: `${file}, line 1: ${message}.`, level };
  return { ...layer, problems: [problem, ...problems] };
};

/** The tools whose calls reach anything outside Lathe, as rules name them. */
const REACHING_TOOLS = ['Bash', 'Read', 'Edit', 'WebFetch', 'WebSearch', 'Skill', 'mcp__*'];

/** Said of a file whose denials are not all known. */
export const ASKS_EVERYTHING =
  'Until it can be read, Lathe asks before every call, because it may deny something.';

/** Returns rules that ask about everything: for a file that may deny something and cannot be read. */
export const askEverything = (source: RuleSource, file: string): PermissionRule[] =>
  REACHING_TOOLS.map((text) => ({ behavior: 'ask', text, source, file }));

/** A word that begins a list of denials, whatever quotes are around it. */
const RESTRICTING_KEY = /\b(?:deny|ask)\b["'`’”]?\s*:/g;

/** More problems of one file are only counted. */
const MAX_PROBLEMS = 100;

/** Longer names and rules are told by their beginning and end. Characters. */
const MAX_TOLD_CHARS = 600;

const shortened = (text: string): string =>
  text.length <= MAX_TOLD_CHARS
    ? text
    : `${text.slice(0, MAX_TOLD_CHARS / 2)}…${text.slice(-MAX_TOLD_CHARS / 2)}`;

class Reader {
  readonly #tree: JsonTree;
  readonly #text: string;
  readonly #source: RuleSource;
  readonly #file: string;
  readonly #problems: SettingsProblem[] = [];
  /** The messages of the problems, so that each is told once. */
  readonly #messages = new Set<string>();
  /** Set when a denial could not be read. */
  #hasLost = false;

  constructor(tree: JsonTree, text: string, source: RuleSource, file: string) {
    this.#tree = tree;
    this.#text = text;
    this.#source = source;
    this.#file = file;
  }

  malformed(fault: { readonly line: number; readonly message: string }): SettingsLayer {
    const rules = this.#rules().filter((rule) => rule.behavior !== 'allow');
    const read = rules.length - (this.#hasLost ? REACHING_TOOLS.length : 0);
    const lost = !this.#hasLost && this.#mayHaveLostDenials();
    const kept =
      read > 0
        ? ` Its deny and ask rules that could be read (${read}) still apply; nothing else in it does.`
        : ' Nothing in the file applies until it is corrected.';
    this.#problems.unshift({
      file: this.#file,
      line: fault.line,
      message: `${this.#file}, line ${fault.line}: ${fault.message}.${kept}${lost ? ` ${ASKS_EVERYTHING}` : ''}`,
      level: 'error',
    });
    const asking = lost ? askEverything(this.#source, this.#file) : [];
    return {
      ...emptyLayer(this.#source, this.#file),
      rules: [...rules, ...asking],
      problems: this.#problems,
    };
  }

  /** Tells whether a malformed file may deny more than could be read of it. */
  #mayHaveLostDenials(): boolean {
    const { faultsAt, endsEarly, root } = this.#tree;
    if (endsEarly || /[\0\uFFFD]/.test(this.#text)) return true;
    // Of another notation or encoding nobody knows how it writes a key.
    if (root?.type !== 'object') return true;
    const lists = propertiesOf(root)
      .filter(({ name }) => name === 'permissions')
      .flatMap(({ value }) => propertiesOf(value))
      .filter(({ value: { offset, length } }) =>
        faultsAt.every((at) => at < offset || at > offset + length),
      );
    return [...this.#text.matchAll(RESTRICTING_KEY)].some(
      ({ index }) => !lists.some(({ at }) => at <= index && index <= at + 1),
    );
  }

  layer(): SettingsLayer {
    this.#remark(unknownKeys(this.#tree.root));
    this.#remark(jsonOddities(this.#text, this.#tree.root));
    const permissions = this.#last(this.#tree.root, 'permissions');
    if (permissions && permissions.type !== 'object')
      this.#lose(permissions, 'permissions', 'an object is expected');
    const layer = {
      source: this.#source,
      file: this.#file,
      lines: this.#lines(),
      fields: this.#values(this.#tree.root, FIELDS, '') as FieldValues,
      permissions: this.#values(permissions, PERMISSION_FIELDS, 'permissions.') as PermissionValues,
      additionalDirectories: this.#folders(permissions),
      env: this.#env(),
      rules: this.#rules(),
      sandbox: readSandboxValues(this.#last(this.#tree.root, 'sandbox'), (node, field, expected) =>
        this.#problem(node, field, expected),
      ),
      hooks: this.#hooks(),
    };
    return { ...layer, problems: this.#told() };
  }

  /** Returns the problems in the order of their lines; of very many the first, and how many more there are. */
  #told(): readonly SettingsProblem[] {
    const problems = this.#problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
    const more = problems.length - MAX_PROBLEMS;
    if (more <= 0) return problems;
    const file = this.#file;
    const message = `${file}: ${more} more entries of this file cannot be used as written.`;
    return [...problems.slice(0, MAX_PROBLEMS), { file, message, level: 'warning' }];
  }

  /** Returns the lines of single fields, variables of `env`, fields of `permissions`, and tool servers. */
  #lines(): Readonly<Record<string, number>> {
    const { root } = this.#tree;
    const under = (name: string) =>
      propertiesOf(this.#last(root, name)).map((found) => ({
        ...found,
        name: `${name}.${found.name}`,
      }));
    return Object.fromEntries(
      ['env', 'permissions', 'mcpServers']
        .flatMap(under)
        .concat(propertiesOf(root))
        .map(({ name, at }) => [name, this.#tree.lineOf(at)]),
    );
  }

  #remark(remarks: readonly KeyRemark[]): void {
    for (const { at, field, message } of remarks) this.#problemAt(at, field, message);
  }

  #problem(node: Node, field: string, expected: string): void {
    this.#problemAt(node.offset, field, expected);
  }

  #problemAt(at: number, field: string, expected: string): void {
    const line = this.#tree.lineOf(at);
    const name = shortened(field.replace(/(^|\.)$/, '$1""'));
    const message = `${this.#file}, line ${line}: ${name}: ${shortened(expected)}.`;
    if (this.#messages.has(message)) return;
    this.#messages.add(message);
    this.#problems.push({ file: this.#file, line, field: name, message, level: 'warning' });
  }

  /** Reports something that may be a denial and cannot be read. */
  #lose(node: Node, field: string, expected: string): void {
    this.#hasLost = true;
    this.#problem(node, field, `${expected}. ${ASKS_EVERYTHING.slice(0, -1)}`);
  }

  /** Returns a named property; of repeated names the last counts, as everywhere in JSON. */
  #last(node: Node | null | undefined, name: string): Node | undefined {
    return propertiesOf(node).findLast((property) => property.name === name)?.value;
  }

  #values(
    node: Node | null | undefined,
    fields: Readonly<Record<string, FieldRule>>,
    prefix: string,
  ): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    for (const [name, { schema, expected, otherwise, meanwhile }] of Object.entries(fields)) {
      const value = this.#last(node, name);
      if (value === undefined) continue;
      const parsed = schema.safeParse(plainValue(value));
      if (parsed.success) found[name] = parsed.data;
      else {
        const until = meanwhile === undefined ? '' : `; until then ${meanwhile}`;
        this.#problem(value, `${prefix}${name}`, `${expected} is expected${until}`);
        if (otherwise !== undefined) found[name] = otherwise;
      }
    }
    return found;
  }

  /** Returns the folders of `additionalDirectories`; a name that is blank would mean the project itself. */
  #folders(permissions: Node | undefined): string[] {
    return this.#texts(permissions, 'additionalDirectories').flatMap(({ text, node }) => {
      if (text.trim() !== '') return [text];
      this.#problem(node, 'permissions.additionalDirectories', 'the path of a folder is expected');
      return [];
    });
  }

  #env(): Record<string, string> {
    const node = this.#last(this.#tree.root, 'env');
    if (!node) return {};
    if (node.type !== 'object') this.#problem(node, 'env', 'an object is expected');
    const pairs = propertiesOf(node).flatMap(({ name, value }) => {
      const parsed = VariableValue.safeParse(plainValue(value));
      if (!VARIABLE_NAME.test(name) || name === '__proto__') {
        this.#problem(value, `env.${name}`, 'this is not a name for a variable');
      } else if (!parsed.success) {
        this.#problem(value, `env.${name}`, 'a text in quotes is expected');
      } else if (parsed.data.includes('\0')) {
        this.#problem(value, `env.${name}`, 'a value cannot contain a NUL character');
      } else if (isSecret(name) && !this.#isOwn(name)) {
        this.#problem(value, `env.${name}`, 'ignored, because commands are never given this one');
      } else return [[name, parsed.data] as const];
      return [];
    });
    return Object.fromEntries(pairs);
  }

  /** Tells whether Lathe itself takes a variable from this file. */
  #isOwn(name: string): boolean {
    return OWN_VARIABLE.test(name) && !/^(?:local|project)Settings$/.test(this.#source);
  }

  #hooks(): HookSetting[] {
    return readHooks(this.#last(this.#tree.root, 'hooks'), {
      source: this.#source,
      file: this.#file,
      lineOf: this.#tree.lineOf,
      problem: (node, field, message) => this.#problem(node, field, message),
    });
  }

  /**
   * Returns all rules. Deny and ask lists count from every `permissions` object, should there be
   * several, and where a key is misspelled or in no such object.
   */
  #rules(): PermissionRule[] {
    const { root } = this.#tree;
    const named = propertiesOf(root).filter(({ name }) => meansPermissions(name));
    const objects = named.map(({ value }) => value);
    const last = named.filter(({ name }) => name === 'permissions').slice(-1);
    const isLoose = propertiesOf(root).some(({ name }) => meansDenials(name));
    const restricting = isLoose && root ? [...objects, root] : objects;
    return [
      ...restricting.flatMap((node) => this.#ruleList(node, 'deny')),
      ...restricting.flatMap((node) => this.#ruleList(node, 'ask')),
      ...last.flatMap(({ value }) => this.#ruleList(value, 'allow')),
      ...(this.#hasLost ? askEverything(this.#source, this.#file) : []),
    ];
  }

  #ruleList(permissions: Node, behavior: RuleBehavior): PermissionRule[] {
    return this.#texts(permissions, behavior).flatMap(({ text, node }) => {
      const line = this.#tree.lineOf(node.offset);
      const rule = { behavior, text, source: this.#source, file: this.#file, line };
      const { parsed, problem } = readRule(rule);
      const field = `permissions.${behavior}`;
      if (problem && parsed === null && behavior !== 'allow')
        this.#lose(node, field, problem.message);
      else if (problem) this.#problem(node, field, problem.message);
      const doubt = parsed === null || problem ? null : ruleDoubt(parsed);
      if (doubt !== null) this.#problem(node, field, doubt);
      return parsed ? [rule] : [];
    });
  }

  /** Returns the texts of a list, from every property of that name. */
  #texts(parent: Node | null | undefined, name: string): { text: string; node: Node }[] {
    const restricts = name === 'deny' || name === 'ask';
    const refuse = (node: Node, expected: string): void =>
      restricts
        ? this.#lose(node, `permissions.${name}`, expected)
        : this.#problem(node, `permissions.${name}`, expected);
    return propertiesOf(parent)
      .filter((one) => one.name === name || (restricts && restrictionMeant(one.name) === name))
      .flatMap(({ value }) => {
        const isOne = value.type === 'string' && !areSeveral(String(value.value));
        if (isOne || (value.type === 'string' && !restricts)) {
          const expected = 'a list of texts is expected; this text counts as a list of one';
          this.#problem(value, `permissions.${name}`, expected);
          return [{ text: String(value.value), node: value }];
        }
        if (value.type !== 'array') {
          refuse(value, 'a list of texts is expected');
          return [];
        }
        return (value.children ?? []).flatMap((node) => {
          const text = node.type === 'string' ? String(node.value) : null;
          if (text !== null && !areSeveral(text)) return [{ text, node }];
          refuse(node, text === null ? 'a text in quotes is expected' : EACH_ALONE);
          return [];
        });
      });
  }
}
