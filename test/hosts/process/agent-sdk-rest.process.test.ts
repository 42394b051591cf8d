import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Options, Query } from '@anthropic-ai/claude-agent-sdk';
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { afterEach, expect, test, vi } from 'vitest';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { agentSdk, all, calculator, lacks, resultOf, said } from './agent-sdk';

const { start, play, home, project, requests, lastRequest, surroundings } = agentSdk();

afterEach(() => void vi.unstubAllEnvs());

test('a program has a log for debugging, standard error, no thinking and settings for its sandbox', async (t) => {
  t.skip(lacks('debugFile'));
  const debugFile = join(home(), 'debug.log');
  let complaints = '';
  let effective: unknown;
  const options: Options = {
    ...{ executable: 'node', debug: true, debugFile, maxThinkingTokens: 0, model: 'sonnet' },
    sandbox: { enabled: false, excludedCommands: ['docker'] },
    stderr: (text) => {
      complaints += text;
    },
  };
  async function* prompts() {
    yield said('go');
    await read.promise;
  }
  const read = Promise.withResolvers<void>();
  const running = await start([reply('done')], options, prompts());
  // The SDK has the method, and its public types leave it out.
  const query = running as Query & { getSettings(): Promise<{ effective: unknown }> };
  for await (const message of running) {
    if (message.type !== 'result') continue;
    ({ effective } = await query.getSettings());
    read.resolve();
  }
  expect(effective).toMatchObject({ sandbox: { enabled: false, excludedCommands: ['docker'] } });
  expect(requests()[0]?.body.thinking).toMatchObject({ type: 'between_tools' });
  expect(await readFile(debugFile, 'utf8')).toContain('"what":"request"');
  expect(complaints).toContain(debugFile);
});

test('a run that is to have a sandbox does not begin where there is none, unless it may', async (t) => {
  t.skip(lacks('failIfUnavailable') || process.platform !== 'linux');
  const without = (failIfUnavailable?: boolean) =>
    play(
      [reply('done')],
      { sandbox: { enabled: true, ...(failIfUnavailable === false ? { failIfUnavailable } : {}) } },
      'go',
      // No program of the sandbox is found there.
      (env) => ({ ...env, PATH: dirname(process.execPath) }),
    );
  // The SDK asks for that where a program says nothing of it.
  await expect(without()).rejects.toThrow(/no sandbox/);
  expect(requests()).toEqual([]);
  expect(resultOf(await without(false))).toMatchObject({ result: 'done' });
});

test('a run that is started ahead answers its prompt', async (t) => {
  t.skip(lacks('declare function startup'));
  const options = await surroundings([reply('warm')]);
  const warm = await sdk.startup({ options });
  expect(resultOf(await all(warm.query('go')))).toMatchObject({ result: 'warm' });
});

test('a run that waits for its folder goes on there as it is claimed', async (t) => {
  t.skip(lacks('declare function prewarm'));
  const parked = join(home(), 'parked');
  await mkdir(parked);
  const called = reply([toolUse('mcp__calc__add', { a: 2, b: 40 })]);
  const options = {
    ...(await surroundings([called, reply('claimed')])),
    ...{ cwd: parked, mcpServers: { calc: calculator() }, allowedTools: ['mcp__calc'] },
  };
  const spare = await sdk.prewarm({ options });
  const claimed = spare.claim({
    prompt: 'go',
    options: {
      ...{ cwd: project(), permissionMode: 'acceptEdits', appendSystemPrompt: 'Mind the swans.' },
      ...{ model: 'haiku', settings: { language: 'danish' } },
      agents: { helper: { description: 'Helps with geese', prompt: 'Be kind.' } },
    },
  });
  const messages = await all(claimed);
  expect(resultOf(messages)).toMatchObject({ result: 'claimed' });
  const { sessionId, cwd } = await spare.claimed;
  expect(cwd).toBe(project());
  expect(messages[0]).toMatchObject({
    ...{ session_id: sessionId, cwd: project(), permissionMode: 'acceptEdits' },
    model: expect.stringContaining('haiku'),
  });
  const first = JSON.stringify(requests()[0]?.body);
  const place = `Working directory: ${project()}`;
  for (const words of [place, 'Mind the swans.', 'Helps with geese', 'danish'])
    expect(first).toContain(words);
  expect(first).not.toContain(parked);
  expect(lastRequest()).toContain('the sum is 42');
  // The folder it waited in has no session.
  const places = await readdir(join(home(), '.lathe', 'projects'));
  expect(places).toEqual([expect.not.stringContaining('parked')]);
  expect((await claimed.supportedAgents()).map(({ name }) => name)).toContain('helper');
});

