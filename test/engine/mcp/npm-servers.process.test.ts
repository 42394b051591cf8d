import type { ChildProcess } from 'node:child_process';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import type { McpServerSetting } from '../../../src/main/engine/settings/mcp-servers';
import { createToolSearchTool } from '../../../src/main/engine/tools/builtin/tool-search/tool-search';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { tempFolder } from '../../node/temp-folder';
import { TINY_IMAGES } from '../../support/images';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { endChild, freePort, npmServer, startEverything } from './npm-servers';

const DOT = TINY_IMAGES['image/png'];

let open: TestSession | null = null;
let child: ChildProcess | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
  if (child !== null) await endChild(child);
  child = null;
});

const base = { command: '', args: [], env: {}, alwaysLoad: true, file: '.mcp.json' };
const program = (
  name: 'everything' | 'filesystem' | 'memory',
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): McpServerSetting => ({
  ...{ ...base, name, command: process.execPath },
  ...{ args: [npmServer(name), ...args], env },
});

async function openWith(
  script: Parameters<typeof openTestSession>[0],
  server: McpServerSetting,
  options: TestSessionOptions = {},
): Promise<TestSession> {
  open = await openTestSession(script, {
    tools: [createToolSearchTool()],
    ...options,
    settings: { mcpServers: [server], ...options.settings },
  });
  const t = open;
  await expect.poll(() => t.session.toolServers()[0]?.status).toBe('connected');
  return t;
}

/** Returns the content of each result by the id of its call. */
const answersOf = (events: readonly AgentEvent[]) => {
  const settled = events.flatMap((event) => (event.type === 'call_settled' ? [event] : []));
  const found = new Map(settled.map((event) => [event.callId, event] as const));
  return {
    /** The end of the call, and its text. */
    text: (id: string) => {
      const { isError = true, content = [] } = found.get(id) ?? {};
      const texts = content.map((block) => ('text' in block ? block.text : `[${block.type}]`));
      return `${isError ? 'error: ' : ''}${texts.join('\n')}`;
    },
    content: (id: string) => found.get(id)?.content,
  };
};

const filesystem = (tool: string, input: Readonly<Record<string, unknown>>, id: string) =>
  toolUse(`mcp__filesystem__${tool}`, input, id);

