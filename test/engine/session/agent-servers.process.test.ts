import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createToolSearchTool } from '../../../src/main/engine/tools/builtin/tool-search/tool-search';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';

const EVERYTHING = join(
  dirname(
    createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  ),
  'dist/index.js',
);

/** An agent whose definition brings a server; `mark` is found in the arguments of its process. */
const agentWith = (mark: string) => `---
name: counter
description: Counts
tools: mcp__own
mcpServers:
  - own: { command: '${process.execPath}', args: ['${EVERYTHING}', 'stdio', '${mark}'] }
---
You count.`;

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

const toolsOf = (n: number) =>
  (open?.api.requests[n]?.body.tools ?? []).map(({ name }) => String(name));

/** Returns how many processes of a server run. */
const running = (mark: string): number =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  }).length;

const start = async (
  mark: string,
  options: TestSessionOptions,
  ...replies: Parameters<typeof reply>[0][]
) => {
  open = await openTestSession(
    replies.map((one) => reply(one)),
    {
      tools: [createAgentTool(BUILT_IN_AGENTS), createToolSearchTool()],
      files: { '.claude/agents/counter.md': agentWith(mark) },
      ...options,
    },
  );
  return open;
};

describe('a server that the definition of an agent brings', () => {
  const call = toolUse('Agent', { description: 'Sum', prompt: 'go', subagent_type: 'counter' });
  const sum = toolUse('mcp__own__get-sum', { a: 40, b: 2 });

  it('is there for that agent alone, while it works', async () => {
    const mark = `mark-${crypto.randomUUID()}`;
    const t = await start(mark, {}, [call], [sum], 'it is 42', 'done');
    await t.run('go');
    expect(toolsOf(0)).not.toContain('mcp__own__get-sum');
    expect(toolsOf(1)).toContain('mcp__own__get-sum');
    expect(JSON.stringify(t.api.requests[2]?.body.messages)).toContain('42');
    expect(JSON.stringify(t.api.requests[3]?.body.messages)).toContain('it is 42');
    expect(toolsOf(3)).not.toContain('mcp__own__get-sum');
    await expect.poll(() => running(mark)).toBe(0);
  });

  it('is not started in a folder that nobody trusts', async () => {
    const mark = `mark-${crypto.randomUUID()}`;
    const given = {
      definitions: [
        {
          name: 'counter',
          description: 'Counts',
          prompt: 'You count.',
          source: 'commandLine' as const,
          ownServers: [
            {
              name: 'own',
              command: process.execPath,
              args: [EVERYTHING, 'stdio', mark],
              env: {},
              alwaysLoad: true,
              file: '--agents',
            },
          ],
        },
      ],
      problems: [],
    };
    const t = await start(
      mark,
      { settings: { trusted: false }, host: (plain) => ({ ...plain, givenAgents: given }) },
      [call],
      'nothing to count with',
      'done',
    );
    await t.run('go');
    expect(toolsOf(1)).not.toContain('mcp__own__get-sum');
    expect(JSON.stringify(t.session.log.transcript().committed)).toContain(
      'Tool servers of the agent counter are not started (own)',
    );
    expect(running(mark)).toBe(0);
  });
});

it('a main agent has the hooks and the servers of its definition', async () => {
  const hook =
    "{type: command, command: 'echo not yet >&2; [ -e asked ] || { touch asked; exit 2; }'}";
  const mark = `mark-${crypto.randomUUID()}`;
  const definition = agentWith(mark).replace(
    '---\nYou',
    `hooks: {Stop: [{hooks: [${hook}]}]}\n---\nYou`,
  );
  const t = await start(
    mark,
    { files: { '.claude/agents/counter.md': definition }, prompts: { agent: 'counter' } },
    'a',
    'b',
  );
  await t.run('one');
  expect(t.api.requests).toHaveLength(2);
  expect(JSON.stringify(t.api.requests[1]?.body.messages)).toContain('not yet');
  await expect.poll(() => t.session.main.toolNames()).toContain('mcp__own__get-sum');
});
