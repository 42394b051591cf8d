import type { Message } from '../../../shared/message';
import type { ToolCatalogue } from '../tools/catalogue';
import type { ToolSummary } from '../tools/environment';
import type { Attachment, Collector } from './attachment';

const KIND = 'tool_listing';

/** The most deferred tools that are listed; the others are found by their words. */
export const MAX_LISTED_TOOLS = 500;

/** Tells which tools the model can look for: all of them once, then only what came and went. */
export const createToolListing = ({
  deferred,
  pending,
}: Pick<ToolCatalogue, 'deferred' | 'pending'>): Collector => ({
  name: 'tools to look for',
  collect: ({ history }) => {
    const attachment = toolListing(history, deferred(), pending());
    return attachment === null ? [] : [{ attachment }];
  },
});

/**
 * Returns what to tell about the deferred tools there are now; null when the model knows. What it was told is read from
 * the history, so that a resumed session tells nothing twice, and one after a summary tells all again. Pure.
 */
export function toolListing(
  history: readonly Message[],
  deferred: readonly ToolSummary[],
  pending: readonly string[] = [],
): Attachment | null {
  const { told, announced } = toldNames(history);
  const now = new Set(deferred.slice(0, MAX_LISTED_TOOLS).map(({ name }) => name));
  const added = [...now].filter((name) => !told.has(name));
  const removed = [...told].filter((name) => !now.has(name)).sort();
  const expected = pending.filter((name) => !announced.has(name)).sort();
  if (added.length + removed.length + expected.length === 0) return null;
  const lines = [
    ...(added.length === 0 ? [] : [listOf(added, told.size > 0)]),
    ...(removed.length === 0 ? [] : [`Tools that are no longer there: ${removed.join(', ')}.`]),
  ];
  if (expected.length > 0) {
    lines.push(
      `Still connecting, and ToolSearch will find what they bring: ${expected.join(', ')}.`,
    );
  }
  const more = deferred.length - now.size;
  if (more > 0) lines.push(`${more} more are not listed; search for them by words.`);
  const about = [
    ...added.map((name) => `+${name}`),
    ...removed.map((name) => `-${name}`),
    ...expected.map((name) => `?${encodeURIComponent(name)}`),
  ];
  return { kind: KIND, about: about.join(' '), text: lines.join('\n') };
}

const listOf = (names: readonly string[], isMore: boolean): string =>
  isMore
    ? `More tools that ToolSearch finds: ${shortList(names)}.`
    : `Tools that can be called once ToolSearch has found them: ${shortList(names)}.`;

/** Names that are written out at once; of more, each server's first ones. */
const MAX_NAMES = 60;
/** Fewer names of one server are written out whole. */
const MIN_GROUP = 4;

/** Writes names out, those of one server behind its name: `mcp__hub__: list_issues, close_issue`. */
function shortList(names: readonly string[]): string {
  const groups = Map.groupBy(names, (name) => /^mcp__.+?__/.exec(name)?.[0] ?? '');
  const room = Math.max(3, Math.floor(MAX_NAMES / groups.size));
  return [...groups]
    .map(([server, all]) => {
      if (server === '' || all.length < MIN_GROUP) return all.join(', ');
      const most = names.length > MAX_NAMES ? room : all.length;
      const own = all.slice(0, most).map((name) => name.slice(server.length));
      const more = all.length > own.length ? ` and ${all.length - own.length} more` : '';
      return `${server}: ${own.join(', ')}${more}`;
    })
    .join('; ');
}

/** Returns the tools that the model was told of and that did not go since, and the servers that were announced. */
function toldNames(history: readonly Message[]) {
  const told = new Set<string>();
  const announced = new Set<string>();
  for (const message of history) {
    if (message.role !== 'attachment' || message.kind !== KIND) continue;
    for (const change of message.about?.split(' ') ?? []) {
      if (change.startsWith('+')) told.add(change.slice(1));
      else if (change.startsWith('-')) told.delete(change.slice(1));
      else announced.add(decodeURIComponent(change.slice(1)));
    }
  }
  return { told, announced };
}
