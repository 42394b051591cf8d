import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { soon } from '../../support/soon';
import { lathe, linesOf, makeWorkspace, nothingLeft, type Run, type Workspace } from './lathe';

let workspace: Workspace;
let api: ScriptedApi | null = null;
const setUp = async () => {
  workspace = await makeWorkspace();
};
const tearDown = async () => {
  await api?.close();
  api = null;
  await workspace.remove();
};

type Hooks = Readonly<Record<string, unknown>>;
const command = (text: string, more: object = {}) => ({ type: 'command', command: text, ...more });
const before = (...hooks: readonly object[]): Hooks => ({ PreToolUse: [{ hooks }] });
const prints = (event: string, fields: object) =>
  `printf %s '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...fields } })}'`;

/** The model calls Bash `times` times, then stops. */
const calls =
  (text: (number: number) => string, times = 1): Script =>
  ({ body: { messages } }) => {
    const done = JSON.stringify(messages).split('"tool_result"').length - 1;
    return done < times ? reply([toolUse('Bash', { command: text(done + 1) })]) : reply('Done.');
  };

interface Given {
  readonly hooks?: Hooks;
  readonly script?: Script;
  readonly words?: readonly string[];
  readonly prompt?: string | null;
  readonly meanwhile?: (run: Run) => Promise<void>;
}

/** One `lathe -p` in which Bash may `echo`, with hooks of the user. */
async function run({ hooks = {}, script, words = [], prompt = 'hello', meanwhile }: Given) {
  await mkdir(join(workspace.home, '.claude'), { recursive: true });
  const settings = { permissions: { allow: ['Bash(echo *)'] }, hooks };
  await writeFile(join(workspace.home, '.claude', 'settings.json'), JSON.stringify(settings));
  await api?.close();
  const served = await startScriptedApi(script ?? calls(() => 'echo hi'));
  api = served;
  const given = prompt === null ? ['-p'] : ['-p', prompt];
  const started = lathe(
    workspace,
    [...given, '--output-format', 'stream-json', '--verbose', '--include-hook-events', ...words],
    {
      ANTHROPIC_BASE_URL: served.url,
      ANTHROPIC_API_KEY: 'test-key',
    },
  );
  started.child.stdin.end();
  await meanwhile?.(started);
  const ended = await started.finished;
  const lines = linesOf(ended.stdout);
  const of = (name: string) => lines.filter((line) => line['subtype'] === name);
  return {
    ...ended,
    result: lines.findLast((line) => line['type'] === 'result') ?? {},
    /** What the model read of its calls. */
    read: lines.filter((line) => line['type'] === 'user').map((line) => JSON.stringify(line)),
    hooks: of('hook_response'),
    notices: of('informational').map((line) => String(line['content'])),
    said: (number: number) => JSON.stringify(served.requests.at(number)?.body.messages),
  };
}
/** What stands for the project in a hook. */
const FOLDER = ['$', '{CLAUDE_PROJECT_DIR}'].join('');
const inProject = (name: string) => join(workspace.project, name);
const blocked = 'A hook of the user blocked this call';

describe('hooks of one call', () => {
  let done: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    await setUp();
    writeFileSync(inProject('check.sh'), '#!/bin/sh\necho "got $1" >&2; exit 2');
    chmodSync(inProject('check.sh'), 0o755);
    const args = [`$HOME \`id\` '${FOLDER}'`];
    const looks = 'env > env; (echo x > /dev/tty) 2>/dev/null && touch tty; exit 0';
    done = await run({
      hooks: {
        Nonsense: [1],
        PreToolUse: [
          5,
          { hooks: 'x' },
          { matcher: '[', hooks: [command('exit 2')] },
          { hooks: [null, { type: 'agent', prompt: 'x' }, { type: 'command' }] },
          { hooks: [command('echo "still here" >&2; exit 2')] },
          { hooks: [command(`${FOLDER}/check.sh`, { args })] },
          { hooks: [command('setsid sleep 4 & sleep 4 & echo "no child" >&2; exit 2')] },
          { hooks: [command(looks)] },
        ],
      },
    });
  });
  afterAll(tearDown);

  test('one with arguments runs without a shell; only the project’s path is filled in', () =>
    expect(done.read[0]).toContain(`got $HOME \`id\` '${workspace.project}'`));

  test('one that leaves a child with its output open holds nothing up', () => {
    expect(done.read[0]).toContain(blocked);
    expect(done.read[0]).toContain('no child');
  });

  test('one gets no key and no terminal', () => {
    const env = readFileSync(inProject('env'), 'utf8');
    expect(env).toContain(`CLAUDE_PROJECT_DIR=${workspace.project}`);
    expect(env).not.toContain('test-key');
    expect(existsSync(inProject('tty'))).toBe(false);
  });

  test('entries that cannot be used take nobody else down', () => {
    expect(done.read[0]).toContain('still here');
    expect(done.stderr).toContain('hooks.PreToolUse[2].matcher');
  });
});

