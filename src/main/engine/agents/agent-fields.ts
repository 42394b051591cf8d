import { AgentColor } from '../../../shared/agent-color';
import { nearestName } from '../../../shared/nearest-name';
import { PermissionMode } from '../../../shared/permission';
import { plainLine } from '../../../shared/plain-line';
import { coversTool, isKnownTool, KNOWN_TOOLS, presentName } from '../permissions/rules';
import type { IsModel } from '../settings/definition-places';
import { switchOf } from '../settings/frontmatter';
import { type McpServerSetting, readServers } from '../settings/mcp-servers';
import { denyingFields } from '../settings/restricting-keys';
import type { AgentDefinition, AgentSource } from './definitions';

/** A report of what is wrong with a field. */
export type Complain = (
  field: string,
  message: string,
  /** The agent can do nothing more for it; or there is no agent because of it. */
  result?: 'harmless' | 'leftOut',
) => void;

/** The fields of a definition that files and `--agents` have in common. */
type CommonFields = Omit<
  AgentDefinition,
  'name' | 'description' | 'prompt' | 'source' | 'file' | 'hooks' | 'rules'
>;

/** The part of a text that a message repeats. Characters. */
const MAX_SHOWN = 80;

/** Fields that definitions have besides those of {@link readAgentFields}. */
const FURTHER_FIELDS = ['name', 'description', 'hooks', 'isolation', 'prompt'];

const EFFORTS: ReadonlySet<string> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);
const MEMORY = ['user', 'project', 'local'] as const;
/** More round trips than these are no limit. */
const MOST_TURNS = 10_000;
/** The windows at which an agent's conversation may be summarised. Tokens. */
const LEAST_WINDOW = 1_000;
const MOST_WINDOW = 10_000_000;
/** The agents that may look on at one. */
const MOST_OBSERVERS = 4;

/**
 * Reads the fields of a definition, by the names people write. What is wrong with one costs only itself, but for the lists
 * of tools: an agent whose tools cannot be read would get more of them than meant, so there is none then. `place`: the file
 * that defines it, or what stands for one; `isModel` tells whether a model can be asked for. Pure.
 */
