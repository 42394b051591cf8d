import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type AskingRuntime,
  createPermissionService,
  type PermissionService,
} from '../../src/main/app/permission-service';
import type { ProjectRegistry } from '../../src/main/app/project-registry';
import { encodeLine } from '../../src/main/engine/event-log';
import { createBroker } from '../../src/main/engine/permissions/broker';
import type { RulesOfNow } from '../../src/main/engine/permissions/replay';
import { createSessionOverlay } from '../../src/main/engine/session/overlay';
import { projectFolder } from '../../src/main/engine/sessions/paths';
import { createSettingsWriter } from '../../src/main/engine/settings/write';
import { createBuiltinTools } from '../../src/main/engine/tools/builtin/all';
import { findTool, fixedSource } from '../../src/main/engine/tools/catalogue';
import { createNeedsByName } from '../../src/main/engine/tools/foreign-tools';
import { createNodeFiles } from '../../src/main/node/files';
import type { DurableEvent } from '../../src/shared/agent-event';
import type { RuleDraft } from '../../src/shared/rules-overview';
import { projectBookIn } from '../support/project-registry';
import { shellParser } from '../support/tool-environment';

let root: string;
let project: string;
let book: ProjectRegistry;
let desk: PermissionService;
let runtimes: AskingRuntime[] = [];
const files = createNodeFiles();
const never = new AbortController().signal;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'lathe-desk-')));
  project = join(root, 'project');
  const configDir = join(root, 'config');
  const managedFile = join(root, 'managed.json');
  await mkdir(join(project, '.claude'), { recursive: true });
  await writeFile(managedFile, '{"permissions": {"deny": ["Bash(shutdown:*)"]}}');
  book = projectBookIn(root, ['Bash(ls)']);
  desk = createPermissionService({
    files,
    parser: shellParser,
    needsOf: createNeedsByName((name) =>
      findTool([fixedSource('built in', createBuiltinTools())], name),
    ),
    writer: createSettingsWriter(files),
    latheHome: join(root, '.lathe'),
    home: root,
    configDir,
    platform: 'linux',
    projects: book,
    sessions: { runtimes: () => runtimes },
  });
  runtimes = [];
  await book.open(project);
  await book.trust(project, true);
});
afterEach(() => rm(root, { recursive: true, force: true }));

const draft = (rule: string, over: Partial<RuleDraft> = {}): RuleDraft => ({
  behavior: 'allow',
  rule,
  destination: 'localSettings',
  ...over,
});
const faultOf = async (
  result: Promise<{ ok: boolean; error?: { code: string; message: string } }>,
) => (await result).error;
const texts = async () => {
  const listed = await desk.list({ project });
  return listed.ok ? listed.value.rules.map(({ rule }) => rule.text) : [];
};

async function logCommands(commands: readonly unknown[]) {
  const folder = projectFolder(join(root, '.lathe'), project);
  await mkdir(folder, { recursive: true });
  const events: DurableEvent[] = [
    { type: 'session_started', version: 1, cwd: project, createdAt: 0 },
    ...commands.map((command, i) => ({
      type: 'block_finished' as const,
      messageId: 'm',
      model: 'x',
      index: i,
      block: { type: 'tool_use' as const, id: `t${i}`, name: 'Bash', input: { command } },
    })),
  ];
  const lines = events.map((event, at) => encodeLine({ at, event }));
  await writeFile(join(folder, 'session-a.jsonl'), lines.join(''));
}

test('a draft is tried on the logged calls; what is no call is not counted', async () => {
  await logCommands(['make all', 'npm test', 'ls', 42, null]);
  expect(await desk.replay({ project }, draft('Bash(make:*)'), never)).toMatchObject({
    ok: true,
    value: {
      considered: 3,
      changed: [{ target: 'make all', before: 'ask', after: 'allow', sessionId: 'session-a' }],
    },
  });
  const stopped = await faultOf(
    desk.replay({ project }, draft('Bash(make:*)'), AbortSignal.abort()),
  );
  expect(stopped?.code).toBe('stopped');
});

test.each([
  ['Bash(make', 'allow', 'no closing parenthesis'],
  ['Bash()', 'deny', 'nothing in its parentheses'],
  ['', 'ask', 'The rule is empty'],
  ['bash(make)', 'allow', 'the tool is called Bash'],
  ['Read(../x)', 'deny', 'contains “..”'],
  ['Bash(a)\nBash(b)', 'allow', 'one line'],
] as const)('the draft %j (%s) is refused by name', async (rule, behavior, message) => {
  for (const act of [
    desk.replay({ project }, draft(rule, { behavior }), never),
    desk.addRule({ project }, draft(rule, { behavior })),
  ]) {
    const fault = await faultOf(act);
    expect(fault?.code).toBe('invalid_rule');
    expect(fault?.message).toContain(message);
    expect(fault?.message).not.toMatch(/is not used|until it is corrected/);
  }
});

test('a rule is added and removed in its file, holds at once, and trust follows', async () => {
  expect(await desk.addRule({ project }, draft('Bash(make:*)'))).toEqual({ ok: true, value: null });
  expect(await texts()).toEqual(['Bash(shutdown:*)', 'Bash(ls)', 'Bash(make:*)']);
  expect(book.isTrusted(project)).toBe(true);
  const name = { behavior: 'allow', rule: 'Bash(make:*)', source: 'localSettings' } as const;
  expect((await desk.removeRule({ project }, name)).ok).toBe(true);
  expect(await texts()).toEqual(['Bash(shutdown:*)', 'Bash(ls)']);
  expect((await faultOf(desk.removeRule({ project }, name)))?.code).toBe('gone');
});

