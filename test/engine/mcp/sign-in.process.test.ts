import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { SIGN_IN_LIMIT_MS } from '../../../src/main/engine/mcp/sign-in';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { type AuthServer, startAuthServer } from '../../support/auth-server';
import type { Script } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession } from '../../support/session';

let open: TestSession | null = null;
let server: AuthServer | null = null;
afterEach(async () => {
  await open?.close();
  await server?.close();
  open = null;
  server = null;
});

async function guarded(
  script: Script,
  {
    refuses = false,
    remote = {},
  }: { refuses?: boolean; remote?: Partial<NonNullable<McpServerSetting['remote']>> } = {},
) {
  const behind = await startAuthServer({ refuses });
  server = behind;
  const setting: McpServerSetting = {
    ...{ name: 'docs', command: '', args: [], env: {}, alwaysLoad: true, file: '.mcp.json' },
    remote: { type: 'http', url: behind.url, headers: {}, ...remote },
  };
  const t = await openTestSession(script, { settings: { mcpServers: [setting] } });
  open = t;
  return { t, behind };
}

const state = (t: TestSession) => t.session.toolServers()[0]?.status;
const becomes = (t: TestSession, wanted: string) => expect.poll(() => state(t)).toBe(wanted);
const page = (t: TestSession) => t.session.servers.signIns.page('docs');

/** Does what a user's browser does: opens the page and follows where it leads. */
async function signIn(t: TestSession): Promise<{ done: unknown; said: string }> {
  const done = t.session.servers.signIns.signIn('docs');
  await expect.poll(() => page(t)).toMatch(/^http/);
  const answer = await fetch(page(t) ?? '');
  return { said: await answer.text(), done: await done };
}

const results = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'call_settled'
      ? event.content.map((block) => ('text' in block ? block.text : block.type))
      : [],
  );
const greet = reply([toolUse('mcp__docs__greet', {})]);
const more = reply([toolUse('mcp__docs__more', {})]);

it('wants a sign-in without delaying a turn, serves after it, and keeps the tokens for this user only', async () => {
  const { t, behind } = await guarded([reply('first'), greet, reply('done'), greet, reply('ok')]);
  await t.run('hello');
  expect(t.api.requests).toHaveLength(1);
  await becomes(t, 'needs-auth');
  expect(t.session.toolServers()[0]?.problem).toContain('lathe mcp login docs');

  const { done, said } = await signIn(t);
  expect(done).toEqual({ ok: true, value: null });
  expect(said).toContain('You can close this page.');
  expect(page(t)).toBeNull();
  await becomes(t, 'connected');
  expect(results(await t.run('greet'))).toEqual(['hello']);
  // What it was given is bound to the server, and lies where nobody else reads.
  expect(behind.resources).toEqual([behind.url]);
  const { mode } = await stat(join(t.latheHome, 'sign-ins.json'));
  expect(mode & 0o777).toBe(0o600);

  // A token that is not good any more is renewed in between.
  behind.tokens.clear();
  expect(results(await t.run('again'))).toEqual(['hello']);
  expect(behind.asked).toEqual(['page read', 'code', 'refresh']);
});

it('renews once for calls that are refused together, and wants a sign-in when nothing can be renewed', async () => {
  const both = reply([toolUse('mcp__docs__greet', {}, 'a'), toolUse('mcp__docs__greet', {}, 'b')]);
  const { t, behind } = await guarded([both, reply('ok'), greet, reply('ok')]);
  await becomes(t, 'needs-auth');
  await signIn(t);
  await becomes(t, 'connected');
  behind.tokens.clear();
  expect(results(await t.run('both'))).toEqual(['hello', 'hello']);
  expect(behind.asked.filter((what) => what === 'refresh')).toHaveLength(1);
  behind.tokens.clear();
  behind.refreshes.clear();
  const [text] = results(await t.run('go'));
  expect(text).toContain('wants you to sign in');
  await t.clock.advance(1000);
  await becomes(t, 'needs-auth');
});

