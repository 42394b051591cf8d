import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askLanguageServer, START_WAIT_MS } from '../../../src/main/engine/lsp/ask';
import {
  createLanguageServers,
  type LanguageServers,
} from '../../../src/main/engine/lsp/language-servers';
import type { Programs } from '../../../src/main/engine/ports';
import type { LspQuestion } from '../../../src/main/engine/tools/builtin/lsp/lsp';
import type { ToolContext } from '../../../src/main/engine/tools/environment';
import { createNodeFiles } from '../../../src/main/node/files';
import { err, ok } from '../../../src/shared/result';
import { countingIds, memoryClock } from '../../support/memory-clock';
import { toolEnvironment } from '../../support/tool-environment';
import { Fault, type ScriptedServer, scriptedServer, setting } from './scripted-server';

let project: string;
let server: ScriptedServer;
let servers: LanguageServers;
let clock: ReturnType<typeof memoryClock>;
let ignored: readonly string[];
let hides: boolean;
let stop: AbortController;

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-lsp-')));
  writeFileSync(join(project, 'a.stone'), 'let pebble = rock(1);\n');
  server = scriptedServer();
  clock = memoryClock();
  ignored = [];
  hides = false;
  stop = new AbortController();
  const wanted = [setting()];
  servers = createLanguageServers({
    ...{ clock, ids: countingIds(), files: createNodeFiles(), commands: server.commands },
    ...{ platform: process.platform, version: '1', project, folders: () => [] },
    wanted: () => wanted,
    env: async () => ({}),
    tell: () => {},
  });
});
afterEach(async () => {
  await servers.close();
  rmSync(project, { recursive: true, force: true });
});

/** A git that ignores some files, and the worktrees of the project; where something is hidden, a rule that hides those called secret. */
function context(): ToolContext {
  const programs: Pick<Programs, 'run'> = {
    run: async (argv, { cwd }) => {
      const worktrees = join(project, '.claude/worktrees/');
      const found = argv.filter(
        (path) => ignored.includes(path) || (cwd === project && path.startsWith(worktrees)),
      );
      if (found.length === 0) return err({ code: 'other', message: 'exit code 1' });
      const stdout = Buffer.from(found.map((path) => `${path}\0`).join(''));
      return ok({ exitCode: 0, stdout, stderr: '', truncated: false });
    },
  };
  const env = toolEnvironment({
    ...{ project, clock, programs: { ...programs, ripgrep: '' } },
    ...(hides ? { hiddenFiles: () => (path) => path.includes('secret') } : {}),
  });
  return {
    ...env,
    ...{ callId: 'c', decided: [], signal: stop.signal, askUser: null },
    backgroundRequested: new Promise(() => {}),
  };
}
function ask(question: Partial<LspQuestion> & Pick<LspQuestion, 'operation'>, file = 'a.stone') {
  const path = join(project, file);
  const target = { path, realPath: path, identity: null };
  return askLanguageServer(servers, { target, line: 1, character: 14, ...question }, context());
}
const text = async (...words: Parameters<typeof ask>) => {
  const answer = await ask(...words);
  return answer.ok ? answer.value.text : `error: ${answer.error}`;
};
const range = (line: number, character: number) => ({
  start: { line, character },
  end: { line, character: character + 4 },
});
const place = (name: string, line = 0, character = 0) => ({
  uri: pathToFileURL(join(project, name)).href,
  range: range(line, character),
});

it('asks with places from 0, and answers with places from 1', async () => {
  server.answers['textDocument/definition'] = () => ({
    targetUri: place('b.stone').uri,
    targetRange: range(4, 0),
    targetSelectionRange: range(4, 6),
  });
  expect(await text({ operation: 'goToDefinition' })).toBe('1 definition:\nb.stone\n  5:7');
  expect(server.heard.at(-1)?.[1]).toMatchObject({ position: { line: 0, character: 13 } });
});

