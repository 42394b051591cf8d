import { expect, it } from 'vitest';
import { type ServerScope, serverPlace } from '../../../src/main/engine/settings/mcp-file';
import { readServers } from '../../../src/main/engine/settings/mcp-servers';
import type { McpAct } from '../../../src/main/hosts/common/command-line/command';
import { type McpCommandParts, runMcp } from '../../../src/main/hosts/headless/mcp-command';
import { ok } from '../../../src/shared/result';

const AT = { project: '/p', configDir: '/h/.claude', home: '/h' };
const placeOf = (scope: ServerScope) => serverPlace(scope, AT);

/** Runs an act over servers by scope; `trusted` says whether sessions here would start them. */
async function run(
  act: McpAct,
  scopes: Partial<Record<ServerScope, Record<string, unknown>>>,
  { trusted = true, problem = '' } = {},
) {
  const [printed, said, changed]: [string[], string[], string[]] = [[], [], []];
  const all = Object.entries({ ...scopes.user, ...scopes.project, ...scopes.local });
  const fileOf = (name: string) =>
    placeOf(
      (['local', 'project', 'user'] as const).find((one) => name in (scopes[one] ?? {})) ?? 'user',
    ).file;
  const parts: McpCommandParts = {
    placeOf,
    read: async (scope) => ({ place: placeOf(scope), servers: scopes[scope] ?? {}, problems: [] }),
    effective: async () => ({
      trusted,
      problems: [],
      mcpServers: trusted
        ? all.flatMap(([name, value]) => readServers({ [name]: value }, fileOf(name)).servers)
        : [],
    }),
    check: async (servers) =>
      servers.map(({ name }) => ({
        name,
        status: problem === '' ? 'connected' : 'failed',
        info: null,
        tools: ['t'],
        problem: problem || null,
        source: 'user',
      })),
    signIn: async (_, show) => {
      show('https://auth.example/authorize?x=1');
      return ok(null);
    },
    signOut: async ({ name }) => ok(`Signed out of ${name}.`),
    change: async (file, edit) => {
      const done = edit('{}');
      if (done.ok) changed.push(`${file}: ${done.value}`);
      return done.ok ? ok(null) : done;
    },
    out: { closed: false, line: async () => {}, text: async (text) => void printed.push(text) },
    complain: (line) => said.push(line),
  };
  const done = await runMcp(act, parts, new AbortController().signal);
  return { done, printed: printed.join(''), said, changed };
}

const a = { command: 'run', env: { K: 's3cret' } };

it('adds a server, and says when it needs trust', async () => {
  const added = await run(
    { kind: 'add', scope: 'local', name: 'a', server: a },
    {},
    { trusted: false },
  );
  expect(added.printed).toBe('Added "a" (local): run (stdio)\nChanged: /h/.claude.json\n');
  expect(added.said).toEqual([
    'It is not started until you trust this folder: open it in Lathe once.',
  ]);
  expect(added.changed).toHaveLength(1);
});

it.each<[object, string]>([
  [{ command: 3 }, 'Nothing was added: a.command: a command in quotes is expected.'],
  [
    { url: 'https://x' },
    'Nothing was added: a.type: one of "stdio", "http", "sse", "ws" is expected.',
  ],
  [{ type: 'sdk' }, 'Nothing was added: a: a file cannot name a server inside a program.'],
])('adds nothing that cannot be started: %j', async (server, message) => {
  const added = await run({ kind: 'add', scope: 'user', name: 'a', server: { ...server } }, {});
  expect(added).toMatchObject({ done: { ok: false, error: { message } }, changed: [] });
});

it('lists what would start with its state, what would not with the reason, and no secret', async () => {
  const scopes = { local: { a }, user: { a: { command: 'other' }, b: { command: 'b' } } };
  expect((await run({ kind: 'list' }, scopes)).printed.split('\n')).toEqual([
    'a (local): run (stdio) - ✓ connected, 1 tool',
    'a (user): other (stdio) - not used: another of this name goes before it',
    'b (user): b (stdio) - ✓ connected, 1 tool',
    '',
  ]);
  expect(
    (await run({ kind: 'list' }, scopes, { problem: 'It ended.\u001b[31m' })).printed,
  ).toContain('b (user): b (stdio) - ✗ It ended. [31m');
  expect((await run({ kind: 'list' }, scopes, { trusted: false })).printed).toContain(
    'b (user): b (stdio) - not started: nobody trusts this folder',
  );
  expect((await run({ kind: 'get', name: 'a' }, { local: { a } })).printed).toBe(
    'a (local)\n  file: /h/.claude.json\n  command: run\n  sets: K\n  state: ✓ connected, 1 tool\n',
  );
});

it('removes from the scope that has it, and asks which of several', async () => {
  const remove = (scopes: Parameters<typeof run>[1], scope?: ServerScope) =>
    run({ kind: 'remove', name: 'a', ...(scope ? { scope } : {}) }, scopes);
  expect((await remove({})).done).toMatchObject({ error: { code: 'no_server' } });
  expect((await remove({ local: { a }, user: { a } })).done).toMatchObject({
    error: {
      message: '"a" is there more than once: local, user.',
      fix: 'Say which: --scope local or --scope user.',
    },
  });
});

it('signs in and out of servers that a session here would start', async () => {
  const docs = { type: 'http', url: 'https://docs.example/mcp' };
  const named = { user: { docs } };
  const signed = await run({ kind: 'login', name: 'docs' }, named);
  expect(signed.done).toEqual(ok(null));
  expect(signed.printed).toContain('\nhttps://auth.example/authorize?x=1\n');
  expect(signed.printed).toContain('Signed in to "docs".');
  const out = await run({ kind: 'logout', name: 'docs' }, named);
  expect(out.printed).toBe('Signed out of docs.\n');
  expect((await run({ kind: 'login', name: 'nobody' }, named)).done).toMatchObject({
    error: { code: 'no_server' },
  });
  const distrusted = await run({ kind: 'login', name: 'docs' }, named, { trusted: false });
  expect(distrusted.done).toMatchObject({ error: { code: 'untrusted' } });
});
