import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFaultNews, WAIT_MS } from '../../../src/main/engine/attachments/fault-news';
import { MAX_OPEN } from '../../../src/main/engine/lsp/documents';
import { framed } from '../../../src/main/engine/lsp/framing';
import {
  createLanguageServers,
  type LanguageServers,
  MAX_SERVERS,
  MAX_WAITING,
} from '../../../src/main/engine/lsp/language-servers';
import type { LanguageServerSetting } from '../../../src/main/engine/settings/plugins/language-servers';
import { createNodeFiles } from '../../../src/main/node/files';
import { countingIds, memoryClock } from '../../support/memory-clock';
import { toolEnvironment } from '../../support/tool-environment';
import { Fault, type ScriptedServer, scriptedServer, setting } from './scripted-server';

let project: string;
let server: ScriptedServer;
let servers: LanguageServers;
let clock: ReturnType<typeof memoryClock>;
let wanted: readonly LanguageServerSetting[];
let told: string[];

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-lsp-')));
  server = scriptedServer();
  clock = memoryClock();
  wanted = [setting()];
  told = [];
  servers = createLanguageServers({
    ...{ clock, ids: countingIds(), files: createNodeFiles(), commands: server.commands },
    ...{ platform: process.platform, version: '1', project, folders: () => [] },
    wanted: () => wanted,
    env: async () => ({}),
    tell: (text) => void told.push(text),
  });
});
afterEach(async () => {
  await servers.close();
  expect(server.running()).toBe(0);
  rmSync(project, { recursive: true, force: true });
});

const at = (name: string) => join(project, name);
const uri = (name: string) => pathToFileURL(at(name)).href;
const put = (name: string, text: string) => writeFileSync(at(name), text);
const heard = (method: string) => server.heard.filter(([one]) => one === `textDocument/${method}`);
const main = () => servers.follower('main');

/** Returns the diagnostics of a text: a fault for each line that reads `bad …`. */
const faultsIn = (text: string) =>
  text
    .split('\n')
    .flatMap((line, n) =>
      line.startsWith('bad')
        ? [{ range: { start: { line: n, character: 0 } }, message: line, source: 'stone' }]
        : [],
    );

/** Has the server look through files when it is asked. */
function pulls(): void {
  const initialize = server.answers['initialize']?.({}) as { capabilities: object };
  server.answers['initialize'] = () => ({
    capabilities: { ...initialize.capabilities, diagnosticProvider: {} },
  });
  server.answers['textDocument/diagnostic'] = () => {
    const last = server.heard.findLast(([method]) => /did(Open|Change)$/.test(method));
    const { textDocument, contentChanges } = Object(last?.[1]);
    return { kind: 'full', items: faultsIn(contentChanges?.[0].text ?? textDocument.text) };
  };
}

const env = () => toolEnvironment({ project, clock });
async function collect(agent = 'main'): Promise<string | null> {
  const collector = createFaultNews(servers, agent, env());
  const found = await collector.collect({} as never, new AbortController().signal);
  for (const one of found) one.accept?.();
  return found[0]?.attachment?.text ?? null;
}
async function edit(name: string, text: string, agent = 'main'): Promise<void> {
  const follower = servers.follower(agent);
  await follower.before(at(name));
  put(name, text);
  follower.used(at(name), 'edit');
}

it('starts with the first file that it is for, which it is given as it is', async () => {
  put('a.stone', 'one');
  put('b.txt', 'two');
  main().used(at('b.txt'), 'read');
  expect(servers.views()).toMatchObject([{ state: 'idle' }]);
  main().used(at('a.stone'), 'read');
  await expect.poll(() => heard('didOpen')).toHaveLength(1);
  expect(heard('didOpen')[0]?.[1]).toEqual({
    textDocument: { uri: uri('a.stone'), languageId: 'stone', version: 1, text: 'one' },
  });
  expect(server.heard.map(([method]) => method).slice(0, 2)).toEqual(['initialize', 'initialized']);
  expect(servers.views()).toMatchObject([{ state: 'connected' }]);
});