it('leaves out what a rule or git hides, and says so', async () => {
  hides = true;
  ignored = [join(project, 'out/b.stone')];
  const found = ['a.stone', 'secret.stone', 'out/b.stone'].map((name) => place(name, 1, 2));
  server.answers['textDocument/references'] = () => found;
  expect(await text({ operation: 'findReferences' })).toBe(
    '1 reference:\na.stone\n  2:3\n(1 in files that a rule keeps from being read are left out.)\n(1 in files that git ignores are left out.)',
  );
  // Of a definition that is in a library alone, the library is the answer; of one that is denied, nothing is.
  server.answers['textDocument/definition'] = () => [found[2]];
  expect(await text({ operation: 'goToDefinition' })).toContain('out/b.stone\n  2:3');
  server.answers['textDocument/definition'] = () => [found[1]];
  const denied = await text({ operation: 'goToDefinition' });
  expect(denied).toContain('a rule keeps from being read');
  expect(denied).not.toContain('secret');
});

it('what a rule hides is hidden under the name of a link to it, too, and where no path can be made of its address', async () => {
  hides = true;
  writeFileSync(join(project, 'gold.stone'), '');
  symlinkSync(join(project, 'gold.stone'), join(project, 'secret-link.stone'));
  const strange = { ...place('a.stone'), uri: 'file:///p%2Fsecret.stone' };
  server.answers['textDocument/references'] = () => [place('secret-link.stone'), strange];
  const said = await text({ operation: 'findReferences' });
  expect(said).toContain('(2 in files that a rule keeps from being read are left out.)');
  expect(said).not.toContain('link');
});

it('a file that may be read is shown, though a rule would hide it', async () => {
  hides = true;
  writeFileSync(join(project, 'secret.stone'), 'let gold');
  server.answers['textDocument/documentSymbol'] = () => [
    { name: 'gold', kind: 13, selectionRange: range(0, 4) },
  ];
  expect(await text({ operation: 'documentSymbol' }, 'secret.stone')).toContain('variable gold');
});

it('files of a worktree are not ignored because the project ignores the worktree', async () => {
  mkdirSync(join(project, '.claude/worktrees/x'), { recursive: true });
  const [own, other] = ['a', 'b'].map((name) => `.claude/worktrees/x/${name}.stone`);
  writeFileSync(join(project, own ?? ''), 'let pebble = rock(1);\n');
  server.answers['textDocument/references'] = () => [place(own ?? ''), place(other ?? '')];
  expect(await text({ operation: 'findReferences' }, own)).toContain('2 references in 2 files');
});

it('a link in the place of the file that was decided on is not followed', async () => {
  writeFileSync(join(project, 'secret.stone'), 'let gold = 1;\n');
  rmSync(join(project, 'a.stone'));
  symlinkSync(join(project, 'secret.stone'), join(project, 'a.stone'));
  server.answers['textDocument/hover'] = () => null;
  const said = await text({ operation: 'hover' });
  expect(said).toContain('cannot be read as text');
  expect(JSON.stringify(server.heard)).not.toContain('gold');
});