export function readAgentFields(
  fields: ReadonlyMap<string, unknown>,
  complain: Complain,
  place: string,
  isModel: IsModel = () => true,
): CommonFields | null {
  let usable = true;
  const read = <T>(
    name: string,
    take: (value: unknown) => T | string,
    result?: 'leftOut',
  ): T | undefined => {
    const value = fields.get(name);
    if (value === undefined || value === null || value === '') return undefined;
    const taken = take(value);
    if (typeof taken !== 'string') return taken;
    complain(name, taken, result);
    return undefined;
  };
  /** Reads a text; `fits` says what is wrong with it. */
  const text = (name: string, fits: (value: string) => string | null): string | undefined =>
    read(name, (value) => {
      const wrong = typeof value === 'string' ? fits(value.trim()) : 'a text is expected';
      return wrong ?? { text: String(value).trim() };
    })?.text;
  const list = (name: string, wanted: string, binds = false): readonly string[] | undefined => {
    const value = fields.get(name);
    if (value === undefined || value === null) return undefined;
    const items = listOf(value);
    if (items === null)
      complain(
        name,
        `${wanted} are expected, with commas between them or as a list`,
        binds ? 'leftOut' : undefined,
      );
    return items ?? undefined;
  };
  const toolList = (name: string): readonly string[] | undefined => {
    const items = list(name, 'names of tools', true);
    if (items === undefined && (fields.get(name) ?? null) !== null) usable = false;
    const all = name === 'tools' ? items : items?.flatMap(wordsOf);
    return all?.map((item) => toolName(item, name, complain));
  };

  const denying = denyingFields(fields.keys(), 'disallowedTools', KNOWN);
  for (const name of fields.keys()) {
    if (KNOWN.has(name)) continue;
    if (denying.includes(name)) {
      complain(name, 'there is no such field; it counts as disallowedTools', 'harmless');
      continue;
    }
    const near = nearestName(name, KNOWN);
    if (near !== null) complain(name, `there is no such field (did you mean "${near}"?)`);
  }
  const tools = toolList('tools');
  const disallowed = denying.map(toolList).filter((items) => items !== undefined);
  const disallowedTools = disallowed.length === 0 ? undefined : disallowed.flat();
  const skills = list('skills', 'names of skills');
  const servers = read('mcpServers', (value) => serversIn(value, place, complain));
  const model = text('model', (value) =>
    value === '' || value === 'inherit' || isModel(value)
      ? null
      : `there is no model "${plainLine(value, MAX_SHOWN)}"; the model of the session is used`,
  );
  const effort = text('effort', (value) =>
    EFFORTS.has(value) ? null : `one of ${[...EFFORTS].join(', ')} is expected`,
  );
  const color = read('color', (value) => {
    const known = AgentColor.safeParse(value);
    return known.success
      ? { value: known.data }
      : `one of ${AgentColor.options.join(', ')} is expected`;
  })?.value;
  const initialPrompt = text('initialPrompt', () => null);
  const memory = read('memory', (value) => {
    const place = MEMORY.find((one) => one === value);
    return place === undefined ? `one of ${MEMORY.join(', ')} is expected` : { place };
  })?.place;
  const whole = (name: string, least: number, most: number) =>
    read(name, (value) => {
      // A number in quotes is one, too.
      const number = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? +value : value;
      return typeof number === 'number' &&
        Number.isInteger(number) &&
        number >= least &&
        number <= most
        ? number
        : `a whole number from ${least} to ${most} is expected`;
    });
  const flag = (name: string) =>
    read(name, (value) => switchOf(value) ?? 'true or false is expected');
  const maxTurns = whole('maxTurns', 1, MOST_TURNS);
  const autoCompactWindow = whole('autoCompactWindow', LEAST_WINDOW, MOST_WINDOW);
  const background = flag('background');
  const omitsMemory = flag('omitClaudeMd');
  const reminder = text('criticalSystemReminder_EXPERIMENTAL', () => null);
  const named = list('observer', 'names of agents')?.filter(
    (name, at, all) => all.indexOf(name) === at,
  );
  if (named !== undefined && named.length > MOST_OBSERVERS)
    complain('observer', `${MOST_OBSERVERS} look on at most; the others do not`);
  const observers = named?.slice(0, MOST_OBSERVERS) ?? [];
  const observerMessage = text('observerMessage', () => null);
  const permissionMode = read('permissionMode', (value) => readMode(value))?.mode;
  // An agent that must not touch the project's files does not start in them.
  const isolation = read(
    'isolation',
    (value) => {
      usable &&= value === 'worktree';
      return value === 'worktree' ? { value: 'worktree' as const } : '"worktree" is expected';
    },
    'leftOut',
  )?.value;
  if (!usable) return null;
  return {
    ...(tools === undefined || tools.includes('*') ? {} : { tools }),
    ...(disallowedTools === undefined ? {} : { disallowedTools }),
    ...(skills === undefined ? {} : { skills }),
    ...(servers === undefined ? {} : { mcpServers: servers.names }),
    ...(servers === undefined || servers.own.length === 0 ? {} : { ownServers: servers.own }),
    ...(model === undefined || model === 'inherit' ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(color === undefined ? {} : { color }),
    ...(initialPrompt === undefined ? {} : { initialPrompt }),
    ...(observers.length === 0 ? {} : { observers }),
    ...(observerMessage === undefined ? {} : { observerMessage }),
    ...(memory === undefined ? {} : { memory }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(background === undefined ? {} : { background }),
    ...(autoCompactWindow === undefined ? {} : { autoCompactWindow }),
    ...(omitsMemory === undefined ? {} : { omitsMemory }),
    ...(reminder === undefined ? {} : { reminder }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
  };
}

const KNOWN: ReadonlySet<string> = new Set([
  ...FURTHER_FIELDS,
  ...['autoCompactWindow', 'criticalSystemReminder_EXPERIMENTAL', 'omitClaudeMd'],
  ...['observer', 'observerMessage'],
  ...['background', 'color', 'disallowedTools', 'effort', 'initialPrompt', 'maxTurns'],
  ...['mcpServers', 'memory', 'model', 'permissionMode', 'skills', 'tools'],
]);

/** Returns the items of a list, or of a text with commas outside of brackets; null when it is neither. Pure. */
function listOf(value: unknown): readonly string[] | null {
  const items = typeof value === 'string' ? value.match(/(?:\([^)]*\)|[^,(])+/g) : value;
  if (items === null) return [];
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) return null;
  return items.map((item: string) => item.trim()).filter((item) => item !== '');
}

/** Returns the names in an item of what is taken away: blanks part them too, outside of brackets. */
const wordsOf = (item: string): readonly string[] =>
  isKnownTool(item) ? [item] : (item.match(/(?:\([^)]*(?:\)|$)|[^\s(])+/g) ?? []);

function toolName(item: string, field: string, complain: Complain): string {
  // What is taken away may be meant by less than what is given.
  const takes = field !== 'tools';
  const shape = takes ? /^([^()]+)\((.*)$/s : /^([^()]+)\((.*)\)$/s;
  const [, written = item, specifier] = shape.exec(item) ?? [];
  const letters = written.trim().toLowerCase();
  const name = (takes && KNOWN_TOOLS.find((one) => one.toLowerCase() === letters)) || written;
  if (specifier !== undefined) {
    complain(field, `${item} counts as ${name}, all of it; permission rules narrow a tool`);
  }
  const tool = presentName(name.trim());
  // Those of servers are not known before they have connected.
  if (tool === '*' || tool.startsWith('mcp__') || isKnownTool(tool)) return tool;
  if (takes && KNOWN_TOOLS.some((known) => tool.includes('*') && coversTool(tool, known)))
    return tool;
  const meant = nearestName(tool, KNOWN_TOOLS);
  const advice = meant === null ? '' : ` (is ${meant} meant?)`;
  const effect = takes ? 'this takes nothing away' : 'the agent goes without it';
  complain(
    field,
    `there is no tool ${plainLine(tool, MAX_SHOWN)}${advice}; ${effect}`,
    // Where another was meant, that one is not taken away.
    !takes || meant === null ? 'harmless' : undefined,
  );
  return tool;
}

/** Reads names of servers, and servers of the agent's own: objects of them by name, each as `.mcp.json` has them. */
function serversIn(
  value: unknown,
  place: string,
  complain: Complain,
): { readonly names: readonly string[]; readonly own: readonly McpServerSetting[] } | string {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  const names: string[] = [];
  const own = new Map<string, McpServerSetting>();
  for (const entry of entries) {
    if (typeof entry === 'string') names.push(...(listOf(entry) ?? []));
    else {
      const { servers, errors } = readServers(entry, place);
      for (const why of Object.values(errors)) complain('mcpServers', why.replace(/\.$/, ''));
      for (const server of servers) own.set(server.name, { ...server, origin: 'agent' });
      if (servers.length + Object.keys(errors).length === 0)
        complain('mcpServers', 'names of servers, or objects of them by name, are expected');
    }
  }
  return { names: [...names, ...own.keys()], own: [...own.values()] };
}

function readMode(value: unknown): { readonly mode: PermissionMode } | string {
  const mode = PermissionMode.safeParse(value === 'manual' ? 'default' : value);
  if (!mode.success) return `one of ${PermissionMode.options.join(', ')} is expected`;
  return mode.data === 'bypassPermissions'
    ? 'bypassPermissions is not taken from a definition; the mode of the session holds'
    : { mode: mode.data };
}

/** Modes from the strictest to the loosest. */
const BY_STRICTNESS: readonly PermissionMode[] = [
  'plan',
  'dontAsk',
  'default',
  'acceptEdits',
  'auto',
  'bypassPermissions',
];

/**
 * Returns the mode of an agent whose session is in `mode`: its own where that is stricter. Only a definition of the user
 * or of the program that drives Lathe lets edits pass where the session asks about them. Pure.
 */
export function modeOfAgent(
  { permissionMode, source }: Pick<AgentDefinition, 'permissionMode' | 'source'>,
  mode: PermissionMode,
): PermissionMode {
  if (permissionMode === undefined) return mode;
  if (mode === 'default' && permissionMode === 'acceptEdits' && OF_USER.has(source))
    return permissionMode;
  const isStricter = BY_STRICTNESS.indexOf(permissionMode) <= BY_STRICTNESS.indexOf(mode);
  return isStricter ? permissionMode : mode;
}

const OF_USER: ReadonlySet<AgentSource> = new Set<AgentSource>(['managed', 'commandLine', 'user']);
