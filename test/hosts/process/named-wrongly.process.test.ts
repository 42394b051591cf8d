import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { type Finished, lathe, makeWorkspace, type Workspace } from './lathe';

describe('a flag that names what is not there', () => {
  let workspace: Workspace;
  let api: ScriptedApi;
  let replies: ReturnType<typeof reply>[] = [];

  const setUp = async () => {
    workspace = await makeWorkspace();
    replies = [];
    api = await startScriptedApi(() => replies.shift() ?? reply('done'), { apiKey: 'test-key' });
  };
  const tearDown = async () => {
    await api.close();
    await workspace.remove();
  };
  beforeEach(setUp);
  afterEach(tearDown);

  const run = async (...words: readonly string[]) => {
    const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'test-key' };
    const { child, finished } = lathe(workspace, ['-p', 'go', ...words], env);
    child.stdin.end();
    return finished;
  };

  describe('is told, and the run goes on', () => {
    const words = [
      ...['--tools', 'Nope,Read', 'Reed', 'Bash(git *)'],
      ...['--allowedTools', 'Nope(x)', 'Bash(x'],
      ...['--disallowedTools', 'Bsh'],
      ...['--permission-prompt-tool', 'mcp__nobody__ask'],
    ];
    const TOLD = [
      '--tools: there is no tool “Nope”.',
      '--tools: there is no tool “Reed”; “Read” may be meant.',
      '--tools: “Bash(git *)” is a rule; names of tools stand here',
      '--allowedTools: The rule “Nope(x)” can never match',
      '--allowedTools: The rule “Bash(x” has no closing parenthesis',
      '--disallowedTools: The rule “Bsh” can never match',
      '--permission-prompt-tool mcp__nobody__ask: there is no such tool server, so every question is denied.',
    ];
    let done: Finished;
    beforeAll(async () => {
      await setUp();
      done = await run(...words);
      await tearDown();
    });

    test.each(TOLD)('%s', (told) => {
      const lines = done.stderr.trim().split('\n');
      expect(lines.filter((line) => line.includes(`Warning: ${told}`))).toHaveLength(1);
      expect(lines).toHaveLength(TOLD.length);
      expect(done.code).toBe(0);
    });
  });

  test('an agent goes without a tool that there is not; one that is misspelled is not left to it', async () => {
    const a = { description: 'd', prompt: 'p', tools: ['Read', 'Nope'] };
    const b = { description: 'd', prompt: 'p', disallowedTools: ['WriteToMoon'] };
    expect(await run('--agents', JSON.stringify({ a, b }))).toMatchObject({
      code: 0,
      stderr:
        '--agents: a.tools: there is no tool Nope; the agent goes without it.\n--agents: b.disallowedTools: there is no tool WriteToMoon; this takes nothing away.\n',
    });
    const more = await run(
      ...['--agents', JSON.stringify({ b: { ...b, disallowedTools: ['Bsh'] } })],
    );
    expect(more.code).toBe(1);
    expect(more.stderr).toContain('there is no tool Bsh (is Bash meant?); this takes nothing away');
  });

  test.each<[readonly string[]]>([
    [
      [
        ...['--tools', 'Read', 'Task', 'mcp__later__act', 'default'],
        'PowerShell,Skill,EnterWorktree,Bash',
        ...['--allowedTools', 'mcp__later__act,mcp__later,mcp__later__*'],
        ...['Agent(Explore)', 'Task(Plan)'],
        ...['--disallowedTools', 'mcp__*', 'Agent(Plan)'],
      ],
    ],
    [['--tools', '']],
  ])('says nothing of tools that may come: %j', async (words) => {
    expect(await run(...words)).toMatchObject({ code: 0, stderr: '' });
  });

  test.each<[readonly string[], string]>([
    [['--agent', 'Nobody'], '--agent: there is no agent "Nobody". Use one of Explore, Plan'],
    [
      ['--disallowedTools', '(rm)'],
      'tool name; it is not used. Correct --disallowedTools, or leave it out.',
    ],
  ])('ends the run where it would be another one: %j', async (words, told) => {
    const { code, stdout, stderr } = await run(...words);
    expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain(told);
    expect(code).toBe(1);
    expect(api.requests).toEqual([]);
  });

  test('a tool server that has no tool of the name for questions: each is denied, and says why', async () => {
    const server = join(workspace.home, 'server.cjs');
    await writeFile(
      server,
      `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        const result = method === 'initialize'
          ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
          : { tools: [{ name: 'other', inputSchema: { type: 'object' } }] };
        if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      });`,
    );
    replies.push(reply([toolUse('Bash', { command: 'touch made' })]));
    const config = { mcpServers: { s: { command: process.execPath, args: [server] } } };
    const { code, stderr } = await run(
      ...[
        '--trust',
        '--mcp-config',
        JSON.stringify(config),
        '--permission-prompt-tool',
        'mcp__s__ask',
      ],
    );
    expect(code).toBe(0);
    expect(stderr.trim()).toBe(
      'Warning: --permission-prompt-tool mcp__s__ask: there is no tool mcp__s__ask, so it was denied.',
    );
    const told = JSON.stringify(api.requests[1]?.body.messages.at(-1));
    expect(told).toContain('--permission-prompt-tool mcp__s__ask: there is no tool mcp__s__ask');
  });
});