test('rules of the machine and of the command line are locked', async () => {
  const listed = await desk.list({ project });
  expect(listed.ok && listed.value.rules).toMatchObject([
    { rule: { source: 'managed', line: 1 }, locked: expect.stringContaining('machine') },
    { rule: { source: 'commandLine' }, locked: expect.stringContaining('command line') },
  ]);
  for (const [behavior, rule, source] of [
    ['deny', 'Bash(shutdown:*)', 'managed'],
    ['allow', 'Bash(ls)', 'commandLine'],
  ] as const)
    expect((await faultOf(desk.removeRule({ project }, { behavior, rule, source })))?.code).toBe(
      'read_only',
    );
  expect(await readFile(join(root, 'managed.json'), 'utf8')).toContain('shutdown');
});

test('in a folder that is not trusted, allow rules of its files are said to be off', async () => {
  await logCommands(['make all']);
  await book.trust(project, false);
  expect(await desk.replay({ project }, draft('Bash(make:*)'), never)).toMatchObject({
    value: { considered: 1, changed: [], dead: { reason: expect.stringContaining('not trusted') } },
  });
  const own = draft('Bash(make:*)', { destination: 'userSettings' });
  expect(await desk.replay({ project }, own, never)).toMatchObject({
    value: { changed: [{ after: 'allow' }], dead: null },
  });
});

test('a session rule needs a session, a rule needs an open project', async () => {
  const forSession = draft('Bash(make:*)', { destination: 'session' });
  expect((await faultOf(desk.addRule({ project }, forSession)))?.code).toBe('no_session');
  expect((await faultOf(desk.list({ project: root })))?.code).toBe('not_open');
});

test('the mode says where it comes from, faulty rules how they count', async () => {
  const file = join(project, '.claude', 'settings.json');
  await writeFile(file, '{"permissions": {"defaultMode": "plan", "deny": ["Read(./x"]}}');
  await book.open(project);
  await book.trust(project, true);
  expect(await desk.list({ project })).toMatchObject({
    value: {
      mode: 'plan',
      modeWhy: expect.stringContaining(file),
      rules: [{}, {}, { problem: expect.stringContaining('covers every use of Read') }],
      // What a listed rule says of itself is not told again.
      problems: [],
    },
  });
  await writeFile(file, '{"permissions": {"deny": ["Read(./x"], "allow": [7]}}');
  await book.refresh(project);
  expect(await desk.list({ project })).toMatchObject({
    value: { problems: [{ file, line: 1, field: 'permissions.allow' }] },
  });
});

/** An open session of the project, as far as the desk looks at it. */
function openSession(sandboxed: boolean) {
  const overlay = createSessionOverlay(() => {});
  const broker = createBroker(() => {});
  const settings = () => {
    const found = book.settings(project);
    if (found === null) throw new Error('not open');
    return overlay.over(found);
  };
  const terms = { autoAllow: true, allowUnsandboxed: true, excludedCommands: ['docker *'] };
  const now = (): RulesOfNow => ({
    rules: settings().rules,
    mode: 'default',
    context: {
      cwd: join(project, 'elsewhere'),
      home: root,
      project,
      workingDirectories: [project],
      caseInsensitive: false,
    },
  });
  runtimes.push({
    session: {
      project,
      broker,
      log: { sessionId: 'session-open', flush: async () => {} },
      permissions: {
        addRule: overlay.addRule,
        removeRule: overlay.removeRule,
        update: async () => {},
        sandboxTerms: async () => (sandboxed ? terms : null),
        now,
      },
    },
  });
  return { broker, now };
}

test('a rule of a session holds there alone, and goes with a word', async () => {
  openSession(false);
  const place = { project, sessionId: 'session-open' };
  const session = draft('Bash(make:*)', { destination: 'session', behavior: 'deny' });
  expect((await desk.addRule(place, session)).ok).toBe(true);
  const listed = await desk.list(place);
  expect(listed.ok && listed.value.rules[0]).toEqual({
    rule: { behavior: 'deny', text: 'Bash(make:*)', source: 'session' },
  });
  expect(await texts()).not.toContain('Bash(make:*)');
  const name = { behavior: 'deny', rule: 'Bash(make:*)', source: 'session' } as const;
  expect((await desk.removeRule(place, name)).ok).toBe(true);
  expect(await desk.list(place)).toMatchObject({ value: { rules: [{}, {}] } });
});

test('a rule that is saved answers the questions that wait, in every open session', async () => {
  const { broker, now } = openSession(false);
  const answer = broker.ask(
    {
      approval: {
        id: 'a',
        callId: 'c',
        tool: 'Bash',
        title: 'Run a command',
        subject: { kind: 'tool', name: 'Bash', input: '' },
        decision: { behavior: 'ask', reason: '', why: [], suggestions: [] },
        digest: 'd',
      },
      nowAllowed: async () => now().rules.some((rule) => rule.text === 'Bash(make:*)'),
    },
    never,
  );
  await desk.addRule({ project }, draft('Bash(make:*)', { destination: 'userSettings' }));
  expect(await answer).toEqual({ behavior: 'allow', digest: 'd' });
});

test('where the sandbox makes questions needless, a rule changes only what runs outside', async () => {
  openSession(true);
  await logCommands(['make all', 'docker build .']);
  const place = { project, sessionId: 'session-open' };
  expect(await desk.replay(place, draft('Bash(make:*)'), never)).toMatchObject({
    value: { considered: 2, changed: [], unchanged: 1, dead: null },
  });
  expect(await desk.replay(place, draft('Bash(docker:*)'), never)).toMatchObject({
    value: { changed: [{ target: 'docker build .', before: 'ask', after: 'allow' }] },
  });
});