it('tells of what an edit broke, once, and not of what was there before', async () => {
  pulls();
  put('a.stone', 'fine\nbad old\nfine');
  main().used(at('a.stone'), 'read');
  await expect.poll(() => heard('didOpen')).toHaveLength(1);
  await edit('a.stone', 'more\nfine\nbad old\nbad new');
  expect(await collect()).toContain('a.stone\n  4:1 error: bad new [stone]');
  expect(await collect()).toBeNull();
  expect(heard('didSave')).toHaveLength(1);
  // Mended and broken again, it is news again; the old one never is.
  await edit('a.stone', 'bad old');
  expect(await collect()).toBeNull();
  await edit('a.stone', 'bad old\nbad new');
  expect(await collect()).toContain('  2:1 error: bad new');
});

/** Keeps the server from beginning until the function that it returns is called. */
function beginsLate(): () => void {
  const result = server.answers['initialize']?.({});
  delete server.answers['initialize'];
  return () => server.print(framed({ id: 0, result }));
}

it('an edit before the server runs is held against the file as it was', async () => {
  pulls();
  const begin = beginsLate();
  put('a.stone', 'bad old');
  main().used(at('a.stone'), 'read');
  await edit('a.stone', 'bad old\nbad new');
  // A server that begins is not waited for.
  expect(await collect()).toBeNull();
  await expect.poll(() => server.heard.length).toBe(1);
  begin();
  await expect.poll(() => heard('didChange')).toHaveLength(1);
  const text = await collect();
  expect(text).toContain('bad new');
  expect(text).not.toContain('bad old');
});

it('only so many edits wait for a server that begins, and a question makes up for the others', async () => {
  pulls();
  const begin = beginsLate();
  put('a.stone', '');
  for (let n = 0; n < 3 * MAX_WAITING; n += 1) await edit('a.stone', `edit ${n}`);
  await expect.poll(() => server.heard.length).toBe(1);
  begin();
  await expect.poll(() => heard('didChange').length).toBeGreaterThan(0);
  const last = `edit ${3 * MAX_WAITING - 1}`;
  const found = await servers.serverOf(at('a.stone'));
  if (found === null || typeof found === 'string') throw new Error('There is no server.');
  expect(await servers.bringUpToDate(found, at('a.stone'))).toBe(last);
  expect(heard('didChange').length).toBeLessThanOrEqual(MAX_WAITING + 1);
  expect(JSON.stringify(heard('didChange').at(-1))).toContain(last);
});

it('a new file has no faults of before; what another agent changed is not told', async () => {
  pulls();
  await edit('new.stone', 'bad new');
  await expect.poll(() => heard('didOpen')).toHaveLength(1);
  expect(await collect('other')).toBeNull();
  expect(await collect()).toContain('new.stone\n  1:1 error: bad new');
});

it('what was wrong before is known of a file that no call read, and what the user breaks is no news', async () => {
  pulls();
  put('a.stone', 'bad old');
  await edit('a.stone', 'bad old\nbad new');
  await expect.poll(() => heard('didChange')).toHaveLength(1);
  const text = await collect();
  expect(text).toContain('bad new');
  expect(text).not.toContain('bad old');
  put('a.stone', 'bad old\nbad new\nbad user');
  main().used(at('a.stone'), 'read');
  await expect.poll(() => heard('didChange')).toHaveLength(2);
  expect(await collect()).toBeNull();
});

it('what was seen before another edit is not told any more', async () => {
  pulls();
  put('a.stone', 'fine');
  await edit('a.stone', 'bad new');
  await expect.poll(() => heard('diagnostic')).toHaveLength(2);
  await expect.poll(() => servers.settled('main')).toBeNull();
  delete server.answers['textDocument/diagnostic'];
  await edit('a.stone', 'fine again');
  await expect.poll(() => heard('didChange')).toHaveLength(2);
  const soon = collect();
  await expect.poll(() => clock.sleepers()).toBeGreaterThan(1);
  await clock.advance(WAIT_MS);
  expect(await soon).toBeNull();
});

