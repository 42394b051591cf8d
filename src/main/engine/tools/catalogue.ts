import type { PermissionRule } from '../../../shared/permission';
import { lastAnswer } from '../last-answer';
import { isToolDenied, readRules } from '../permissions/rules';
import type { DeferredTools, ToolSummary } from './environment';
import type { AnyTool } from './tool';

/** A place that tools come from: those built in, servers, skills. */
export interface ToolSource {
  readonly name: string;
  /** Returns the tools that it has now, in any order. */
  list(): readonly AnyTool[];
  /** Calls back when the list or what is pending changed; returns a function that ends it. */
  onChange(listener: () => void): () => void;
  /** Returns the names of what will bring more tools soon, e.g. servers that connect. Absent: nothing will. */
  pending?(): readonly string[];
  /** Resolves when what would bring a tool of that name has brought it, or failed; null when nothing will. Never rejects. */
  arrival?(tool: string): Promise<void> | null;
  /**
   * Tells that deferred tools may come and go, however many there are now: ToolSearch is offered all the time, because a
   * change of what is offered costs the cache of the whole request. Absent: the list alone counts.
   */
  maySearch?(): boolean;
}

/** Returns a source whose list never changes. */
export const fixedSource = (name: string, tools: readonly AnyTool[]): ToolSource => ({
  name,
  list: () => tools,
  onChange: () => () => {},
});

/** Returns the tool of that name in the first source that has it; null when none has. */
export function findTool(sources: readonly ToolSource[], name: string): AnyTool | null {
  for (const source of sources) {
    const tool = source.list().find((one) => one.name === name);
    if (tool !== undefined) return tool;
  }
  return null;
}

/** The tool that finds deferred ones; offered only where there is something to find. */
export const TOOL_SEARCH = 'ToolSearch';

/**
 * The tools of one agent: those whose definitions are always sent, and deferred ones, which cost the model nothing until
 * it looks for them. The mode takes no tool away: it changes often, and each change would cost the prompt cache.
 */
export interface ToolCatalogue extends DeferredTools {
  /** Returns a tool of the agent, offered or not; null when it has none of that name. */
  find(name: string): AnyTool | null;
  /** Resolves when the sources that would bring a tool of that name have it, or failed; null when none will. Never rejects. */
  arrival(name: string): Promise<void> | null;
  /**
   * Returns the tools whose definitions the next request sends: those always sent by name, so that the order of loading
   * changes nothing; behind them those found, in the order found, so that a new one leaves the cache of the others whole.
   */
  offered(): readonly AnyTool[];
  /** Returns the names of the offered tools, and of those that only wait because they are seldom used. */
  names(): readonly string[];
  /** Returns all deferred tools, found or not. */
  deferred(): readonly ToolSummary[];
}

export interface CatalogueOptions {
  /** The sources of tools; of two tools of one name the first source's counts. */
  readonly sources: readonly ToolSource[];
  /** Tells whether the agent's definition lets it have a tool. */
  readonly includes: (name: string) => boolean;
  /** The rules that hold now: what they deny altogether is not shown to the model. */
  readonly rules: () => readonly PermissionRule[];
  /** Returns the deferred tools that the agent found, oldest first. */
  readonly found: () => readonly string[];
  /** Records that it found some. */
  readonly record: (names: readonly string[]) => void;
}

/**
 * Creates the catalogue of one agent. It reads its sources and what was found at each question; what was worked out of
 * the same tools and rules is not worked out again, because every turn and every call asks.
 */
export function createCatalogue(options: CatalogueOptions): ToolCatalogue {
  const { sources, includes } = options;
  const byName = lastAnswer((...listed: readonly AnyTool[]) => {
    const known = new Map<string, AnyTool>();
    for (const tool of listed)
      if (includes(tool.name) && !known.has(tool.name)) known.set(tool.name, tool);
    return [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  });
  const allowedBy = lastAnswer((tools: readonly AnyTool[], given: readonly PermissionRule[]) => {
    const rules = readRules(given);
    return tools.filter((tool) => !isToolDenied(tool.name, rules));
  });
  const all = (): readonly AnyTool[] => byName(...sources.flatMap((source) => source.list()));
  const undenied = (): readonly AnyTool[] => allowedBy(all(), options.rules());
  const pending = () => sources.flatMap((source) => source.pending?.() ?? []);
  const maySearch = (): boolean => sources.some((source) => source.maySearch?.() === true);
  /**
   * Returns a test for tools that wait to be found. Seldom ones wait only where that holds from the start, and an agent whose
   * definition leaves the search out has all of them at once.
   */
  const waitTest = (): ((tool: AnyTool) => boolean) => {
    if (!includes(TOOL_SEARCH)) return () => false;
    const seldomWait = maySearch();
    return ({ deferred: always, seldom }) => always === true || (seldom === true && seldomWait);
  };
  const offered = (): readonly AnyTool[] => {
    const tools = undenied();
    const waits = waitTest();
    const searchable = tools.some((tool) => tool.deferred) || maySearch();
    const always = tools.filter((tool) => (tool.name === TOOL_SEARCH ? searchable : !waits(tool)));
    const waiting = new Map(tools.filter(waits).map((tool) => [tool.name, tool]));
    return [...always, ...options.found().flatMap((name) => waiting.get(name) ?? [])];
  };
  const deferred = () => undenied().filter(waitTest());

  return {
    find: (name) => all().find((tool) => tool.name === name) ?? null,
    arrival: (name) => {
      if (!includes(name)) return null;
      const arrivals = sources.flatMap((source) => source.arrival?.(name) ?? []);
      return arrivals.length === 0 ? null : Promise.all(arrivals).then(() => {});
    },
    offered,
    names: () => {
      const names = offered().map(({ name }) => name);
      const waiting = undenied().filter(({ name, seldom }) => seldom && !names.includes(name));
      return [...names, ...waiting.map(({ name }) => name)];
    },
    deferred,
    pending,
    search: (query, limit) => {
      const fitting = searchTools(deferred(), query, limit);
      const known = new Set(options.found());
      const fresh = fitting.map(({ name }) => name).filter((name) => !known.has(name));
      if (fresh.length > 0) options.record(fresh);
      return fitting;
    },
    onChange: (listener) => {
      const unlisten = sources.map((source) => source.onChange(listener));
      return () => unlisten.forEach((stop) => void stop());
    },
  };
}

/** The weight of a word in the name, and in what its server says to find it by, beside 1 for one in the description. */
const NAME_WEIGHT = 3;
const HINT_WEIGHT = 2;

/** Returns the tools that a query means, best first, equals by name. Pure. */
export function searchTools<Tool extends ToolSummary>(
  tools: readonly Tool[],
  query: string,
  limit: number,
): readonly Tool[] {
  const names = /^\s*select:(.*)$/s.exec(query)?.[1];
  if (names !== undefined) {
    const wanted = new Set(names.split(',').map((name) => name.trim()));
    return tools.filter(({ name }) => wanted.has(name)).slice(0, limit);
  }
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const score = ({ name, description, searchHint = '' }: ToolSummary) =>
    words.reduce(
      (sum, word) =>
        sum +
        (name.toLowerCase().includes(word) ? NAME_WEIGHT : 0) +
        (description.toLowerCase().includes(word) ? 1 : 0) +
        (searchHint.toLowerCase().includes(word) ? HINT_WEIGHT : 0),
      0,
    );
  return tools
    .map((tool) => ({ tool, points: score(tool) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || (a.tool.name < b.tool.name ? -1 : 1))
    .slice(0, limit)
    .map(({ tool }) => tool);
}
