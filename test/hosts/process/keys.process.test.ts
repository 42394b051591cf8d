import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { error, type Reply } from '../../support/scripted-api-replies';
import { canTrace, readTrace, traced } from '../../threats/support/exec-trace';
import { lathe, linesOf, makeWorkspace, type Workspace } from './lathe';

/** Keys of no known form, so that nothing but knowing them can hide them. */
const KEY = 'zebra-quilt-7741-marble-key';
const TOKEN = 'lemon-anchor-9052-violet-token';
const HEADER = 'copper-basil-3318-header';

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

async function run(
  script: Script,
  words: readonly string[],
  { through = [], input }: { through?: readonly string[]; input?: string } = {},
) {
  api = await startScriptedApi(script);
  const { child, finished } = lathe(
    workspace,
    input === undefined ? ['-p', 'go', ...words] : words,
    {
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_CUSTOM_HEADERS: `x-gateway: ${HEADER}`,
      AWS_SECRET_ACCESS_KEY: TOKEN,
      CLAUDE_CODE_MAX_RETRIES: '0',
    },
    through,
  );
  child.stdin.end(input);
  return finished;
}

const use = (command: string): Reply => ({
  kind: 'message',
  blocks: [{ kind: 'tool_use', name: 'Bash', input: { command } }],
});
const grep = (input: unknown): Reply => ({
  kind: 'message',
  blocks: [{ kind: 'tool_use', name: 'Grep', input }],
});
const DONE: Reply = { kind: 'message', blocks: [{ kind: 'text', text: 'Done.' }] };
const BYPASS = ['--permission-mode', 'bypassPermissions'];
const tracing = canTrace('Looking for keys in the environment of programs');
const SECRETS = new RegExp([KEY, TOKEN, HEADER].join('|'));

/** Every file below a folder. */
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const holders = () =>
  [...filesIn(workspace.home), ...filesIn(workspace.project)].filter((file) =>
    SECRETS.test(readFileSync(file, 'latin1')),
  );

describe('THREATS 13: the key', () => {
  const echo = `invalid x-api-key: ${KEY} (${HEADER}), see Authorization: Bearer ${KEY}`;
  const STATUSES = [400, 401, 403, 404, 429, 500];

  test('is nowhere after a server echoed it in every way (text)', async () => {
    for (const status of STATUSES) {
      const { code, stdout, stderr } = await run([error(status, echo), error(status, echo)], []);
      expect(code).not.toBe(0);
      expect(`${stdout}${stderr}`).not.toBe('');
      expect(`${stdout}${stderr}`).not.toMatch(SECRETS);
      await api?.close();
    }
    expect(filesIn(workspace.latheHome).length).toBeGreaterThan(0);
    expect(holders()).toEqual([]);
  });

  test('is nowhere after a server echoed it in every way (stream-json)', async () => {
    const answered: number[] = [];
    const script: Script = ({ body }) => {
      const asked = [...JSON.stringify(body.messages).matchAll(/answer (\d+)/g)].at(-1);
      answered.push(Number(asked?.[1]));
      return error(Number(asked?.[1]), echo);
    };
    const prompts = STATUSES.map((status) => ({
      type: 'user',
      message: { role: 'user', content: `answer ${status}` },
    }));
    const streams = ['--input-format', 'stream-json', '--output-format', 'stream-json'];
    const { code, stdout, stderr } = await run(script, [...streams, '--verbose', '--debug'], {
      input: prompts.map((prompt) => `${JSON.stringify(prompt)}\n`).join(''),
    });
    expect(code).not.toBe(0);
    const results = linesOf(stdout).filter(({ type }) => type === 'result');
    expect(results.map((result) => result['is_error'])).toEqual(STATUSES.map(() => true));
    expect([...new Set(answered)]).toEqual(STATUSES);
    expect(`${stdout}${stderr}`).not.toMatch(SECRETS);
    expect(filesIn(workspace.latheHome).length).toBeGreaterThan(0);
    expect(holders()).toEqual([]);
  });

  test('is in no report that Node writes of a crash, or when it is asked for one', async () => {
    const reported = Promise.withResolvers<void>();
    api = await startScriptedApi(async () => {
      await reported.promise;
      return DONE;
    });
    const run = lathe(workspace, ['-p', 'go', '--output-format', 'stream-json', '--verbose'], {
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: KEY,
      NODE_OPTIONS: `--report-on-signal --report-on-fatalerror --report-directory=${workspace.home}`,
    });
    run.child.stdin.end();
    await run.printed('init');
    run.child.kill('SIGUSR2');
    await run.complained('Node.js report completed');
    reported.resolve();
    expect(await run.finished).toMatchObject({ code: 0 });
    const reports = readdirSync(workspace.home).filter((name) => name.startsWith('report.'));
    expect(reports).toHaveLength(1);
    expect(holders()).toEqual([]);
  });

  test.runIf(tracing)('is in no program that Lathe starts', async () => {
    const file = join(workspace.home, 'trace');
    const { code } = await run([use('env'), DONE], [...BYPASS], {
      through: traced(file),
    });
    expect(code).toBe(0);
    const [lathe, ...children] = readTrace(file);
    expect(lathe?.env.join()).toMatch(SECRETS);
    expect(children.length).toBeGreaterThan(0);
    expect(children.filter(({ env }) => SECRETS.test(env.join()))).toEqual([]);
  });

  test('is in nothing that a command finds set, nor in what is kept of it', async () => {
    const { code, stdout } = await run(
      [use('env; set; cat /proc/self/environ'), DONE],
      [...BYPASS, '--output-format', 'stream-json', '--verbose'],
    );
    expect(code).toBe(0);
    const told = JSON.stringify(api?.requests[1]?.body);
    for (const text of [stdout, told]) {
      expect(text).toContain('PATH=');
      expect(text).not.toMatch(SECRETS);
    }
    expect(holders()).toEqual([]);
  });
});

test('THREATS 13: what Lathe writes is the user’s alone, also where new files are open to all', async () => {
  const openToAll = ['sh', '-c', 'umask 0; exec "$@"', 'sh'];
  const long = { pattern: '.', path: 'numbers', output_mode: 'content', head_limit: 5000 };
  const { code } = await run([use('seq 1 20000 | tee numbers'), grep(long), DONE], BYPASS, {
    through: openToAll,
  });
  expect(code).toBe(0);
  const saved = readdirSync(workspace.latheHome, { recursive: true, encoding: 'utf8' });
  expect(saved.filter((name) => /tool-results\/.|tasks\/./.test(name))).toHaveLength(2);
  const open = readdirSync(workspace.latheHome, { recursive: true, encoding: 'utf8' })
    .map((name) => join(workspace.latheHome, name))
    .concat(workspace.latheHome)
    .filter((path) => (lstatSync(path).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});
