import type { Node } from 'jsonc-parser';
import type { HookSetting } from '../../../shared/hooks';
import type { PermissionRule, RuleSource } from '../../../shared/permission';
import { isSecret } from '../../../shared/secret-variables';
import type { SettingsProblem } from '../../../shared/settings';
import { type HookPlace, readHooks } from './hook-settings';
import { jsonOddities } from './json-oddities';
import {
  allNamed,
  decodeText,
  holdsOnlyComments,
  type JsonTree,
  kindOf,
  plainValue,
  propertiesOf,
  readJson,
} from './json-text';
import { type KeyRemark, unknownKeys } from './known-keys';
import { limitsIn, type Place, strictest } from './limits';
import {
  ASKS_EVERYTHING,
  askEverything,
  lostDenials,
  NO_SERVER,
  STARTS_NO_SERVER,
} from './lost-denials';
import { isLimit } from './restricting-keys';
import { rulesIn, textsOf } from './rule-lists';
import type { ReportProblem } from './sandbox-fields';
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
import { toolPoliciesIn } from './tool-policies';

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
  if (tree.root === null && holdsOnlyComments(body))
    return withProblem(emptyLayer(source, file), NO_VALUE);
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

const NO_VALUE = 'nothing but comments stands in the file, so it sets nothing';

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
  readonly #limits: ReturnType<typeof limitsIn>;
  /** Set when a denial could not be read. */
  #hasLost = false;

  constructor(tree: JsonTree, text: string, source: RuleSource, file: string) {
    this.#tree = tree;
    this.#text = text;
    this.#source = source;
    this.#file = file;
    this.#limits = limitsIn(tree.root);
  }

  malformed(fault: { readonly line: number; readonly message: string }): SettingsLayer {
    const read = this.#rules().filter((rule) => rule.behavior !== 'allow');
    const lost = lostDenials(this.#text, this.#tree);
    const calls = lost.calls || unknownKeys(this.#tree.root).some(({ loses }) => loses);
    const asks = calls && !this.#hasLost;
    const kept =
      read.length > 0
        ? ` Its deny and ask rules that could be read (${read.length}) still apply; nothing else in it does.`
        : ' Nothing in the file applies until it is corrected.';
    this.#problems.unshift({
      file: this.#file,
      line: fault.line,
      message: `${this.#file}, line ${fault.line}: ${fault.message}.${kept}${asks ? ` ${ASKS_EVERYTHING}` : ''}${lost.servers ? ` ${STARTS_NO_SERVER}` : ''}`,
      level: 'error',
    });
    return {
      ...emptyLayer(this.#source, this.#file),
      ...(lost.servers ? NO_SERVER : {}),
      rules: [...read, ...this.#asking(calls)],
      problems: this.#problems,
    };
  }

  layer(): SettingsLayer {
    this.#remark(unknownKeys(this.#tree.root));
    this.#remark(jsonOddities(this.#text, this.#tree.root));
    const permissions = this.#last(this.#tree.root, 'permissions');
    const layer = {
      source: this.#source,
      file: this.#file,
      lines: this.#lines(),
      fields: this.#values(this.#tree.root, FIELDS, '') as FieldValues,
      permissions: this.#values(permissions, PERMISSION_FIELDS, 'permissions.') as PermissionValues,
      additionalDirectories: this.#folders(permissions),
      env: this.#env(),
      rules: [...this.#rules(), ...this.#policies()],
      sandbox: readSandboxValues(
        propertiesOf(this.#tree.root).flatMap(({ name, value }) =>
          name === 'sandbox' ? value : [],
        ),
        (node, field, expected) => this.#problem(node, field, expected),
        (node, field, expected) => this.#lose(node, field, expected),
      ),
      hooks: this.#hooks(),
    };
    const rules = [...layer.rules, ...this.#asking(false)];
    return { ...layer, rules, problems: this.#told() };
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
      ['env', 'permissions', 'mcpServers', 'skillOverrides']
        .flatMap(under)
        .concat(propertiesOf(root))
        .map(({ name, at }) => [name, this.#tree.lineOf(at)]),
    );
  }

  #remark(remarks: readonly KeyRemark[]): void {
    for (const { at, field, message, loses = false } of remarks) {
      this.#hasLost ||= loses;
      this.#problemAt(at, field, loses ? `${message}. ${ASKS_EVERYTHING.slice(0, -1)}` : message);
    }
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

  #rules(): PermissionRule[] {
    return rulesIn(this.#tree.root, {
      source: this.#source,
      file: this.#file,
      lineOf: this.#tree.lineOf,
      problem: (node, field, expected) => this.#problem(node, field, expected),
      lose: (node, field, expected) => this.#lose(node, field, expected),
    });
  }

  /** Returns the rules of the tools of servers. */
  #policies(): readonly PermissionRule[] {
    const servers = propertiesOf(this.#tree.root).filter(({ name }) => name === 'mcpServers');
    return servers.flatMap(({ value }) => toolPoliciesIn(value, this.#source));
  }

  /** Returns rules that ask about everything when a denial could not be read. */
  #asking(hasLost: boolean): PermissionRule[] {
    return hasLost || this.#hasLost ? askEverything(this.#source, this.#file) : [];
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
    for (const [name, rule] of Object.entries(fields)) {
      const value = this.#last(node, name);
      const places = isLimit(rule)
        ? (this.#limits.get(name) ?? [])
        : value === undefined
          ? []
          : [{ field: `${prefix}${name}`, value }];
      const values = places.map((place) => this.#value(place, rule));
      const counts = isLimit(rule) ? strictest(values, rule) : values[0];
      if (counts !== undefined) found[name] = counts;
    }
    return found;
  }

  /** Returns one value of a field; what counts in its place where it is not as expected. */
  #value({ field, value }: Place, { schema, expected, otherwise, meanwhile }: FieldRule): unknown {
    const parsed = schema.safeParse(plainValue(value));
    if (parsed.success) return parsed.data;
    const until = meanwhile === undefined ? '' : `; until then ${meanwhile}`;
    this.#problem(value, field, `${expected} is expected${until}`);
    return otherwise;
  }

  /** Returns the folders of `additionalDirectories`; a name that is blank would mean the project itself. */
  #folders(permissions: Node | undefined): string[] {
    const field = 'permissions.additionalDirectories';
    const problem: ReportProblem = (node, name, expected) => this.#problem(node, name, expected);
    return propertiesOf(permissions)
      .filter(({ name }) => name === 'additionalDirectories')
      .flatMap(({ value }) => textsOf(value, field, null, problem))
      .flatMap(({ text, node }) => {
        if (text.trim() !== '') return [text];
        this.#problem(node, field, 'the path of a folder is expected');
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
    const place: HookPlace = {
      source: this.#source,
      file: this.#file,
      lineOf: this.#tree.lineOf,
      problem: (node, field, message) => this.#problem(node, field, message),
      lose: (node, field, message) => this.#lose(node, field, message),
    };
    return allNamed(this.#tree.root, 'hooks').flatMap((hooks) => readHooks(hooks, place));
  }
}