describe('where rules hide files', () => {
  const methods = () => server.heard.map(([method]) => method);
  beforeEach(() => {
    hides = true;
    server.answers['textDocument/hover'] = () => ({ contents: 'let rock: gold // a secret' });
    server.answers['textDocument/definition'] = () => place('b.stone');
  });
  /** Says that it is able to do this, too, or not. */
  const able = (changed: Readonly<Record<string, boolean>>) => {
    const { capabilities } = Object(server.answers['initialize']?.({}));
    server.answers['initialize'] = () => ({ capabilities: { ...capabilities, ...changed } });
  };

  it('a text is shown of what is defined in a file that may be read', async () => {
    able({ typeDefinitionProvider: true });
    // Most names have no type of their own.
    server.answers['textDocument/typeDefinition'] = () => new Fault(0, 'no type');
    expect(await text({ operation: 'hover' })).toBe('let rock: gold // a secret');
  });
  it('none is shown of what is defined in a hidden file, nor asked for', async () => {
    server.answers['textDocument/definition'] = () => [place('b.stone'), place('secret.stone')];
    const said = await text({ operation: 'hover' });
    expect(said).toContain('it is defined in a file that a rule keeps from being read');
    expect(said).not.toContain('gold');
    expect(methods()).not.toContain('textDocument/hover');
  });
  it('none is shown of what has its type from a hidden file', async () => {
    able({ typeDefinitionProvider: true });
    server.answers['textDocument/typeDefinition'] = () => place('secret.stone');
    expect(await text({ operation: 'hover' })).toContain('or its type is');
  });
  it.each<[string, () => void]>([
    ['finds no definition', () => (server.answers['textDocument/definition'] = () => null)],
    ['cannot look for one', () => able({ definitionProvider: false })],
    ['fails', () => (server.answers['textDocument/definition'] = () => new Fault(0, 'no name'))],
  ])('none is shown where the server %s', async (_, prepare) => {
    prepare();
    const said = await text({ operation: 'hover' });
    expect(said).toContain('does not say whether it is defined in one of them');
    expect(said).not.toContain('gold');
  });
  it('symbols and functions are named without their signatures', async () => {
    const item = { ...{ name: 'rock', kind: 12, detail: '(gold)' }, selectionRange: range(0, 13) };
    const found = { ...item, uri: place('a.stone').uri };
    server.answers['textDocument/documentSymbol'] = () => [item];
    server.answers['textDocument/prepareCallHierarchy'] = () => [found];
    server.answers['callHierarchy/incomingCalls'] = () => [{ from: found, fromRanges: [] }];
    for (const operation of ['documentSymbol', 'prepareCallHierarchy', 'incomingCalls'] as const)
      expect(await text({ operation })).toMatch(/function rock$/);
    hides = false;
    for (const operation of ['documentSymbol', 'prepareCallHierarchy', 'incomingCalls'] as const)
      expect(await text({ operation })).toMatch(/function rock \(gold\)$/);
  });
  it('whom a function of a hidden file calls is not shown', async () => {
    const item = { name: 'rock', kind: 12, ...place('secret.stone'), selectionRange: range(0, 0) };
    server.answers['textDocument/prepareCallHierarchy'] = () => [item];
    server.answers['callHierarchy/outgoingCalls'] = () => [
      { to: { ...item, ...place('b.stone') }, fromRanges: [] },
    ];
    const said = await text({ operation: 'outgoingCalls' });
    expect(said).toContain('a rule keeps from being read');
    expect(said).not.toContain('b.stone');
  });
});

it('says what stands in a line in which nothing was found', async () => {
  server.answers['textDocument/hover'] = () => null;
  expect(await text({ operation: 'hover' })).toBe(
    'The language server knows no text for it.\nLine 1 reads: let pebble = rock(1); Names in it, by character: let 1, pebble 5, rock 14.',
  );
});

it('looks in the workspace for a query, else for the name at the place', async () => {
  server.answers['workspace/symbol'] = () => [
    { name: 'rock', kind: 12, containerName: 'cliff', location: place('b.stone', 2, 1) },
  ];
  expect(await text({ operation: 'workspaceSymbol' })).toBe(
    '1 symbol:\nb.stone\n  3:2 function rock in cliff',
  );
  server.answers['workspace/symbol'] = () => [];
  expect(await text({ operation: 'workspaceSymbol', query: 'sand' })).toContain(
    'knows no symbols for “sand”.',
  );
  const bare = { operation: 'workspaceSymbol', line: undefined, character: undefined } as const;
  await text(bare as never);
  const asked = server.heard.filter(([method]) => method === 'workspace/symbol');
  expect(asked.map(([, params]) => params)).toEqual([
    { query: 'rock' },
    { query: 'sand' },
    { query: '' },
  ]);
});

