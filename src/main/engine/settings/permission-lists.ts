import { applyEdits, findNodeAtLocation, modify, type Node } from 'jsonc-parser';
import type { RuleBehavior } from '../../../shared/permission';
import { ok, type Result } from '../../../shared/result';
import { plainValue } from './json-tree';
import { withoutItem } from './remove-item';
import { layoutOf, readRoot, refuse } from './settings-text';

/** A list of texts in `permissions`: the rules of one behavior, or folders. */
export type PermissionList = RuleBehavior | 'additionalDirectories';

/** A list in a settings file, or why the file cannot be changed. */
interface FoundList {
  readonly bom: string;
  /** The text without its byte order mark. */
  readonly body: string;
  /** Absent when the file has no such list. */
  readonly node: Node | undefined;
}

function readList(text: string, file: string, list: PermissionList): Result<FoundList> {
  const read = readRoot(text, file);
  if (!read.ok) return read;
  const { bom, body, root, tree } = read.value;
  const permissions = findNodeAtLocation(root, ['permissions']);
  if (permissions && permissions.type !== 'object')
    return refuse(file, 'permissions is not an object', tree.lineOf(permissions.offset));
  const node = findNodeAtLocation(root, ['permissions', list]);
  if (node && node.type !== 'array')
    return refuse(file, `permissions.${list} is not a list`, tree.lineOf(node.offset));
  return ok({ bom, body, node });
}

const placesOf = (list: Node | undefined, item: string): number[] =>
  (list?.children ?? []).flatMap((node, at) => (plainValue(node) === item ? [at] : []));

/** The text of a settings file with one more item in a list; the same text when it has it. Pure. */
export function withListed(
  text: string,
  file: string,
  list: PermissionList,
  item: string,
): Result<string> {
  const read = readList(text, file, list);
  if (!read.ok) return read;
  const { bom, body, node } = read.value;
  if (placesOf(node, item).length > 0) return ok(text);
  const formattingOptions = layoutOf(body);
  const edits = node
    ? modify(body, ['permissions', list, -1], item, { formattingOptions, isArrayInsertion: true })
    : modify(body, ['permissions', list], [item], { formattingOptions });
  return ok(bom + ended(applyEdits(body, edits), formattingOptions.eol));
}

/** The text of a settings file without an item of a list, however often it stands there. Pure. */
export function withoutListed(
  text: string,
  file: string,
  list: PermissionList,
  item: string,
): Result<string> {
  const read = readList(text, file, list);
  if (!read.ok) return read;
  const { bom, body, node } = read.value;
  const [place] = placesOf(node, item);
  if (node === undefined || place === undefined) return ok(text);
  return withoutListed(bom + withoutItem(body, node, place), file, list, item);
}

/** The texts in a list of a settings file. Pure. */
export function listed(text: string, file: string, list: PermissionList): Result<string[]> {
  const read = readList(text, file, list);
  if (!read.ok) return read;
  const items = (read.value.node?.children ?? []).map(plainValue);
  return ok(items.filter((item) => typeof item === 'string'));
}

/** The text of a settings file with the mode that sessions begin in. Pure. */
export function withMode(text: string, file: string, mode: string): Result<string> {
  const read = readList(text, file, 'allow');
  if (!read.ok) return read;
  const { bom, body } = read.value;
  const formattingOptions = layoutOf(body);
  const edits = modify(body, ['permissions', 'defaultMode'], mode, { formattingOptions });
  return ok(bom + ended(applyEdits(body, edits), formattingOptions.eol));
}

const ended = (text: string, eol = '\n'): string => (text.endsWith('\n') ? text : `${text}${eol}`);
