import { findNodeAtLocation, type Node } from 'jsonc-parser';
import type { HookSetting } from '../../../shared/hooks';
import { ADDITIONS, HANDLERS } from './hook-handlers';
import { propertiesOf } from './json-text';
import { GUARD_EVENTS, holdsHooks, isSwitchedOff, meansGuard } from './restricting-keys';

/** Tells whether hooks in a list name an event of guards, as a key or as a value. Pure. */
export const namesGuard = (node: Node): boolean =>
  node.type === 'array'
    ? (node.children ?? []).some(namesGuard)
    : propertiesOf(node).some(
        ({ name, value }) =>
          (meansGuard(name) && holdsHooks(value)) ||
          (value.type === 'string' && meansGuard(String(value.value))),
      );

/** The fields of a hook that do not say what runs. */
const MANNER: ReadonlySet<string> = new Set([...ADDITIONS, 'type', 'if', 'description']);

/** Tells whether a hook says what runs, be it in a field that nobody knows. A sign before a field switches it off. Pure. */
export const saysWhatRuns = (node: Node): boolean =>
  node.type === 'object'
    ? propertiesOf(node).some(
        ({ name, value }) => !MANNER.has(name) && /^\p{L}/u.test(name) && holdsHooks(value),
      )
    : holdsHooks(node);

/** Tells whether a hook can stop a call: it runs before one, and its answer is waited for. Pure. */
export const isGuard = ({ event, async }: Pick<HookSetting, 'event' | 'async'>): boolean =>
  GUARD_EVENTS.has(event) && async !== true;

/** Tells whether nobody waits for a hook as it is written, so that it decides nothing. Pure. */
export const isUnawaited = (hook: Node): boolean =>
  ['async', 'asyncRewake'].some((name) => findNodeAtLocation(hook, [name])?.value === true);

/**
 * Tells whether a hook may be one that runs, be its type misspelled or of a later version: no field that nobody knows may
 * switch a guard off. A type like `disabled` or `command-off` does. Pure.
 */
export function mayBeType(type: Node | undefined): boolean {
  if (type?.type !== 'string') return true;
  const text = String(type.value);
  return holdsHooks(type) && !Object.keys(HANDLERS).some((name) => isSwitchedOff(text, name));
}