test('a run that waits is not claimed for what it was not started for, and ends when it is let go', async (t) => {
  t.skip(lacks('declare function prewarm'));
  const options = await surroundings([reply('never')]);
  const spare = await sdk.prewarm({ options });
  const wish = { cwd: project(), permissionMode: 'bypassPermissions' as const };
  const claimed = spare.claim({ prompt: 'go', options: wish });
  const messages: unknown[] = [];
  // The SDK throws behind the result of a run that failed.
  await all(claimed).then(
    (told) => messages.push(...told),
    () => {},
  );
  await expect(spare.claimed).rejects.toThrow('permission_mode_not_claimable');
  const other = await sdk.prewarm({ options });
  other.close();
  await expect(other.claimed).rejects.toThrow('spare_closed');
  await other.exited;
  expect(requests()).toEqual([]);
});

test('prompts stream in later, calls go to the background, and servers nobody knows are refused', async (t) => {
  t.skip(lacks('backgroundTasks'));
  const over = Promise.withResolvers<void>();
  async function* prompts() {
    yield said('run it');
    await over.promise;
  }
  const script = [
    reply([toolUse('Bash', { command: 'sleep 600' })]),
    reply('it runs on'),
    reply('three'),
  ];
  const running = await start(script, { allowedTools: ['Bash'] }, prompts());
  let results = 0;
  for await (const message of running) {
    if (message.type === 'assistant' && requests().length === 1)
      await expect.poll(() => running.backgroundTasks()).toBe(true);
    if (message.type !== 'result') continue;
    results += 1;
    if (results > 1) {
      over.resolve();
      continue;
    }
    await expect(running.reconnectMcpServer('none')).rejects.toThrow('no tool server "none"');
    await expect(running.toggleMcpServer('none', true)).rejects.toThrow('no tool server "none"');
    async function* more() {
      yield said('and the geese?');
    }
    // The SDK hangs up behind what streams in so.
    running.streamInput(more()).catch(() => {});
  }
  expect(JSON.stringify(requests()[1]?.body)).toContain('background');
  expect(lastRequest()).toContain('and the geese?');
});

test('functions of the SDK list, name, copy and remove the sessions that are mirrored for them', async (t) => {
  t.skip(lacks('archiveSession'));
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(home(), '.claude'));
  const mirrored = (env: Record<string, string | undefined>) => ({
    ...env,
    LATHE_CLAUDE_TRANSCRIPTS: '1',
  });
  const first = await play([reply('one')], {}, 'remember the duck', mirrored);
  const id = resultOf(first)?.session_id ?? '';
  const of = { dir: project() };
  await sdk.renameSession(id, 'Ducks', of);
  await sdk.tagSession(id, 'pond', of);
  await sdk.archiveSession(id, of);
  await sdk.unarchiveSession(id, of);
  const told = { customTitle: 'Ducks', tag: 'pond', firstPrompt: 'remember the duck' };
  expect(await sdk.getSessionInfo(id, of)).toMatchObject(told);
  const { sessionId: copy } = await sdk.forkSession(id, of);
  const listed = await sdk.listSessions(of);
  expect(listed.map(({ sessionId }) => sessionId).sort()).toEqual([id, copy].sort());
  await play([reply('two')], { resume: copy }, 'and now?', mirrored);
  expect(lastRequest()).toContain('remember the duck');
  await sdk.deleteSession(id, of);
  expect(await sdk.getSessionInfo(id, of)).toBeUndefined();
  // Lathe's own log is the truth, and is still there.
  await play([reply('three')], { resume: id }, 'still there?');
  expect(lastRequest()).toContain('remember the duck');
});
