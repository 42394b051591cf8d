import path from 'node:path';
import { applyEdits, findNodeAtLocation, modify, type Node } from 'jsonc-parser';
import type { RuleBehavior, RuleSuggestion } from '../../../shared/permission';
import { err, fault, ok, type Result } from '../../../shared/result';
import { readRule } from '../permissions/rules';
import type { Files } from '../ports';
import { plainValue } from './json-tree';
import { withoutItem } from './remove-item';
import { layoutOf, readRoot, refuse } from './settings-text';

const MAX_SETTINGS_BYTES = 1024 * 1024;

/** Changes settings files. One instance per process, so that two answers never overwrite each other. */
export interface SettingsWriter {
  /** Adds a rule to a file, comments and layout kept; does nothing when it is there already. */
  addRule(file: string, behavior: RuleBehavior, rule: string): Promise<Result<null>>;
  /** Takes a rule out of a file, comments and layout kept; does nothing when it is not there. */
  removeRule(file: string, behavior: RuleBehavior, rule: string): Promise<Result<null>>;
  /** Changes a file's text; the same text means that nothing is written. */
  change(file: string, edit: (text: string) => Result<string>): Promise<Result<null>>;
}

/** The file a rule with this destination goes to; null for the session, which has none. */
export function fileForDestination(
  destination: RuleSuggestion['destination'],
  places: { readonly project: string; readonly configDir: string },
): string | null {
  switch (destination) {
    case 'session':
      return null;
    case 'localSettings':
      return path.join(places.project, '.claude', 'settings.local.json');
    case 'projectSettings':
      return path.join(places.project, '.claude', 'settings.json');
    case 'userSettings':
      return path.join(places.configDir, 'settings.json');
  }
}

/** Adds an allow rule a person chose to the file it is meant for. See {@link createSettingsWriter} for many at once. */
export async function addRule(
  writer: SettingsWriter,
  places: { readonly project: string; readonly configDir: string },
  suggestion: RuleSuggestion,
): Promise<Result<null>> {
  const file = fileForDestination(suggestion.destination, places);
  if (file === null) return ok(null);
  return writer.addRule(file, 'allow', suggestion.rule);
}

/** Creates a writer. A malformed file is refused and left as it is. */
export function createSettingsWriter(files: Files): SettingsWriter {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (act: () => Promise<Result<null>>): Promise<Result<null>> => {
    const result = last.then(act);
    last = result;
    return result;
  };
  return {
    addRule: async (file, behavior, rule) => {
      const { problem } = readRule({ behavior, text: rule, source: 'session' });
      if (problem) return err(fault('invalid_rule', `${problem.message}.`));
      return inTurn(() => changeFile(files, file, (text) => withRule(text, file, behavior, rule)));
    },
    removeRule: (file, behavior, rule) =>
      inTurn(() => changeFile(files, file, (text) => withoutRule(text, file, behavior, rule))),
    change: (file, edit) => inTurn(() => changeFile(files, file, edit)),
  };
}

/** Changes a settings file's text. A link stays a link; what is not there yet counts as empty. */
async function changeFile(
  files: Files,
  file: string,
  change: (text: string) => Result<string>,
): Promise<Result<null>> {
  const real = await files.realPath(file);
  const target = real.ok ? real.value : file;
  const read = await files.read(target, MAX_SETTINGS_BYTES);
  if (!read.ok && read.error.code !== 'not_found')
    return err(fault(read.error.code, `The settings were not changed: ${read.error.message}`));
  const before = read.ok ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(read.value) : '';
  const after = change(before);
  if (!after.ok) return after;
  if (after.value === before) return ok(null);
  const written = await files.write(target, after.value);
  return written.ok
    ? ok(null)
    : err(fault(written.error.code, `The settings were not changed: ${written.error.message}`));
}

/** The list of rules in a settings file, or why the file cannot be changed. */
interface RuleList {
  readonly bom: string;
  /** The text without its byte order mark. */
  readonly body: string;
  /** Absent when the file has no such list. */
  readonly node: Node | undefined;
}

function readList(text: string, file: string, behavior: RuleBehavior): Result<RuleList> {
  const read = readRoot(text, file);
  if (!read.ok) return read;
  const { bom, body, root, tree } = read.value;
  const permissions = findNodeAtLocation(root, ['permissions']);
  if (permissions && permissions.type !== 'object')
    return refuse(file, 'permissions is not an object', tree.lineOf(permissions.offset));
  const list = findNodeAtLocation(root, ['permissions', behavior]);
  if (list && list.type !== 'array')
    return refuse(file, `permissions.${behavior} is not a list`, tree.lineOf(list.offset));
  return ok({ bom, body, node: list });
}

const placesOf = (list: Node | undefined, rule: string): number[] =>
  (list?.children ?? []).flatMap((item, at) => (plainValue(item) === rule ? [at] : []));

/** The text of a settings file with one more rule; the same text when it has the rule. Pure. */
export function withRule(
  text: string,
  file: string,
  behavior: RuleBehavior,
  rule: string,
): Result<string> {
  const list = readList(text, file, behavior);
  if (!list.ok) return list;
  const { bom, body, node } = list.value;
  if (placesOf(node, rule).length > 0) return ok(text);
  const formattingOptions = layoutOf(body);
  const edits = node
    ? modify(body, ['permissions', behavior, -1], rule, {
        formattingOptions,
        isArrayInsertion: true,
      })
    : modify(body, ['permissions', behavior], [rule], { formattingOptions });
  const after = applyEdits(body, edits);
  return ok(bom + (after.endsWith('\n') ? after : `${after}${formattingOptions.eol ?? '\n'}`));
}

/** The text of a settings file without a rule, however often it stands there. Pure. */
export function withoutRule(
  text: string,
  file: string,
  behavior: RuleBehavior,
  rule: string,
): Result<string> {
  const list = readList(text, file, behavior);
  if (!list.ok) return list;
  const { bom, body, node } = list.value;
  const [place] = placesOf(node, rule);
  if (node === undefined || place === undefined) return ok(text);
  return withoutRule(bom + withoutItem(body, node, place), file, behavior, rule);
}