it('finds who calls a function, and says how often', async () => {
  const item = { name: 'rock', kind: 12, ...place('a.stone'), selectionRange: range(0, 13) };
  server.answers['textDocument/prepareCallHierarchy'] = () => [item];
  server.answers['callHierarchy/incomingCalls'] = () => [
    { from: { ...item, name: 'cliff' }, fromRanges: [range(0, 0), range(1, 0)] },
  ];
  server.answers['callHierarchy/outgoingCalls'] = () => [{ to: item, fromRanges: [range(0, 0)] }];
  expect(await text({ operation: 'incomingCalls' })).toContain('1:14 function cliff (2 calls)');
  expect(await text({ operation: 'outgoingCalls' })).toContain('1 called function:');
  expect(await text({ operation: 'prepareCallHierarchy' })).toContain('1:14 function rock');
});

it('asks again when a server was overtaken by a change, a few times', async () => {
  let tries = 0;
  server.answers['textDocument/hover'] = () =>
    ++tries === 2 ? { contents: 'a stone' } : new Fault(-32_801, 'content modified');
  const soon = text({ operation: 'hover' });
  await expect.poll(() => clock.sleepers()).toBe(1);
  await expect.poll(() => tries).toBe(1);
  await expect.poll(() => clock.advance(250).then(() => tries)).toBe(2);
  expect(await soon).toBe('a stone');
});

it('says why there is no answer', async () => {
  expect(await text({ operation: 'hover' }, 'a.py')).toBe(
    'error: No language server is for .py files. There are: toy:stone for .stone.',
  );
  expect(await text({ operation: 'hover' }, 'gone.stone')).toContain('cannot be read as text');
  server.answers['textDocument/hover'] = () => new Fault(-32_603, 'broken \u001b[31mred');
  expect(await text({ operation: 'hover' })).toBe(
    'error: The language server toy:stone has no answer: broken \uFFFD[31mred',
  );
  delete server.answers['textDocument/hover'];
  server.printed = 'panic: no more stones\n';
  const crashed = text({ operation: 'hover' });
  await expect.poll(() => server.heard.at(-1)?.[0]).toBe('textDocument/hover');
  await expect.poll(() => clock.sleepers()).toBe(1);
  server.crash('It ended with exit code 2.');
  expect(await crashed).toBe(
    'error: The language server toy:stone has no answer: It ended with exit code 2. It printed:\npanic: no more stones',
  );
});

it('a file outside of the folders that are worked in is given to no server: what is beside it may run', async () => {
  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'lathe-lsp-')));
  const file = join(elsewhere, 'a.stone');
  writeFileSync(file, 'let pebble');
  server.answers['textDocument/hover'] = () => null;
  servers.follower('main').used(file, 'read');
  expect(await text({ operation: 'hover' }, `../${basename(elsewhere)}/a.stone`)).toBe(
    'error: No language server can be started: the file is in none of the folders that are worked in.',
  );
  expect(server.starts).toEqual([]);
  rmSync(elsewhere, { recursive: true });
});

it('a server that cannot do it says so, and is not asked', async () => {
  server.answers['initialize'] = () => ({ capabilities: { hoverProvider: true } });
  expect(await text({ operation: 'findReferences' })).toBe(
    'error: The language server toy:stone does not answer findReferences.',
  );
});

it('one that is still starting is not waited for longer than a while, nor behind an interruption', async () => {
  delete server.answers['initialize'];
  const late = text({ operation: 'hover' });
  await expect.poll(() => clock.sleepers()).toBe(2);
  await clock.advance(START_WAIT_MS);
  expect(await late).toContain('toy:stone is still starting. Go on without it');
  const stopped = text({ operation: 'hover' });
  await expect.poll(() => clock.sleepers()).toBe(2);
  stop.abort();
  expect(await stopped).toBe('error: Interrupted.');
});
