import { applyEdits, modify } from 'jsonc-parser';
import type { ListedHook } from '../../../shared/hooks';
import { err, fault, ok, type Result } from '../../../shared/result';
import { propertiesOf } from './json-tree';
import { type FoundHook, findHooks } from './read-hooks';
import { withoutItem } from './remove-item';
import { layoutOf, readRoot } from './settings-text';

/**
 * The text of a settings file without one hook, and without its group when nothing else is in it; comments and
 * layout stay. A hook that no longer stands where it was seen is an error. Pure.
 */
export function withoutHook(text: string, hook: ListedHook): Result<string> {
  const read = readRoot(text, hook.file);
  if (!read.ok) return read;
  const { bom, body, root, tree } = read.value;
  const { source, file } = hook;
  const place = { source, file, lineOf: tree.lineOf, problem: () => {} };
  const hooks = propertiesOf(root).findLast(({ name }) => name === 'hooks')?.value;
  const found = findHooks(hooks, place).find((one) => isSame(one.hook, hook));
  if (found === undefined) return err(GONE);
  return ok(bom + cutOut(body, found));
}

function cutOut(body: string, { list, index, groups, groupIndex }: FoundHook): string {
  const alone = list.children?.length === 1;
  return alone ? withoutItem(body, groups, groupIndex) : withoutItem(body, list, index);
}

/** The text of a settings file with `disableAllHooks` set. Pure. */
export function withHooksSwitch(text: string, file: string, disabled: boolean): Result<string> {
  const read = readRoot(text, file);
  if (!read.ok) return read;
  const { bom, body } = read.value;
  const formattingOptions = layoutOf(body);
  return ok(
    bom + applyEdits(body, modify(body, ['disableAllHooks'], disabled, { formattingOptions })),
  );
}

/** Whether two hooks are the same one in the same place. */
const isSame = (a: ListedHook, b: ListedHook): boolean =>
  a.line === b.line && a.event === b.event && a.matcher === b.matcher && a.run === b.run;

const GONE = fault(
  'gone',
  'That hook is no longer where it was. Nothing was changed.',
  'Look at the list again.',
);
