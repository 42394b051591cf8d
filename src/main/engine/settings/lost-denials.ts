import { createScanner, type Node } from 'jsonc-parser';
import type { PermissionRule, RuleSource } from '../../../shared/permission';
import { type JsonTree, propertiesOf } from './json-text';
import { limitMeant, mayTighten, meansSandbox, wantsSandbox } from './restricting-keys';
import { restrictingLists } from './rule-lists';
import { FIELDS } from './schema';

/** The tools whose calls reach anything outside Lathe, as rules name them. */
const REACHING_TOOLS = ['Bash', 'Read', 'Edit', 'WebFetch', 'WebSearch', 'Skill', 'mcp__*'];

/** Said of a file whose denials are not all known. */
export const ASKS_EVERYTHING =
  'Until it can be read, Lathe asks before every call, because it may deny something.';

/** Returns rules that ask about everything: for a file that may deny something and cannot be read. */
export const askEverything = (source: RuleSource, file: string): PermissionRule[] =>
  REACHING_TOOLS.map((text) => ({ behavior: 'ask', text, source, file }));

/** Said of a file that may keep tool servers from starting. */
export const STARTS_NO_SERVER = 'Until then no tool server is started.';

/** The fields of a file that may deny tool servers and cannot be read: it denies all. */
export const NO_SERVER = { fields: { deniedMcpServers: [...FIELDS.deniedMcpServers.otherwise] } };

/** The kinds of denials that a text may hold which is not valid JSON, beside those that could be read. */
interface LostDenials {
  readonly calls: boolean;
  /** Tool servers may be kept from starting. */
  readonly servers: boolean;
}

/** Tells what a text that is not valid JSON may deny beside its lists that could be read. Pure. */
export function lostDenials(
  text: string,
  { root, endsEarly, faultsAt }: Pick<JsonTree, 'root' | 'endsEarly' | 'faultsAt'>,
): LostDenials {
  // Of another notation or encoding nobody knows how it writes a key.
  if (endsEarly || /[\0\uFFFD]/.test(text) || root?.type !== 'object')
    return { calls: true, servers: true };
  const noSandbox = propertiesOf(root).filter(
    (one) => meansSandbox(one.name) && !wantsSandbox(one),
  );
  const read = new Set(
    [...restrictingLists(root), ...noSandbox]
      .filter(({ at, value }) =>
        faultsAt.every((fault) => fault < at || fault > value.offset + value.length),
      )
      .map(({ at }) => at),
  );
  const keys = new Set(keysIn(text, root).flatMap(({ at, key }) => (read.has(at) ? [] : key)));
  const limits = new Set([...keys].map(limitMeant));
  return {
    calls: [...keys].some(mayTighten),
    servers: limits.has('deniedMcpServers') || limits.has('allowedMcpServers'),
  };
}

/** Returns what stands in a text and may be a key: texts and words that are no whole values. */
function keysIn(text: string, root: Node): { readonly at: number; readonly key: string }[] {
  const values = valuesIn(root);
  const found: { at: number; key: string; isValue: boolean }[] = [];
  const scanner = createScanner(text, true);
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const at = scanner.getTokenOffset();
    const sign = text[at] ?? ',';
    const last = found.at(-1);
    // A value is followed by the next one, or by the end of what it stands in.
    if (last?.isValue && !/[\]},]/.test(sign)) last.isValue = false;
    const key = /[[\]{}:,]/.test(sign) ? '' : scanner.getTokenValue();
    found.push({ at, key, isValue: values.has(at) });
  }
  return found.filter(({ key, isValue }) => key !== '' && !isValue);
}

/** Returns the places of the texts that are values. */
function valuesIn(root: Node): ReadonlySet<number> {
  const places = new Set<number>();
  const waiting: Node[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === 'array') waiting.push(...(node.children ?? []));
    waiting.push(...propertiesOf(node).map(({ value }) => value));
    if (node.type === 'string') places.add(node.offset);
  }
  return places;
}