describe('the server for files', () => {
  it('hears of a folder that a user adds', async () => {
    const other = await realpath(await tempFolder());
    const t = await openWith(
      [reply([filesystem('list_allowed_directories', {}, 'allowed')]), reply('done')],
      program('filesystem'),
      { attended: true },
    );
    const { signal } = new AbortController();
    const printed = async () => (await t.session.servers.details('filesystem', signal)).printed;
    await expect.poll(printed).toContain('from MCP roots: 1 ');
    for await (const _ of t.session.submit(`/add-dir ${other}`));
    await expect.poll(printed).toContain('from MCP roots: 2 ');
    const answer = answersOf(await t.run('try it'));
    expect(answer.text('allowed')).toBe(`Allowed directories:\n${t.project}\n${other}`);
  });

  it('learns from the roots where it may work, and reads, writes and edits there', async () => {
    // The roots of the client are all that it knows: it gets no folder of its own.
    const other = await tempFolder();
    const t = await openWith(
      [
        reply([filesystem('list_allowed_directories', {}, 'allowed')]),
        reply([
          filesystem('write_file', { path: 'notes.md', content: 'one\ntwo\n' }, 'write'),
          filesystem('write_file', { path: '/etc/lathe-was-here', content: 'x' }, 'outside'),
          filesystem(
            'edit_file',
            { path: 'notes.md', edits: [{ oldText: 'two', newText: 'zwei' }] },
            'edit',
          ),
          filesystem('read_text_file', { path: 'notes.md', head: 2 }, 'read'),
          filesystem('read_multiple_files', { paths: ['notes.md', 'missing.md'] }, 'many'),
          filesystem('read_media_file', { path: 'dot.png' }, 'image'),
          filesystem('create_directory', { path: 'a/b' }, 'folder'),
          filesystem('move_file', { source: 'notes.md', destination: 'a/b/n.md' }, 'move'),
          filesystem('search_files', { path: '.', pattern: '**/*.md' }, 'search'),
          filesystem('directory_tree', { path: '.' }, 'tree'),
          filesystem('list_directory_with_sizes', { path: '.' }, 'sizes'),
          filesystem('get_file_info', { path: 'a/b/n.md' }, 'info'),
        ]),
        reply('done'),
      ],
      program('filesystem'),
      { settings: { additionalDirectories: [other] } },
    );
    await writeFile(join(t.project, 'dot.png'), DOT);
    const { signal } = new AbortController();
    const printed = async () => (await t.session.servers.details('filesystem', signal)).printed;
    await expect.poll(printed).toContain('allowed directories from MCP roots');
    const answer = answersOf(await t.run('try it'));
    expect(answer.text('allowed')).toBe(`Allowed directories:\n${t.project}\n${other}`);
    expect(answer.text('write')).toContain('Successfully wrote');
    expect(answer.text('outside')).toMatch(/^error: .*Access denied/s);
    expect(answer.text('edit')).toContain('+zwei');
    expect(answer.text('read')).toBe('one\nzwei');
    expect(answer.text('many')).toMatch(/notes\.md:\none\nzwei.*missing\.md: Error/s);
    expect(answer.content('image')).toEqual([
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: DOT.toString('base64') },
      },
    ]);
    expect(answer.text('search')).toBe(join(t.project, 'a/b/n.md'));
    expect(answer.text('tree')).toContain('"name": "n.md"');
    expect(answer.text('sizes')).toContain('[FILE] dot.png');
    expect(answer.text('info')).toContain('isFile: true');
    expect(await readFile(join(t.project, 'a/b/n.md'), 'utf8')).toBe('one\nzwei\n');
    const shown = t.session.toolServers()[0];
    expect(shown?.tools).toHaveLength(14);
    expect(shown?.info?.name).toBe('secure-filesystem-server');
  });

  it('is asked about, though it says that it only reads', async () => {
    const t = await openWith(
      [reply([filesystem('read_text_file', { path: 'x' }, 'read')]), reply('done')],
      program('filesystem'),
      { decide, files: { x: 'secret' } },
    );
    const answer = answersOf(await t.run('read it'));
    expect(answer.text('read')).toMatch(/^error: /);
    expect(answer.text('read')).not.toContain('secret');
  });
});

it('the server for memories keeps them, and has them read as a resource', async () => {
  const memory = (tool: string, input: Readonly<Record<string, unknown>>, id: string) =>
    toolUse(`mcp__memory__${tool}`, input, id);
  const entity = { name: 'Ann', entityType: 'user', observations: ['likes tea'] };
  const t = await openWith(
    [
      reply([
        memory(
          'create_entities',
          { entities: [entity, { ...entity, name: 'Bob', observations: [] }] },
          'create',
        ),
        memory(
          'create_relations',
          { relations: [{ from: 'Ann', to: 'Bob', relationType: 'knows' }] },
          'relate',
        ),
        memory(
          'add_observations',
          { observations: [{ entityName: 'Bob', contents: ['runs'] }] },
          'add',
        ),
        memory('search_nodes', { query: 'tea' }, 'search'),
        memory('open_nodes', { names: ['Bob'] }, 'open'),
        memory('delete_entities', { entityNames: ['Ann'] }, 'delete'),
        memory('read_graph', {}, 'graph'),
        memory('add_observations', { observations: [{ entityName: 'Eve', contents: [] }] }, 'no'),
      ]),
      reply('done'),
      reply('seen'),
    ],
    program('memory', [], {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as settings write variables
      MEMORY_FILE_PATH: '${CLAUDE_PROJECT_DIR}/memory.jsonl',
    }),
  );
  const answer = answersOf(await t.run('remember'));
  expect(answer.text('create')).toContain('likes tea');
  expect(answer.text('relate')).toContain('knows');
  expect(answer.text('add')).toContain('runs');
  expect(answer.text('search')).toContain('"Ann"');
  expect(JSON.parse(answer.text('open'))).toMatchObject({ entities: [{ name: 'Bob' }] });
  expect(JSON.parse(answer.text('graph'))).toEqual({
    entities: [{ name: 'Bob', entityType: 'user', observations: ['runs'] }],
    relations: [],
  });
  expect(answer.text('no')).toMatch(/^error: .*Eve/);
  expect(await readFile(join(t.project, 'memory.jsonl'), 'utf8')).toContain('"Bob"');
  await t.run('look at @memory:memory://knowledge-graph');
  const said = JSON.stringify(t.api.requests.at(-1)?.body.messages.at(-1));
  expect(said).toContain('a resource of the tool server memory');
  expect(said).toContain('Bob');
});