it('a server that sends faults by itself is heard; versions of before do not count', async () => {
  put('a.stone', 'bad old');
  main().used(at('a.stone'), 'read');
  await expect.poll(() => heard('didOpen')).toHaveLength(1);
  const publish = (text: string, version?: number) =>
    server.send('textDocument/publishDiagnostics', {
      uri: uri('a.stone'),
      ...(version === undefined ? {} : { version }),
      diagnostics: faultsIn(text),
    });
  publish('bad old');
  await edit('a.stone', 'bad old\nbad new');
  await expect.poll(() => heard('didChange')).toHaveLength(1);
  const soon = collect();
  publish('bad stale', 1);
  publish('bad old\nbad new', 2);
  expect(await soon).toContain('  2:1 error: bad new');
});

it('a turn waits half a second at most, and not for one that was never in time', async () => {
  put('a.stone', 'one');
  main().used(at('a.stone'), 'read');
  await expect.poll(() => heard('didOpen')).toHaveLength(1);
  const collector = createFaultNews(servers, 'main', env());
  const once = async () => collector.collect({} as never, new AbortController().signal);
  await edit('a.stone', 'two');
  // What it was before is waited for, too.
  await expect.poll(() => clock.sleepers()).toBe(1);
  for (let n = 0; n < 2; n++) {
    const found = once();
    await expect.poll(() => clock.sleepers()).toBeGreaterThan(1);
    await clock.advance(WAIT_MS);
    expect(await found).toMatchObject([{ attachment: null }]);
  }
  expect(await once()).toMatchObject([{ attachment: null }]);
});

it('one that was too busy is asked again', async () => {
  pulls();
  const looks = server.answers['textDocument/diagnostic'];
  put('a.stone', '');
  main().used(at('a.stone'), 'read');
  await expect.poll(() => heard('didOpen')).toHaveLength(1);
  let busy = true;
  server.answers['textDocument/diagnostic'] = (params) =>
    busy ? new Fault(-32_802, 'later') : looks?.(params);
  await edit('a.stone', 'bad new');
  await expect.poll(() => clock.sleepers()).toBe(2);
  busy = false;
  await clock.advance(200);
  await expect.poll(() => heard('didChange')).toHaveLength(1);
  expect(await collect()).toContain('bad new');
});

it('files that changed on the disk are brought up to date before a question, and gone ones closed', async () => {
  for (const name of ['a.stone', 'b.stone', 'c.stone']) {
    put(name, 'one');
    main().used(at(name), 'read');
  }
  await expect.poll(() => heard('didOpen')).toHaveLength(3);
  put('b.stone', 'two');
  rmSync(at('c.stone'));
  const found = await servers.serverOf(at('a.stone'));
  if (found === null || typeof found === 'string') throw new Error('no server');
  expect(await servers.bringUpToDate(found, at('a.stone'))).toBe('one');
  expect(heard('didChange')[0]?.[1]).toMatchObject({
    textDocument: { uri: uri('b.stone'), version: 2 },
    contentChanges: [{ text: 'two' }],
  });
  expect(heard('didClose')).toMatchObject([
    [expect.anything(), { textDocument: { uri: uri('c.stone') } }],
  ]);
});

it('no more documents are open than there may be: the oldest is closed', async () => {
  put('0.stone', 'zero');
  main().used(at('0.stone'), 'read');
  await expect.poll(() => heard('didOpen')).toHaveLength(1);
  for (let n = 1; n <= MAX_OPEN; n++) {
    put(`${n}.stone`, `${n}`);
    main().used(at(`${n}.stone`), 'read');
  }
  await expect.poll(() => heard('didOpen')).toHaveLength(MAX_OPEN + 1);
  expect(heard('didClose')).toMatchObject([
    [expect.anything(), { textDocument: { uri: uri('0.stone') } }],
  ]);
});

