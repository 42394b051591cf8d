import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { reply, toolUse } from '../../support/scripted-api-replies';
import {
  agentSdk,
  getSessionMessages,
  getSubagentMessages,
  InMemorySessionStore,
  lacks,
  listSessions,
  listSubagents,
  resultOf,
} from './agent-sdk';

const { play, home, project, lastRequest } = agentSdk();
const ID = '0b6f2c1e-6c1d-4b52-9a51-4a35a4cf6d10';
const env = (api: Record<string, string | undefined>) => ({
  ...api,
  LATHE_CLAUDE_TRANSCRIPTS: '1',
});
const folder = () => join(home(), '.claude', 'projects', project().replace(/[^A-Za-z0-9]/g, '-'));

afterEach(() => vi.unstubAllEnvs());

test('the SDK lists a session by its title and reads its conversation, also when it was resumed', async (t) => {
  t.skip(lacks('listSessions'));
  // Older versions take no title, and show the first prompt in its place.
  const customTitle = lacks('skips automatic title generation') ? undefined : 'About ducks';
  const script = [reply([toolUse('Bash', { command: 'echo quack' })]), reply('It quacked.')];
  const options = { sessionId: ID, title: 'About ducks', allowedTools: ['Bash'] };
  const first = await play(script, options, 'make it quack', env);
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(home(), '.claude'));
  const named = [{ sessionId: ID, cwd: project(), customTitle, firstPrompt: 'make it quack' }];
  expect(await listSessions({ dir: project() })).toMatchObject(named);
  vi.unstubAllEnvs();
  await play([reply('Again.')], { resume: ID }, 'once more', env);
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(home(), '.claude'));
  expect(await listSessions({ dir: project() })).toMatchObject(named);
  const messages = await getSessionMessages(ID, { dir: project() });
  const kinds = messages.map(({ type }) => type);
  expect(kinds).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
  expect(JSON.stringify(messages)).toContain('quack');
  const told = first.flatMap((one) => (one.type === 'assistant' ? one.uuid : []));
  expect(messages.map(({ uuid }) => uuid)).toEqual(expect.arrayContaining(told));
});

test('the SDK lists the sub-agents of a session and reads what they said', async (t) => {
  t.skip(lacks('listSubagents'));
  const order = { description: 'Counts', prompt: 'Count the geese.', subagent_type: 'Explore' };
  const script = [reply([toolUse('Agent', order)]), reply('Four geese.'), reply('done')];
  await play(script, { sessionId: ID }, 'go', env);
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(home(), '.claude'));
  const agents = await listSubagents(ID, { dir: project() });
  expect(agents).toHaveLength(1);
  const said = await getSubagentMessages(ID, agents[0] ?? '', { dir: project() });
  expect(JSON.stringify(said)).toMatch(/Count the geese.*Four geese/);
  expect(await listSessions({ dir: project() })).toHaveLength(1);
});

test('a store of the program is given the conversation, each line once, and the session goes on out of it', async (t) => {
  t.skip(lacks('sessionStore'));
  // The program and the run have to look in one place.
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(home(), '.claude'));
  const placed = (api: Record<string, string | undefined>) => ({
    ...api,
    CLAUDE_CONFIG_DIR: join(home(), '.claude'),
  });
  const sessionStore = new InMemorySessionStore();
  const script = [reply([toolUse('Bash', { command: 'echo quack' })]), reply('It quacked.')];
  const options = { sessionStore, allowedTools: ['Bash'] };
  const titled = { ...options, sessionId: ID, title: 'About ducks' };
  await play(script, titled, 'make it quack', placed);
  const seen = await play([reply('Again.')], { ...options, resume: ID }, 'once more', placed);
  expect(resultOf(seen)).toMatchObject({ session_id: ID, result: 'Again.' });
  expect(lastRequest()).toContain('It quacked.');
  expect(await listSessions({ dir: project(), sessionStore })).toMatchObject([
    { sessionId: ID, firstPrompt: 'make it quack', customTitle: 'About ducks' },
  ]);
  const projectKey = project().replace(/[^A-Za-z0-9]/g, '-');
  const entries = sessionStore.getEntries({ projectKey, sessionId: ID });
  const messages = entries.filter(({ type }) => type !== 'custom-title');
  const kinds = messages.map(({ type }) => type);
  expect(kinds).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
  expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(6);
  expect(entries.filter(({ type }) => type === 'custom-title')).toMatchObject([
    { customTitle: 'About ducks' },
  ]);
});

test('a store of the program brings a session to another machine, where it goes on under its id', async (t) => {
  t.skip(lacks('sessionStore'));
  const machine = async (name: string) => {
    const HOME = join(home(), name);
    await mkdir(HOME, { recursive: true });
    const CLAUDE_CONFIG_DIR = join(HOME, '.claude');
    vi.stubEnv('CLAUDE_CONFIG_DIR', CLAUDE_CONFIG_DIR);
    return (api: Record<string, string | undefined>) => ({ ...api, HOME, CLAUDE_CONFIG_DIR });
  };
  const sessionStore = new InMemorySessionStore();
  const options = { sessionStore, allowedTools: ['Bash'] };
  const script = [reply([toolUse('Bash', { command: 'echo quack' })]), reply('It quacked.')];
  await play(script, { ...options, sessionId: ID }, 'make it quack', await machine('first'));
  const second = await machine('second');
  const seen = await play([reply('Again.')], { ...options, resume: ID }, 'once more', second);
  expect(resultOf(seen)).toMatchObject({ session_id: ID, result: 'Again.' });
  expect(lastRequest()).toContain('It quacked.');
  const again = await play([reply('Third.')], { ...options, resume: ID }, 'and again', second);
  expect(resultOf(again)).toMatchObject({ session_id: ID, result: 'Third.' });
  expect(lastRequest()).toContain('Again.');
  const projectKey = project().replace(/[^A-Za-z0-9]/g, '-');
  const entries = sessionStore.getEntries({ projectKey, sessionId: ID });
  expect(entries.map(({ type }) => type)).toEqual([
    ...['user', 'assistant', 'user', 'assistant'],
    ...['user', 'assistant', 'user', 'assistant'],
  ]);
});

test('a file of another program stays as it is, and without the switch none is written', async (t) => {
  t.skip(lacks('sessionId?:'));
  const file = join(folder(), `${ID}.jsonl`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '{"type":"user","sessionId":"theirs"}\n');
  expect(resultOf(await play([reply('hi')], { sessionId: ID }, 'go', env))).toBeDefined();
  expect(await readFile(file, 'utf8')).toBe('{"type":"user","sessionId":"theirs"}\n');
  await play([reply('hi')]);
  expect(await readdir(folder())).toEqual([`${ID}.jsonl`]);
});

test('hooks are told of a transcript that is there and has that shape', async () => {
  let lines: readonly Record<string, unknown>[] = [];
  await play([reply('done')], {
    hooks: {
      Stop: [
        {
          hooks: [
            async ({ transcript_path }) => {
              const text = await readFile(transcript_path, 'utf8');
              lines = text
                .trim()
                .split('\n')
                .map((line) => JSON.parse(line));
              return {};
            },
          ],
        },
      ],
    },
  });
  expect(lines[0]).toMatchObject({ type: 'user', parentUuid: null, message: { role: 'user' } });
});
