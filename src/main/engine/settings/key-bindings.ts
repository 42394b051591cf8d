import { applyEdits, type JSONPath, modify, type Node } from 'jsonc-parser';
import type { KeyBinding, KeyBindings, KeyChange } from '../../../shared/key-bindings';
import { ok, type Result } from '../../../shared/result';
import type { SettingsProblem } from '../../../shared/settings';
import { repeatedNames } from './json-oddities';
import {
  decodeText,
  layoutOf,
  plainValue,
  propertiesOf,
  readJson,
  readRoot,
  refuse,
  withoutProperty,
} from './json-text';
import { type KeyRemark, unknownAmong } from './known-keys';

/** More entries than this are not read. */
const MAX_BINDINGS = 2_000;

/**
 * Reads a user's `keybindings.json`: a list `bindings` of blocks, each with a `context` and an object `bindings` of keys
 * and commands; null takes a key away. Comments and trailing commas are fine. What cannot be used is told with its
 * line, and costs nothing else. Pure.
 */
export function readKeyBindings(bytes: Uint8Array | string, file: string): KeyBindings {
  const { text, oddity } = decodeText(bytes);
  const tree = readJson(text);
  const problems: SettingsProblem[] = [];
  const tell = (at: number, field: string, message: string) => {
    problems.push({ file, line: tree.lineOf(at), field, message, level: 'warning' });
  };
  if (tree.fault !== null) {
    const { line, message } = tree.fault;
    const told = `${message}; what can be read of the file still counts`;
    problems.push({ file, line, message: told, level: 'error' });
  }
  if (oddity !== null) tell(0, '', oddity);
  const notText = text.search(/[\0\uFFFD]/);
  if (notText >= 0) tell(notText, '', 'this is not UTF-8 text');
  if (tree.root === null) return { file, bindings: [], problems };
  for (const { at, field, message } of oddNames(tree.root)) tell(at, field, message);
  const list = propertyOf(tree.root, 'bindings');
  if (tree.root.type === 'array' && tree.root.children?.length) {
    for (const entry of tree.root.children ?? []) {
      const { key, command } = Object(plainValue(entry));
      const name = typeof command === 'string' ? `“${command}”` : 'nothing';
      const keys = typeof key === 'string' ? key : 'a key';
      const words = `is ignored: entries stand in blocks, {"bindings": [{"context": "Lathe", "bindings": {…}}]}`;
      tell(entry.offset, 'bindings', `${keys} for ${name} ${words}`);
    }
    return { file, bindings: [], problems };
  }
  if (list?.type !== 'array') {
    tell(list?.offset ?? 0, 'bindings', 'a list of blocks is expected here');
    return { file, bindings: [], problems };
  }
  const bindings: KeyBinding[] = [];
  for (const block of list.children ?? []) {
    const context = propertyOf(block, 'context');
    const keys = propertyOf(block, 'bindings');
    if (typeof context?.value !== 'string' || keys?.type !== 'object') {
      tell(
        block.offset,
        'bindings',
        'a block with a context in quotes and an object of bindings is expected here',
      );
      continue;
    }
    for (const { name, value, at } of propertiesOf(keys)) {
      const isNone = value.type === 'null';
      if (!isNone && typeof value.value !== 'string') {
        tell(at, name, 'the name of a command in quotes, or null, is expected here');
        continue;
      }
      const command = isNone ? null : String(value.value);
      bindings.push({ context: context.value, key: name, command, line: tree.lineOf(at) });
    }
  }
  if (bindings.length > MAX_BINDINGS) {
    const message = `more than ${MAX_BINDINGS} keys are set here; those after them are not read`;
    problems.push({ file, field: 'bindings', message, level: 'warning' });
  }
  return { file, bindings: bindings.slice(0, MAX_BINDINGS), problems };
}

const TOP: ReadonlySet<string> = new Set(['bindings']);
const BLOCK: ReadonlySet<string> = new Set(['context', 'bindings']);

/** Returns a remark for each name that nobody reads or that stands twice, those of keys left to the keymap. */
function oddNames(root: Node): readonly KeyRemark[] {
  // A name with this sign says something about the file, such as its schema.
  const plain = (node: Node) => propertiesOf(node).filter(({ name }) => !name.startsWith('$'));
  const blocks = propertyOf(root, 'bindings')?.children ?? [];
  return [
    ...unknownAmong(plain(root), TOP, ''),
    ...blocks.flatMap((block) => unknownAmong(plain(block), BLOCK, 'bindings.')),
    ...repeatedNames(root).filter(({ field }) => !/^bindings\[\d+\]\.bindings\./.test(field)),
  ];
}

/** Returns the value of the last property with this name; absent where there is none. */
const propertyOf = (node: Node, name: string): Node | undefined =>
  propertiesOf(node).findLast((one) => one.name === name)?.value;

/** Returns the text of `keybindings.json` with some entries changed; comments and layout stay. Pure. */
export function withKeyChanges(
  text: string,
  file: string,
  changes: readonly KeyChange[],
): Result<string> {
  return changes.reduce<Result<string>>(
    (done, change) => (done.ok ? withKeyChange(done.value, file, change) : done),
    ok(text),
  );
}

function withKeyChange(text: string, file: string, change: KeyChange): Result<string> {
  const read = readRoot(text, file);
  if (!read.ok) return read;
  const { bom, body, root, tree } = read.value;
  const list = propertyOf(root, 'bindings');
  if (list !== undefined && list.type !== 'array')
    return refuse(file, 'bindings is not a list', tree.lineOf(list.offset));
  const { context, key, command } = change;
  const blocks = (list?.children ?? []).flatMap((block, at) =>
    propertyOf(block, 'context')?.value === context
      ? [{ at, keys: propertyOf(block, 'bindings') }]
      : [],
  );
  const holding = blocks.filter(({ keys }) => propertiesOf(keys).some(({ name }) => name === key));
  const formattingOptions = layoutOf(body);
  const edited = (path: JSONPath, value: unknown, isArrayInsertion = false): string =>
    bom + applyEdits(body, modify(body, path, value, { formattingOptions, isArrayInsertion }));
  const place = (holding.at(-1) ?? blocks.at(-1))?.at;
  if (command === undefined) {
    const keys = holding[0]?.keys;
    if (keys === undefined) return ok(text);
    return withKeyChange(bom + withoutProperty(body, keys, key), file, change);
  }
  if (place !== undefined) return ok(edited(['bindings', place, 'bindings', key], command));
  const block = { context, bindings: { [key]: command } };
  return ok(
    list === undefined ? edited(['bindings'], [block]) : edited(['bindings', -1], block, true),
  );
}