it('a server for each worktree; one that settings no longer name is ended', async () => {
  mkdirSync(at('.claude/worktrees/x'), { recursive: true });
  for (const name of ['a.stone', '.claude/worktrees/x/a.stone']) {
    put(name, 'one');
    main().used(at(name), 'read');
  }
  await expect
    .poll(() => server.starts.map(({ cwd }) => cwd).sort())
    .toEqual([project, at('.claude/worktrees/x')]);
  await expect.poll(() => heard('didOpen')).toHaveLength(2);
  wanted = [];
  expect(servers.views()).toEqual([]);
  await expect.poll(() => server.running()).toBe(0);
});

it('a server that looks after a folder within the project is told where the project is', async () => {
  mkdirSync(at('inner'));
  put('a.stone', 'one');
  const folder = `\${CLAUDE_PROJECT_DIR}`;
  wanted = [setting({ workspaceFolder: `${folder}/inner`, args: [`${folder}/rules`] })];
  main().used(at('a.stone'), 'read');
  await expect.poll(() => heard('didOpen')).toHaveLength(1);
  expect(server.starts).toMatchObject([{ cwd: at('inner'), env: { CLAUDE_PROJECT_DIR: project } }]);
  expect(server.starts[0]?.argv[1]).toBe(at('rules'));
});

describe('in many folders', () => {
  const folders = () => server.starts.map(({ cwd }) => cwd);
  const enter = async (name: string) => {
    mkdirSync(at(`.claude/worktrees/${name}`), { recursive: true });
    put(`.claude/worktrees/${name}/a.stone`, 'one');
    const found = await servers.serverOf(at(`.claude/worktrees/${name}/a.stone`));
    const began = await Object(found).ready(true);
    return began.ok ? 'running' : began.error;
  };

  it('the server of one that is gone is ended, and that used longest ago where there are too many', async () => {
    await enter('first');
    await enter('gone');
    rmSync(at('.claude/worktrees/gone'), { recursive: true });
    for (let n = 2; n < MAX_SERVERS; n++) expect(await enter(`${n}`)).toBe('running');
    await expect.poll(() => server.running()).toBe(MAX_SERVERS - 1);
    await enter('first');
    for (const name of ['a', 'b']) expect(await enter(name)).toBe('running');
    await expect.poll(() => server.running()).toBe(MAX_SERVERS);
    await enter('first');
    expect(folders().filter((cwd) => cwd.endsWith('first'))).toHaveLength(1);
  });
  it('what is wrong everywhere is told once, and again when a user has it tried again', async () => {
    wanted = [setting({ command: 'stonels' })];
    for (const name of ['a', 'b']) expect(await enter(name)).toContain('not on the PATH');
    expect(told).toHaveLength(1);
    servers.restart('toy:stone');
    await enter('a');
    expect(told).toHaveLength(2);
  });
});

it('a user sees at once what settings name anew', () => {
  expect(servers.views()).toHaveLength(1);
  let news = 0;
  servers.onView(() => void news++);
  servers.wanted();
  expect(news).toBe(0);
  wanted = [setting(), setting({ name: 'toy:sand', languages: { '.sand': 'sand' } })];
  servers.wanted();
  expect(news).toBe(1);
  expect(servers.views()).toHaveLength(2);
});

it('one that has files looked through again and again is asked once in a while', async () => {
  pulls();
  put('a.stone', 'fine');
  await edit('a.stone', 'bad new');
  await expect.poll(() => heard('diagnostic')).toHaveLength(2);
  await expect.poll(() => servers.settled('main')).toBeNull();
  for (let id = 1; id < 20; id++) server.send('workspace/diagnostic/refresh', undefined, id);
  await expect.poll(() => server.given.has(19)).toBe(true);
  expect(heard('diagnostic')).toHaveLength(2);
  await clock.advance(200);
  await expect.poll(() => heard('diagnostic')).toHaveLength(3);
});