it('takes up a sign-in that another process kept, with the next prompt', async () => {
  const { t, behind } = await guarded([reply('one'), reply('two'), reply('three')]);
  await becomes(t, 'needs-auth');
  await signIn(t);
  const kept = await t.services.signIns.get(behind.url);
  await t.session.servers.signIns.signOut('docs');
  await becomes(t, 'needs-auth');
  const prompt = async () => {
    for await (const _ of t.session.submit('go'));
  };
  await prompt();
  expect(state(t)).toBe('needs-auth');
  behind.tokens.add('fresh');
  const tokens = { access_token: 'fresh', token_type: 'bearer' };
  await t.services.signIns.change(behind.url, kept && { ...kept, tokens });
  await prompt();
  await becomes(t, 'connected');
});

it('a resumed session is signed in still, and signing out takes the tokens back', async () => {
  const { t, behind } = await guarded([greet, reply('ok')]);
  await becomes(t, 'needs-auth');
  await signIn(t);
  await becomes(t, 'connected');
  await t.reopen();
  await becomes(t, 'connected');
  expect(results(await t.run('greet'))).toEqual(['hello']);
  expect(await t.session.servers.signIns.signOut('docs')).toEqual({
    ok: true,
    value: 'Signed out, and its tokens were taken back.',
  });
  expect(behind.asked.at(-1)).toBe('revoke');
  await becomes(t, 'needs-auth');
  expect(await t.session.servers.signIns.signOut('docs')).toMatchObject({
    value: 'Nobody was signed in.',
  });
});

it('a call that wants more rights says so, and the next sign-in asks for them', async () => {
  const { t, behind } = await guarded([more, reply('ok'), greet, reply('ok')]);
  await becomes(t, 'needs-auth');
  await signIn(t);
  await becomes(t, 'connected');
  behind.wanted = 'read write';
  expect(results(await t.run('more'))[0]).toContain('more rights: read write');
  expect(state(t)).toBe('connected');
  await signIn(t);
  expect(behind.asked).toContain('page read write');
});

it('says who refused, that nobody came, and that it was stopped; a stranger at the door changes nothing', async () => {
  const { t } = await guarded([], { refuses: true });
  await becomes(t, 'needs-auth');
  expect((await signIn(t)).done).toMatchObject({
    ok: false,
    error: expect.stringContaining('access_denied'),
  });
  const late = t.session.servers.signIns.signIn('docs');
  await expect.poll(() => page(t)).toMatch(/^http/);
  const back = new URL(new URL(page(t) ?? '').searchParams.get('redirect_uri') ?? '');
  const stranger = await fetch(`${back.href}?code=mine&state=guessed`);
  expect(stranger.status).toBe(404);
  await t.clock.advance(SIGN_IN_LIMIT_MS);
  expect(await late).toMatchObject({ error: expect.stringContaining('10 minutes') });
  const stopped = t.session.servers.signIns.signIn('docs');
  await expect.poll(() => page(t)).toMatch(/^http/);
  t.session.servers.signIns.stop('docs');
  expect(await stopped).toMatchObject({ error: 'The sign-in was stopped.' });
  expect(state(t)).toBe('needs-auth');
});

it('a registered client and its port are used; a header of the settings leaves nothing to sign in to', async () => {
  const { t, behind } = await guarded([], { remote: { oauth: { clientId: 'ours' } } });
  await becomes(t, 'needs-auth');
  behind.clients.set('ours', { client_id: 'ours', redirect_uris: [] });
  const done = t.session.servers.signIns.signIn('docs');
  await expect.poll(() => page(t)).toMatch(/client_id=ours/);
  expect(behind.clients.size).toBe(1);
  t.session.servers.signIns.stop('docs');
  await done;
  await open?.close();
  await server?.close();
  const other = await guarded([], { remote: { headers: { authorization: 'Bearer x' } } });
  await becomes(other.t, 'failed');
  expect(await other.t.session.servers.signIns.signIn('docs')).toMatchObject({
    error: expect.stringContaining('Nobody can sign in'),
  });
});