describe.each(['stdio', 'streamable HTTP'])('the reference server over %s', (way) => {
  it('has every tool answered that needs no model of its own', async () => {
    const port = await freePort();
    if (way !== 'stdio') child = await startEverything('streamableHttp', port);
    const server: McpServerSetting =
      way === 'stdio'
        ? program('everything', ['stdio'])
        : {
            ...{ ...base, name: 'everything' },
            remote: { type: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: {} },
          };
    const call = (tool: string, input: Readonly<Record<string, unknown>> = {}) =>
      toolUse(`mcp__everything__${tool}`, input, tool);
    const t = await openWith(
      [
        reply([
          call('echo', { message: 'hi' }),
          call('get-sum', { a: 2, b: 3 }),
          call('get-annotated-message', { messageType: 'error', includeImage: true }),
          call('get-tiny-image'),
          call('get-structured-content', { location: 'Chicago' }),
          call('get-resource-links', { count: 2 }),
          call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
          call('gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,hello' }),
          call('trigger-long-running-operation', { duration: 0.1, steps: 2 }),
          call('toggle-simulated-logging'),
        ]),
        reply([call('get-roots-list'), call('toggle-subscriber-updates')]),
        reply('done'),
        reply('said'),
      ],
      server,
    );
    // Some of its tools come only when it knows what its client can do.
    await expect.poll(() => t.session.toolServers()[0]?.tools).toContain('get-roots-list');
    // What needs a model that the server asks is not there, because no server gets to ask one.
    expect(t.session.toolServers()[0]?.tools).not.toContain('trigger-sampling-request');
    const answer = answersOf(await t.run('try it'));
    expect(answer.text('echo')).toBe('Echo: hi');
    expect(answer.text('get-sum')).toContain('5');
    expect(answer.text('get-annotated-message')).toBe('Error: Operation failed\n[image]');
    expect(answer.content('get-tiny-image')?.map(({ type }) => type)).toContain('image');
    expect(answer.text('get-structured-content')).toContain('"temperature"');
    expect(answer.text('get-resource-links')).toContain('demo://resource/dynamic/');
    expect(answer.text('get-resource-reference')).toContain('demo://resource/dynamic/text/1:');
    expect(answer.text('gzip-file-as-resource')).toContain('demo://resource/session/a.gz');
    expect(answer.text('trigger-long-running-operation')).toContain('completed');
    expect(answer.text('get-roots-list')).toContain(`file://${t.project}`);
    for (const id of ['toggle-simulated-logging', 'toggle-subscriber-updates'])
      expect(answer.text(id)).toMatch(/^Started/);
    // A prompt of it is a command.
    await t.run('/mcp__everything__args-prompt Oslo');
    expect(JSON.stringify(t.api.requests.at(-1)?.body.messages)).toContain('Oslo');
  });
});
