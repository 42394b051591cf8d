import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { lathe, linesOf, makeWorkspace, nothingLeft, type Workspace } from './lathe';

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);

let workspace: Workspace;
let api: ScriptedApi;
beforeEach(async () => {
  workspace = await makeWorkspace();
  api = await startScriptedApi([
    reply([toolUse('ToolSearch', { query: 'echo' })]),
    reply([toolUse('mcp__everything__echo', { message: 'through it all' })]),
    reply(['Done.']),
  ]);
  const server = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
  const file = JSON.stringify({ mcpServers: { everything: server } });
  await writeFile(join(workspace.project, '.mcp.json'), file);
});
afterEach(async () => {
  await api.close();
  await workspace.remove();
});

const run = async (...words: string[]) => {
  const started = lathe(
    workspace,
    ['-p', 'say it', '--output-format', 'stream-json', '--verbose', ...words],
    { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'test-key' },
  );
  started.child.stdin.end();
  return started.finished;
};

test('a server of a trusted folder is started, searched, called by rule, and ended', async () => {
  const { code, stdout } = await run('--trust', '--allowedTools', 'mcp__everything');
  expect(code).toBe(0);
  expect(linesOf(stdout)[0]).toMatchObject({
    subtype: 'init',
    mcp_servers: [{ name: 'everything' }],
  });
  expect(stdout).toContain('Echo: through it all');
  await nothingLeft(workspace);
});

test('a server of a folder that nobody trusts is not started', async () => {
  const { stdout } = await run('--allowedTools', 'mcp__everything');
  expect(linesOf(stdout)[0]).toMatchObject({ subtype: 'init', mcp_servers: [] });
  expect(stdout).not.toContain('Echo: through it all');
  expect(api.requests[0]?.body.tools?.map(({ name }) => name)).not.toContain('ToolSearch');
});

test('what settings deny never starts: no program, no helper of headers, no server of an agent', async () => {
  const { home, project } = workspace;
  const marks = (name: string) => ['/bin/sh', '-c', `touch '${join(home, name)}'; exec cat`];
  const program = (name: string) => ({ command: '/bin/sh', args: marks(name).slice(1) });
  const url = 'http://127.0.0.1:9/mcp';
  const mcpServers = {
    everything: { command: process.execPath, args: [EVERYTHING, 'stdio'] },
    named: program('named'),
    typed: program('typed'),
    reached: { type: 'http', url, headersHelper: `touch '${join(home, 'helper')}'; echo '{}'` },
  };
  await writeFile(join(project, '.mcp.json'), JSON.stringify({ mcpServers }));
  const ofAgent = JSON.stringify([{ own: program('own') }, 'everything']);
  await mkdir(join(project, '.claude', 'agents'), { recursive: true });
  await writeFile(
    join(project, '.claude', 'agents', 'helper.md'),
    `---\nname: helper\ndescription: helps\nmcpServers: ${ofAgent}\n---\nHelp.\n`,
  );
  await mkdir(join(home, '.claude'));
  const deniedMcpServers = [
    { serverName: 'named' },
    { serverName: 'own' },
    { serverCommand: marks('typed') },
    { serverUrl: 'http://127.0.0.1:9/*' },
  ];
  await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify({ deniedMcpServers }));
  const { stdout, stderr } = await run(
    ...['--trust', '--agent', 'helper', '--allowedTools', 'mcp__everything'],
  );
  expect(stdout).toContain('Echo: through it all');
  expect((await readdir(home)).filter((name) => !name.startsWith('.'))).toEqual([]);
  for (const name of ['named', 'typed', 'reached', 'own'])
    expect(stdout + stderr).toContain(
      `The tool server \\"${name}\\" did not start. It is denied by deniedMcpServers in`,
    );
});
