import type { Node } from 'jsonc-parser';
import { nearestName } from '../../../shared/nearest-name';
import { ADDITIONS, HANDLERS } from './hook-handlers';
import { propertiesOf } from './json-text';
import { holdsHooks, isSwitchedOff, meansGuard } from './restricting-keys';

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

/**
 * Tells whether a hook is meant to be of a type that is known, though it does not name one. Types of later versions have
 * fields of their own. Pure.
 */
export function meansKnownType(hook: Node, type: Node | undefined): boolean {
  if (type?.type !== 'string') return true;
  const text = String(type.value);
  const types = Object.entries(HANDLERS);
  if (!holdsHooks(type) || types.some(([name]) => isSwitchedOff(text, name))) return false;
  const written = propertiesOf(hook).map(({ name }) => name);
  return (
    nearestName(text, Object.keys(HANDLERS)) !== null ||
    types.some(([, { fields }]) => written.every((name) => fields.has(name)))
  );
}
