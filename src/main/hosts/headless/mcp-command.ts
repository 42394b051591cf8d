import { ok, type Result } from '../../../shared/result';
import type { SettingsProblem } from '../../../shared/settings';
import type { HeadlessSession } from '../../app/headless-session';
import {
  SERVER_SCOPES,
  type ServerPlace,
  type ServerScope,
  withNewServer,
  withoutServer,
} from '../../engine/settings/mcp-file';
import type { McpServerSetting } from '../../engine/settings/mcp-servers';
import { readServers } from '../../engine/settings/mcp-servers';
import { shownServer } from '../../engine/settings/shown-server';
import type { SettingsWriter } from '../../engine/settings/write';
import type { McpAct } from '../common/command-line/command';
import type { Output } from './output';

type ServerStatus = ReturnType<HeadlessSession['toolServers']>[number];

/** The servers that one scope names, as its file has them. */
interface ScopeServers {
  readonly place: ServerPlace;
  readonly servers: Readonly<Record<string, unknown>>;
  readonly problems: readonly SettingsProblem[];
}

/** The parts of `lathe mcp`. */
export interface McpCommandParts {
  readonly placeOf: (scope: ServerScope) => ServerPlace;
  /** Reads what a scope names. */
  readonly read: (scope: ServerScope) => Promise<ScopeServers>;
  /** Reads the servers that a session here would start, and what is wrong with others. */
  readonly effective: () => Promise<{
    readonly trusted: boolean;
    readonly mcpServers: readonly McpServerSetting[];
    readonly problems: readonly SettingsProblem[];
  }>;
  /** Starts servers, and tells what became of them when none is pending any more. They are ended then. */
  readonly check: (
    servers: readonly McpServerSetting[],
    signal: AbortSignal,
  ) => Promise<readonly ServerStatus[]>;
  /** Signs the user in; `show` gets the address to open in a browser. */
  readonly signIn: (
    setting: McpServerSetting,
    show: (address: string) => void,
  ) => Promise<Result<null>>;
  /** Signs the user out, and returns what became of it. */
  readonly signOut: (setting: McpServerSetting) => Promise<Result<string>>;
  /** Changes a file while nobody else of Lathe does. */
  readonly change: SettingsWriter['change'];
  readonly out: Output;
  readonly complain: (line: string) => void;
}

/** A file of one user: there may be secrets in it. */
const PRIVATE = 0o600;

/** Does what `lathe mcp` asks for. The error is for the user; nothing was changed then. */
export async function runMcp(
  act: McpAct,
  parts: McpCommandParts,
  signal: AbortSignal,
): Promise<Result<null>> {
  switch (act.kind) {
    case 'add':
      return add(act, parts);
    case 'remove':
      return remove(act, parts);
    case 'login':
    case 'logout':
      return sign(act, parts);
    case 'list':
    case 'get':
      return show('name' in act ? act.name : null, parts, signal);
  }
}

async function add(
  { name, scope, server }: Extract<McpAct, { kind: 'add' }>,
  parts: McpCommandParts,
): Promise<Result<null>> {
  const place = parts.placeOf(scope);
  const wrong = readServers({ [name]: server }, place.file).errors[name];
  if (wrong !== undefined) return fail('bad_server', `Nothing was added: ${wrong}`);
  const mode = scope === 'project' ? undefined : PRIVATE;
  const changed = await parts.change(
    place.file,
    (text) => withNewServer(text, place, name, server),
    mode,
  );
  if (!changed.ok) return changed;
  const { type, target } = shownServer(server);
  await parts.out.text(`Added "${name}" (${scope}): ${target} (${type})\nChanged: ${place.file}\n`);
  if (!(await parts.effective()).trusted)
    parts.complain('It is not started until you trust this folder: open it in Lathe once.');
  return ok(null);
}

/** Signs the user in to a server, or out of it. */
async function sign(
  { kind, name }: Extract<McpAct, { kind: 'login' | 'logout' }>,
  { effective, out, signIn, signOut }: McpCommandParts,
): Promise<Result<null>> {
  const { trusted, mcpServers, problems } = await effective();
  const setting = mcpServers.find((one) => one.name === name);
  if (setting === undefined) {
    const why = problems.find(({ field }) => field === `mcpServers.${name}`)?.message;
    if (why !== undefined) return fail('bad_server', why);
    return trusted
      ? fail('no_server', `There is no server "${name}" here.`, 'See lathe mcp list.')
      : fail('untrusted', `Nobody trusts this folder, so "${name}" may not be used.`, TRUST);
  }
  if (kind === 'logout') {
    const done = await signOut(setting);
    if (!done.ok) return done;
    await out.text(`${done.value}\n`);
    return ok(null);
  }
  const done = await signIn(setting, (address) => {
    void out.text(
      `To sign in to "${name}", open this page in a browser of this machine:\n${printable(address)}\n`,
    );
  });
  if (!done.ok) return done;
  await out.text(`Signed in to "${name}".\n`);
  return ok(null);
}

const TRUST = 'Open the folder in Lathe once, or add --trust.';

