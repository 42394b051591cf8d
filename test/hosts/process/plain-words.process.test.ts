import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import type { Reply } from '../../support/scripted-api-replies';
import { lathe, linesOf, makeWorkspace, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi | null = null;

beforeEach(async () => {
  workspace = await makeWorkspace();
});
afterEach(async () => {
  await api?.close();
  api = null;
  await workspace.remove();
});

const DONE: Reply = { kind: 'message', blocks: [{ kind: 'text', text: 'Done.' }] };
const use = (name: string, input: unknown): Reply => ({
  kind: 'message',
  blocks: [{ kind: 'tool_use', name, input }],
});

/** Runs to the end. `lines` is what stream-json printed, `told` the last request as text. */
async function run(script: Script, words: readonly string[], env: Record<string, string> = {}) {
  api = await startScriptedApi(script, { apiKey: 'test-key' });
  const { finished, child } = lathe(
    workspace,
    ['-p', 'go', '--output-format', 'stream-json', '--verbose', ...words],
    { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'test-key', ...env },
  );
  child.stdin.end();
  const { code, stdout, stderr } = await finished;
  return {
    ...{ code, stderr, lines: linesOf(stdout), requests: api.requests.length },
    told: JSON.stringify(api.requests.at(-1)?.body ?? null),
  };
}

describe('settings named on the command line', () => {
  test.each([
    ['/no/such/file.json', '/no/such/file.json'],
    ['{"permissions": {"deny": ["Bash(rm *)"]', '--settings, line 1'],
  ])('that cannot be read end the run before anything is sent: %s', async (given, named) => {
    const { code, stderr, requests } = await run([DONE], ['--settings', given]);
    expect({ code, requests }).toEqual({ code: 1, requests: 0 });
    expect(stderr).toContain(named);
    expect(stderr).toContain('Correct --settings, or leave it out.');
  });

  test('with a field that cannot be used are told of once, and the run goes on', async () => {
    const { code, stderr } = await run([DONE], ['--settings', '{"permissions":{"allow":"Read"}}']);
    expect(code).toBe(0);
    expect(stderr).toBe(
      'Warning: --settings, line 1: permissions.allow: a list of texts is expected; this text counts as a list of one.\n',
    );
  });
});

describe('what the model is told', () => {
  test('no tool that is denied or waits is named, neither at the start nor as a choice', async () => {
    const { lines, told } = await run(
      [use('TaskList', {}), DONE],
      ['--disallowedTools', 'WebFetch'],
    );
    const tools: readonly string[] = lines[0]?.['tools'] ?? [];
    expect(tools).toContain('WebSearch');
    expect(tools).not.toContain('WebFetch');
    expect(told).toContain(`Available: ${tools.join(', ')}.`);
  });

  test('a call that a hook changed is not laid at the user’s door', async () => {
    const reply = {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { command: 'echo other' },
      },
    };
    const hook = { type: 'command', command: `echo '${JSON.stringify(reply)}'` };
    await mkdir(join(workspace.home, '.claude'));
    await writeFile(
      join(workspace.home, '.claude', 'settings.json'),
      JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }),
    );
    const { told } = await run([use('Bash', { command: 'echo one' }), DONE], []);
    expect(told).toContain('A hook of the user changed this call before it ran. What ran: ');
    expect(told).toContain('"text":"other"');
    expect(told).not.toContain('The user changed');
  });

  test('a command in the background is not said to have printed nothing', async () => {
    const { told } = await run(
      [use('Bash', { command: 'sleep 9', run_in_background: true }), DONE],
      ['--allowedTools', 'Bash'],
    );
    expect(told).toContain('"text":"It runs in the background as task ');
  });
});

test('commands know what the login shell knows, and keep what the run was started with', async () => {
  await writeFile(
    join(workspace.home, '.bash_profile'),
    'export FROM_PROFILE=yes MINE=theirs PATH="/opt/from-profile"\n',
  );
  const { told } = await run(
    [use('Bash', { command: 'echo "$FROM_PROFILE $MINE $(basename $PATH)"' }), DONE],
    ['--allowedTools', 'Bash'],
    { SHELL: '/bin/bash', MINE: 'ours' },
  );
  expect(told).toContain('"text":"yes ours from-profile"');
});

test('a short silence is told with its length', async () => {
  const { code, lines } = await run([{ kind: 'hang' }, DONE], [], {
    LATHE_STREAM_IDLE_MS: '300',
  });
  expect(code).toBe(0);
  expect(JSON.stringify(lines)).toMatch(/The model sent nothing for (?!0 s)[\d.]+ s\./);
});