describe('in a run of its own', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  describe('a hook command', () => {
    test('that prints without end is stopped with all it started, and blocks nothing', async () => {
      const hook = command('setsid sleep 600 & yes', { timeout: 0.3 });
      const { read, hooks } = await run({ hooks: before(hook) });
      expect(read[0]).toContain('hi');
      expect(hooks[0]).toMatchObject({ outcome: 'error', note: expect.stringContaining('0.3 s') });
      await nothingLeft(workspace);
    });

    test('ends with a run that is terminated', async () => {
      const { code } = await run({
        hooks: before(command('echo $$ > pid; echo ready >&2; sleep 600')),
        meanwhile: async ({ child }) => {
          await appears('pid');
          child.kill('SIGTERM');
        },
      });
      expect(code).toBe(143);
      await nothingLeft(workspace);
    });

    test('under which Lathe is killed leaves a session that opens again', async () => {
      const id = '0b6f2c1e-6c1d-4b52-9a51-4a35a4cf6d10';
      const killed = await run({
        hooks: before(command('echo $$ > pid; sleep 2')),
        words: ['--session-id', id],
        meanwhile: async ({ child }) => {
          await appears('pid');
          child.kill('SIGKILL');
        },
      });
      expect(killed.signal).toBe('SIGKILL');
      const again = await run({ words: ['--resume', id], script: () => reply('Done.') });
      expect(again.result).toMatchObject({ subtype: 'success', result: 'Done.' });
    });
  });

  describe('entries that cannot be used', () => {
    test('of an untrusted folder neither run nor switch off those of the user', async () => {
      await mkdir(inProject('.claude'));
      const trap = {
        disableAllHooks: true,
        hooks: { SessionStart: before(command('touch trapped'))['PreToolUse'] },
      };
      await writeFile(inProject('.claude/settings.json'), JSON.stringify(trap));
      const { read } = await run({ hooks: before(command('exit 2')) });
      expect(read[0]).toContain(blocked);
      expect(existsSync(inProject('trapped'))).toBe(false);
    });
  });

  describe('permissions that a hook changes for good', () => {
    const rule = { toolName: 'Bash', ruleContent: 'mkdir *' };
    const update = {
      type: 'addRules',
      behavior: 'allow',
      rules: [rule],
      destination: 'localSettings',
    };
    const decision = { behavior: 'allow', updatedPermissions: [update] };
    const given = {
      hooks: {
        PermissionRequest: [
          { hooks: [command(`echo x >> asked; ${prints('PermissionRequest', { decision })}`)] },
        ],
      },
      script: calls((number) => `mkdir folder${number}`, 2),
    };
    const asked = () => readFileSync(inProject('asked'), 'utf8');

    test('are written in a trusted folder, and hold at once', async () => {
      const { notices } = await run({ ...given, words: ['--trust'] });
      expect(existsSync(inProject('folder2'))).toBe(true);
      expect(asked()).toBe('x\n');
      expect(JSON.parse(readFileSync(inProject('.claude/settings.local.json'), 'utf8'))).toEqual({
        permissions: { allow: ['Bash(mkdir *)'] },
      });
      expect(notices).toEqual([
        'A hook set allow Bash(mkdir *). It was written to .claude/settings.local.json.',
      ]);
    });

    test('are not written into a folder that nobody trusts; they hold for the session', async () => {
      const { notices } = await run(given);
      expect(existsSync(inProject('folder2'))).toBe(true);
      expect(asked()).toBe('x\n');
      expect(existsSync(inProject('.claude'))).toBe(false);
      expect(notices).toEqual([
        'A hook set allow Bash(mkdir *), for this session only. This folder is not trusted, so nothing was written into it.',
      ]);
    });
  });

  test('a call that a hook puts off ends the run well, and goes on when it is resumed without a prompt', async () => {
    const hooks = before(
      command(`[ -e go ] || ${prints('PreToolUse', { permissionDecision: 'defer' })}`),
    );
    const first = await run({ hooks });
    expect(first.code).toBe(0);
    expect(first.result).toMatchObject({
      subtype: 'success',
      is_error: false,
      stop_reason: 'tool_deferred',
      deferred_tool_use: { id: expect.any(String), name: 'Bash', input: { command: 'echo hi' } },
      permission_denials: [],
    });
    const words = ['--resume', String(first.result['session_id'])];
    const again = await run({ hooks, words, prompt: null });
    expect(again.result).toMatchObject({ stop_reason: 'tool_deferred' });
    await writeFile(inProject('go'), '');
    const last = await run({ hooks, words, prompt: null });
    expect(last.result).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(last.said(0)).toContain('"content":[{"type":"text","text":"hi"}]');
    const nothing = await run({ hooks, words, prompt: null });
    expect(nothing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no prompt'),
    });
  });
});

/** Resolves when a file of the project is there and not empty. */
const appears = (name: string) =>
  soon(() => expect(readFileSync(inProject(name), 'utf8')).not.toBe(''));