async function remove(
  { name, scope }: Extract<McpAct, { kind: 'remove' }>,
  parts: McpCommandParts,
): Promise<Result<null>> {
  const all = await Promise.all(SERVER_SCOPES.map(parts.read));
  const named = all.filter(({ servers }) => Object.hasOwn(servers, name));
  const scopes = named.map(({ place }) => place.scope);
  const [first, second] = scopes;
  const chosen = scope ?? (second === undefined ? first : undefined);
  if (chosen === undefined) {
    if (first === undefined)
      return fail('no_server', `There is no server "${name}" here.`, 'See lathe mcp list.');
    const fix = `Say which: ${scopes.map((one) => `--scope ${one}`).join(' or ')}.`;
    return fail('which_server', `"${name}" is there more than once: ${scopes.join(', ')}.`, fix);
  }
  const place = parts.placeOf(chosen);
  const changed = await parts.change(place.file, (text) => withoutServer(text, place, name));
  if (!changed.ok) return changed;
  await parts.out.text(`Removed "${name}" (${chosen})\nChanged: ${place.file}\n`);
  return ok(null);
}

/** One server as it is listed. */
interface Listed {
  readonly name: string;
  readonly scope: string;
  readonly file: string;
  readonly value: unknown;
  /** The server that a session here would start; null: this one does not count. */
  readonly setting: McpServerSetting | null;
  /** Why it does not count. */
  readonly why: string;
}

async function show(
  name: string | null,
  parts: McpCommandParts,
  signal: AbortSignal,
): Promise<Result<null>> {
  const [all, effective] = await Promise.all([
    Promise.all(SERVER_SCOPES.map(parts.read)),
    parts.effective(),
  ]);
  for (const { message } of all.flatMap(({ problems }) => problems)) parts.complain(message);
  const listed = listedServers(all, effective).filter((one) => name === null || one.name === name);
  if (listed.length === 0) {
    if (name !== null)
      return fail('no_server', `There is no server "${name}" here.`, 'See lathe mcp list.');
    parts.complain('There are no tool servers here. Add one: lathe mcp add <name> <command>');
    return ok(null);
  }
  const started = listed.flatMap(({ setting }) => setting ?? []);
  if (started.length > 0) parts.complain(`Starting ${counted(started.length, 'server')} to see …`);
  const states = await parts.check(started, signal);
  const stateOf = ({ setting, why, name: of }: Listed): string =>
    setting === null ? why : stateLine(states.find((state) => state.name === of));
  for (const one of listed)
    await parts.out.text(
      name === null
        ? `${lineOf(one)} - ${printable(stateOf(one))}\n`
        : detailsOf(one, stateOf(one)),
    );
  return ok(null);
}

function listedServers(
  all: readonly ScopeServers[],
  effective: Awaited<ReturnType<McpCommandParts['effective']>>,
): readonly Listed[] {
  const winner = new Map(effective.mcpServers.map((setting) => [setting.name, setting]));
  const taken = new Set<string>();
  const scoped = all.flatMap(({ place: { scope, file }, servers }) =>
    Object.entries(servers).map(([name, value]): Listed => {
      const setting = winner.get(name);
      const counts = setting?.file === file && !taken.has(name);
      if (counts) taken.add(name);
      const said = effective.problems.find(
        ({ field, file: at }) => at === file && field === `mcpServers.${name}`,
      );
      const why = !effective.trusted
        ? 'not started: nobody trusts this folder'
        : setting !== undefined
          ? 'not used: another of this name goes before it'
          : (said?.message ?? 'switched off by disabledMcpjsonServers');
      return { name, scope, file, value, setting: counts ? setting : null, why };
    }),
  );
  // Settings files and --settings may name servers too.
  const others = [...winner.values()].filter(({ name }) => !taken.has(name));
  return [
    ...scoped,
    ...others.map((setting): Listed => {
      const { name, file, command, args, env, remote } = setting;
      const value = remote ?? { command, args, env };
      return { name, scope: 'settings', file, value, setting, why: '' };
    }),
  ];
}

function stateLine(state: ServerStatus | undefined): string {
  if (state?.status === 'needs-auth') return `! needs a sign-in: lathe mcp login ${state.name}`;
  if (state?.status === 'connected') return `✓ connected, ${counted(state.tools.length, 'tool')}`;
  return `✗ ${state?.problem ?? 'it did not start'}`;
}

const counted = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`;

function lineOf({ name, scope, value }: Listed): string {
  const { type, target } = shownServer(value);
  return printable(`${name} (${scope}): ${target} (${type})`);
}

function detailsOf(one: Listed, state: string): string {
  const { type, target, sets, sends } = shownServer(one.value);
  const lines = [
    `${one.name} (${one.scope})`,
    `  file: ${one.file}`,
    `  ${type === 'stdio' ? 'command' : `address (${type})`}: ${target}`,
    ...(sets.length === 0 ? [] : [`  sets: ${sets.join(', ')}`]),
    ...(sends.length === 0 ? [] : [`  sends headers: ${sends.join(', ')}`]),
    `  state: ${state}`,
  ];
  return `${lines.map(printable).join('\n')}\n`;
}

/** Leaves out what a terminal would take for commands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is meant
const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');

const fail = (code: string, message: string, fix?: string): Result<never> => ({
  ok: false,
  error: fix === undefined ? { code, message } : { code, message, fix },
});
