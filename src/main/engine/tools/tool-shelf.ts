import type { Message } from '../../../shared/message';
import type { PermissionRule } from '../../../shared/permission';
import { isToolDenied, readRules } from '../permissions/rules';

/** The tool that finds others; offered only where there is something to find. */
export const TOOL_SEARCH = 'ToolSearch';

/** A tool that was found. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
}

/**
 * The tools of one session: those whose definitions are always sent, and deferred ones, which cost the model
 * nothing until it looks for them.
 */
export interface ToolShelf<Offered extends FoundTool = FoundTool> {
  /** What the next request offers. Sorted by name, like the registry. */
  offered(): readonly Offered[];
  /**
   * Deferred tools that fit, best first, at most `limit`; from the next request on they are offered.
   * `select:A,B` takes these by name; other words are looked for in names and descriptions.
   */
  find(query: string, limit: number): readonly FoundTool[];
}

/** The shelf of a session. What its history used already stays offered. */
export function createToolShelf<Shelved extends FoundTool & { readonly deferred?: true }>(
  tools: readonly Shelved[],
  history: readonly Message[],
): ToolShelf<Shelved> {
  const deferred = tools.filter((tool) => tool.deferred);
  const used = usedTools(history);
  const found = new Set(deferred.filter(({ name }) => used.has(name)).map(({ name }) => name));
  return {
    offered: () =>
      tools.filter(({ name, deferred: waits }) =>
        name === TOOL_SEARCH ? deferred.length > 0 : !waits || found.has(name),
      ),
    find: (query, limit) => {
      const fitting = searchTools(deferred, query, limit);
      for (const { name } of fitting) found.add(name);
      return fitting;
    },
  };
}

/** Those tools that no rule denies altogether; the others are not shown to the model. */
export function undenied<Tool extends { readonly name: string }>(
  tools: readonly Tool[],
  rules: readonly PermissionRule[],
): readonly Tool[] {
  const parsed = readRules(rules);
  return tools.filter((tool) => !isToolDenied(tool.name, parsed));
}

const usedTools = (history: readonly Message[]): ReadonlySet<string> =>
  new Set(
    history.flatMap((message) =>
      message.role === 'assistant'
        ? message.content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))
        : [],
    ),
  );

/** How much a word in the name counts beside one in the description. */
const NAME_WEIGHT = 3;

/** The tools a query means, best first, equals by name. Pure. */
export function searchTools(
  tools: readonly FoundTool[],
  query: string,
  limit: number,
): readonly FoundTool[] {
  const names = /^\s*select:(.*)$/s.exec(query)?.[1];
  if (names !== undefined) {
    const wanted = new Set(names.split(',').map((name) => name.trim()));
    return tools.filter(({ name }) => wanted.has(name)).slice(0, limit);
  }
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const score = ({ name, description }: FoundTool) =>
    words.reduce(
      (sum, word) =>
        sum +
        (name.toLowerCase().includes(word) ? NAME_WEIGHT : 0) +
        (description.toLowerCase().includes(word) ? 1 : 0),
      0,
    );
  return tools
    .map((tool) => ({ tool, points: score(tool) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || (a.tool.name < b.tool.name ? -1 : 1))
    .slice(0, limit)
    .map(({ tool }) => tool);
}
