import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { createBroker } from '../../../src/main/engine/permissions/broker';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import type { HookEvent } from '../../../src/shared/hooks';
import type { Decision } from '../../../src/shared/permission';
import { createEchoTool } from '../../support/echo-tool';
import { type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { hook } from '../hooks/support';
import { isMain } from './sub-agent-session';

let open: TestSession | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

/** Says that it runs, and hangs. */
const hangs = (event: HookEvent, matcher = '') =>
  hook(event, 'echo $$ > "$CLAUDE_PROJECT_DIR/runs"; exec sleep 600', { matcher });
const echo = reply([toolUse('Echo', { text: 'x', times: 1 })]);
const SILENT = `
  const write = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') write(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
    if (method === 'tools/list') write(id, { tools: [{ name: 'act', inputSchema: { type: 'object' } }] });
    if (method === 'tools/call') require('node:fs').writeFileSync(RUNS, String(process.pid));
  }).on('close', () => process.exit());`;

interface Case {
  readonly agent: readonly Reply[];
  readonly settings?: TestSessionOptions['settings'];
  readonly more?: TestSessionOptions;
  readonly call?: Readonly<Record<string, unknown>>;
  readonly server?: true;
  /** It has some seconds left. */
  readonly isLate?: true;
  /** Tells that it waits there, where no file does. */
  readonly waits?: (t: TestSession) => boolean;
}

const asking = (behavior: Decision['behavior']): Decision => ({
  ...{ behavior, reason: 'the test says so', why: [], suggestions: [] },
});

const CASES: Readonly<Record<string, Case>> = {
  'a hook at its start': { agent: [reply('r')], settings: { hooks: [hangs('SubagentStart')] } },
  'a hook at its end': { agent: [reply('r')], settings: { hooks: [hangs('SubagentStop')] } },
  'a hook before a call': {
    agent: [echo, reply('r')],
    settings: { hooks: [hangs('PreToolUse', 'Echo')] },
  },
  'a hook after a call': {
    agent: [echo, reply('r')],
    settings: { hooks: [hangs('PostToolUse', 'Echo')] },
  },
  'a hook that makes its worktree': {
    agent: [reply('r')],
    call: { isolation: 'worktree' },
    settings: { trusted: true, hooks: [hangs('WorktreeCreate')] },
  },
  'a hook that removes its worktree': {
    agent: [reply('r')],
    call: { isolation: 'worktree' },
    isLate: true,
    settings: {
      trusted: true,
      hooks: [
        hook('WorktreeCreate', 'mkdir -p "$CLAUDE_PROJECT_DIR/w"; printf "$CLAUDE_PROJECT_DIR/w"'),
        hangs('WorktreeRemove'),
      ],
    },
  },
  'a question': {
    agent: [echo, reply('r')],
    more: {
      attended: true,
      createBroker,
      decide: (request) =>
        asking(request.kind === 'tool' && request.tool === 'Echo' ? 'ask' : 'allow'),
    },
    waits: (t) => t.session.log.transcript().approvals.length > 0,
  },
  'a server of its own': {
    agent: [],
    call: { subagent_type: 'own' },
    more: {
      files: {
        '.claude/agents/own.md':
          '---\nname: own\ndescription: x\nmcpServers:\n  - mine: { command: sh, args: [-c, "echo $$ > runs; exec sleep 600"] }\n---\nx',
      },
    },
    settings: { trusted: true },
  },
  'a tool of a server': {
    agent: [reply([toolUse('mcp__s__act', {})]), reply('r')],
    server: true,
  },
  'an answer that does not come': {
    agent: [{ kind: 'hang' }],
    waits: (t) => t.api.requests.length === 2,
  },
  'the pause before another try': {
    agent: [
      {
        ...{ kind: 'error', status: 529, headers: { 'retry-after': '500' } },
        body: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
      },
    ],
    waits: (t) => t.api.requests.length === 2,
  },
};

it.each(Object.entries(CASES))('a sub-agent that waits for %s is stopped', async (_, given) => {
  const { agent, settings = {}, more = {}, call = {}, waits } = given;
  const left = [...agent];
  const main = [
    reply([toolUse('Agent', { description: 'Look', prompt: 'the task', ...call })]),
    reply('and on'),
  ];
  const mcpServers: NonNullable<
    NonNullable<TestSessionOptions['settings']>['mcpServers']
  >[number][] = [];
  open = await openTestSession(
    ({ body }) => (isMain(body) ? main : left).shift() ?? reply('the end'),
    {
      tools: [createAgentTool(BUILT_IN_AGENTS), createEchoTool()],
      ...more,
      settings: { ...settings, mcpServers },
    },
  );
  const t = open;
  const runs = join(t.project, 'runs');
  if (given.server) {
    const file = join(t.project, 'server.cjs');
    await writeFile(file, SILENT.replace('RUNS', JSON.stringify(runs)));
    mcpServers.push({
      ...{ name: 's', command: process.execPath, args: [file], env: {}, alwaysLoad: true },
      file: '.mcp.json',
    });
    t.session.syncToolServers();
    await expect.poll(() => t.session.toolServers()[0]?.status).toBe('connected');
  }
  execFileSync('git', ['init', '-q'], { cwd: t.project });
  const running = t.run('go');
  // It is there before what is written into it.
  const says = () => existsSync(runs) && readFileSync(runs, 'utf8') !== '';
  await expect.poll(() => waits?.(t) ?? says()).toBe(true);
  t.session.main.engine.interrupt('stopped');
  let over = false;
  const ended = running.finally(() => {
    over = true;
  });
  const waits5s = async () => {
    await t.clock.advance(5_000);
    return over;
  };
  if (given.isLate) await expect.poll(waits5s).toBe(true);
  expect((await ended).at(-1)).toMatchObject({
    type: 'query_finished',
    terminal: expect.stringMatching(/^aborted_/),
  });
  const { agents } = t.session.log.transcript();
  expect(agents.every(({ status }) => status !== 'running')).toBe(true);
  if (existsSync(runs) && !given.server) {
    const pid = Number(readFileSync(runs, 'utf8'));
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  }
  // And the session goes on.
  await t.run('again');
  expect(JSON.stringify(t.api.requests.at(-1)?.body.messages)).toContain('again');
});
