import type { Node } from 'jsonc-parser';
import type { z } from 'zod';
import type { HookSetting } from '../../../shared/hooks';
import type { PermissionRule, RuleBehavior, RuleSource } from '../../../shared/permission';
import type { SettingsProblem } from '../../../shared/settings';
import { readRule } from '../permissions/rules';
import { readHooks } from './hook-settings';
import { type JsonTree, plainValue, propertiesOf, readJson } from './json-text';
import { NO_SANDBOX_VALUES, readSandboxValues, type SandboxValues } from './sandbox';
import {
  FIELDS,
  type FieldValues,
  PERMISSION_FIELDS,
  type PermissionValues,
  VARIABLE_NAME,
  VariableValue,
} from './schema';

/** The contents of one settings file, as far as they could be used. */
export interface SettingsLayer {
  readonly source: RuleSource;
  readonly file: string;
  /** Stands for the content of the file; absent when it is not there. */
  readonly digest?: string;
  readonly fields: FieldValues;
  readonly permissions: PermissionValues;
  readonly additionalDirectories: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly rules: readonly PermissionRule[];
  readonly sandbox: SandboxValues;
  readonly hooks: readonly HookSetting[];
  readonly problems: readonly SettingsProblem[];
}

/** Creates a layer that says nothing. */
export const emptyLayer = (source: RuleSource, file: string): SettingsLayer => ({
  source,
  file,
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
export function readSettings(text: string, source: RuleSource, file: string): SettingsLayer {
  const tree = readJson(text.replace(/^\uFEFF/, ''));
  const reader = new Reader(tree, source, file);
  if (tree.fault !== null) return reader.malformed(tree.fault);
  if (tree.root === null) return emptyLayer(source, file);
  if (tree.root.type !== 'object') {
    return reader.malformed({
      line: 1,
      message: `an object is expected, not ${article(tree.root)}`,
    });
  }
  return reader.layer();
}

const article = (node: Node): string =>
  node.type === 'array' ? 'a list' : node.type === 'null' ? 'null' : `a ${node.type}`;

class Reader {
  readonly #tree: JsonTree;
  readonly #source: RuleSource;
  readonly #file: string;
  readonly #problems: SettingsProblem[] = [];

  constructor(tree: JsonTree, source: RuleSource, file: string) {
    this.#tree = tree;
    this.#source = source;
    this.#file = file;
  }

  malformed(fault: { readonly line: number; readonly message: string }): SettingsLayer {
    const rules = this.#rules().filter((rule) => rule.behavior !== 'allow');
    const kept =
      rules.length > 0
        ? ` Its deny and ask rules that could be read (${rules.length}) still apply; nothing else in it does.`
        : ' Nothing in the file applies until it is corrected.';
    this.#problems.unshift({
      file: this.#file,
      line: fault.line,
      message: `${this.#file}, line ${fault.line}: ${fault.message}.${kept}`,
      level: 'error',
    });
    return { ...emptyLayer(this.#source, this.#file), rules, problems: this.#problems };
  }

  layer(): SettingsLayer {
    const permissions = this.#last(this.#tree.root, 'permissions');
    if (permissions && permissions.type !== 'object')
      this.#problem(permissions, 'permissions', 'an object is expected');
    return {
      source: this.#source,
      file: this.#file,
      fields: this.#values(this.#tree.root, FIELDS, '') as FieldValues,
      permissions: this.#values(permissions, PERMISSION_FIELDS, 'permissions.') as PermissionValues,
      additionalDirectories: this.#texts(permissions, 'additionalDirectories').map((t) => t.text),
      env: this.#env(),
      rules: this.#rules(),
      sandbox: readSandboxValues(this.#last(this.#tree.root, 'sandbox'), (node, field, expected) =>
        this.#problem(node, field, expected),
      ),
      hooks: this.#hooks(),
      problems: this.#problems,
    };
  }

  #problem(node: Node, field: string, expected: string): void {
    const line = this.#tree.lineOf(node.offset);
    const message = `${this.#file}, line ${line}: ${field}: ${expected}.`;
    this.#problems.push({ file: this.#file, line, field, message, level: 'warning' });
  }

  /** Returns a named property; of repeated names the last counts, as everywhere in JSON. */
  #last(node: Node | null | undefined, name: string): Node | undefined {
    return propertiesOf(node).findLast((property) => property.name === name)?.value;
  }

  #values(
    node: Node | null | undefined,
    fields: Readonly<Record<string, { schema: z.ZodType; expected: string; otherwise?: unknown }>>,
    prefix: string,
  ): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    for (const [name, { schema, expected, otherwise }] of Object.entries(fields)) {
      const value = this.#last(node, name);
      if (value === undefined) continue;
      const parsed = schema.safeParse(plainValue(value));
      if (parsed.success) found[name] = parsed.data;
      else {
        this.#problem(value, `${prefix}${name}`, `${expected} is expected`);
        if (otherwise !== undefined) found[name] = otherwise;
      }
    }
    return found;
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
      } else return [[name, parsed.data] as const];
      return [];
    });
    return Object.fromEntries(pairs);
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
   * several.
   */
  #rules(): PermissionRule[] {
    const objects = propertiesOf(this.#tree.root)
      .filter((property) => property.name === 'permissions')
      .map((property) => property.value);
    const last = objects.slice(-1);
    return [
      ...objects.flatMap((node) => this.#ruleList(node, 'deny')),
      ...objects.flatMap((node) => this.#ruleList(node, 'ask')),
      ...last.flatMap((node) => this.#ruleList(node, 'allow')),
    ];
  }

  #ruleList(permissions: Node, behavior: RuleBehavior): PermissionRule[] {
    return this.#texts(permissions, behavior).flatMap(({ text, node }) => {
      const line = this.#tree.lineOf(node.offset);
      const rule = { behavior, text, source: this.#source, file: this.#file, line };
      const { parsed, problem } = readRule(rule);
      if (problem) this.#problem(node, `permissions.${behavior}`, problem.message);
      return parsed ? [rule] : [];
    });
  }

  /** Returns the texts of a list, from every property of that name. */
  #texts(parent: Node | null | undefined, name: string): { text: string; node: Node }[] {
    return propertiesOf(parent)
      .filter((property) => property.name === name)
      .flatMap(({ value }) => {
        if (value.type !== 'array') {
          this.#problem(value, `permissions.${name}`, 'a list of texts is expected');
          return value.type === 'string' ? [{ text: String(value.value), node: value }] : [];
        }
        return (value.children ?? []).flatMap((node) => {
          if (node.type === 'string') return [{ text: String(node.value), node }];
          this.#problem(node, `permissions.${name}`, 'a text in quotes is expected');
          return [];
        });
      });
  }
}
