import type { Node } from 'jsonc-parser';
import { nearestName } from '../../../../shared/nearest-name';
import type { SettingsProblem } from '../../../../shared/settings';
import type { Files } from '../../ports';
import { jsonOddities } from '../json-oddities';
import { decodeText, plainValue, propertiesOf, readJson } from '../json-text';
import { remarkProblems } from '../known-keys';

/** Larger descriptions of plugins are refused. Bytes. */
export const MAX_JSON_BYTES = 1024 * 1024;

/** More remarks on how a file is written are not told. */
const MAX_REMARKS = 20;

/** An object of a JSON file, read field by field: a bad field costs itself and is told with its line. */
export interface JsonObject {
  readonly file: string;
  /** Its node in the file, for readers of parts that need lines. */
  readonly root: Node;
  readonly value: Readonly<Record<string, unknown>>;
  lineOf(field: string): number;
  /** Returns the 1-based line of a place in the file. */
  lineAt(offset: number): number;
  /** Returns a text; undefined when it is not there, or told when it is something else. */
  text(field: string): string | undefined;
  /** Returns a text or a list of texts as a list; undefined when it is not there. */
  texts(field: string): readonly string[] | undefined;
  tell(field: string, message: string, level?: SettingsProblem['level']): void;
}

/** Creates the problem of a field in a file of a plugin. */
export const pluginProblem = (
  file: string,
  field: string,
  message: string,
  line = 1,
  level: SettingsProblem['level'] = 'error',
): SettingsProblem => ({
  file,
  line,
  field,
  message: `${file}, line ${line}: ${field === '' ? '' : `${field}: `}${message}.`,
  level,
});

/** Reads a JSON file that holds one object; null with a problem when it cannot be used. Never fails. */
export async function readJsonObject(
  files: Pick<Files, 'read'>,
  file: string,
  problems: SettingsProblem[],
): Promise<JsonObject | null> {
  const bytes = await files.read(file, MAX_JSON_BYTES);
  if (!bytes.ok) {
    problems.push(pluginProblem(file, '', bytes.error.message.replace(/\.$/, '')));
    return null;
  }
  const { text, oddity } = decodeText(bytes.value);
  if (oddity !== null) problems.push(pluginProblem(file, '', oddity, 1, 'warning'));
  return objectOf(text, file, problems);
}

/** Reads the text of a file that holds one object; null with a problem when it cannot be used. */
export function objectOf(
  text: string,
  file: string,
  problems: SettingsProblem[],
): JsonObject | null {
  const tree = readJson(text);
  const wrong =
    tree.fault ??
    (tree.root?.type === 'object' ? null : { line: 1, message: 'an object is expected' });
  if (wrong !== null || tree.root === null) {
    problems.push(pluginProblem(file, '', wrong?.message ?? 'the file is empty', wrong?.line));
    return null;
  }
  const told = remarkProblems(file, tree, jsonOddities(text, tree.root));
  problems.push(...told.slice(0, MAX_REMARKS));
  return objectAt(tree.root, { file, problems, lineAt: tree.lineOf });
}

/** Reads an object inside a file. */
export function objectAt(
  root: Node,
  place: {
    readonly file: string;
    readonly problems: SettingsProblem[];
    readonly lineAt: (offset: number) => number;
  },
): JsonObject {
  const { file, problems, lineAt } = place;
  const properties = propertiesOf(root);
  const value: Record<string, unknown> = Object.create(null);
  for (const { name, value: node } of properties) value[name] = plainValue(node);
  const lineOf = (field: string) =>
    lineAt(properties.find(({ name }) => name === field)?.at ?? root.offset);
  const tell: JsonObject['tell'] = (field, message, level = 'warning') =>
    void problems.push(pluginProblem(file, field, message, lineOf(field), level));
  return {
    ...{ file, root, value, lineOf, lineAt, tell },
    text: (field) => {
      const found = value[field];
      if (found === undefined || typeof found === 'string') return found;
      tell(field, 'a text is expected');
      return undefined;
    },
    texts: (field) => {
      const found = value[field];
      if (found === undefined) return undefined;
      const list = typeof found === 'string' ? [found] : found;
      if (Array.isArray(list) && list.every((one) => typeof one === 'string')) return list;
      tell(field, 'a path or a list of paths is expected');
      return undefined;
    },
  };
}

/** Tells of fields that look like a mistyped known one. */
export function tellNear(object: JsonObject, known: readonly string[]): void {
  for (const name of Object.keys(object.value)) {
    const near = known.includes(name) ? null : nearestName(name, known);
    if (near !== null) object.tell(name, `there is no such field (did you mean "${near}"?)`);
  }
}
