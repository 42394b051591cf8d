import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createDecide } from '../../../src/main/engine/permissions/decide';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import type { Decision } from '../../../src/shared/permission';
import { createEchoTool } from '../../support/echo-tool';
import { type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

const git = (folder: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

/** Opens a session in a repository with one commit. The replies are what the model says, one after another. */
async function start(
  replies: Reply[],
  more: Pick<TestSessionOptions, 'settings' | 'files' | 'decide'> = {},
): Promise<TestSession> {
  open = await openTestSession(() => replies.shift() ?? reply('the end'), {
    tools: [createWriteTool(), createEchoTool()],
    decide: (request) =>
      request.kind === 'tool' && !request.readOnly ? decided('deny') : decided('allow'),
    ...more,
    settings: { trusted: true, ...more.settings },
  });
  git(open.project, 'init', '-q', '-b', 'main');
  git(open.project, 'add', '-A');
  git(open.project, 'commit', '-q', '--allow-empty', '-m', 'first');
  return open;
}

const decided = (behavior: 'allow' | 'deny'): Decision => ({
  ...{ behavior, reason: 'the test says so', why: [], suggestions: [] },
});

const enter = () => reply([toolUse('EnterWorktree', { name: 'try' })]);
const exit = (input: Readonly<Record<string, unknown>>) => reply([toolUse('ExitWorktree', input)]);
const toolsOf = ({ api }: TestSession, at: number) => JSON.stringify(api.requests[at]?.body.tools);
const last = ({ api }: TestSession) => JSON.stringify(api.requests.at(-1)?.body.messages.at(-1));

test('the tools are offered once somebody spoke of a worktree, and cost other prompts nothing', async () => {
  const t = await start([reply('hello'), reply('yes')]);
  await t.run('hello');
  await t.run('work in a worktree');
  expect(toolsOf(t, 0)).not.toContain('EnterWorktree');
  expect(toolsOf(t, 1)).toContain('EnterWorktree');
  expect(toolsOf(t, 1)).toContain('ExitWorktree');
});

test('what a result says about worktrees offers nothing', async () => {
  const t = await start([reply([toolUse('Echo', { text: 'a worktree' })]), reply('read')]);
  await t.run('hello');
  expect(last(t)).toContain('a worktree');
  expect(toolsOf(t, 1)).not.toContain('EnterWorktree');
});

test('a worktree is removed only when nothing was changed in it, and is entered again as it was', async () => {
  const replies = [enter(), exit({ action: 'remove' })];
  const t = await start(replies);
  const path = join(t.project, '.claude', 'worktrees', 'try');
  await t.run('in a worktree, please');
  expect(t.session.main.state.cwd.get()).toBe(t.project);
  expect(existsSync(path)).toBe(false);

  replies.push(enter());
  await t.run('again');
  expect(t.session.main.state.cwd.get()).toBe(path);
  writeFileSync(join(path, 'work.txt'), 'mine');
  replies.push(exit({ action: 'remove' }));
  await t.run('leave');
  expect(last(t)).toContain('it holds changes that are not committed');
  expect(existsSync(join(path, 'work.txt'))).toBe(true);

  replies.push(enter(), exit({ action: 'remove', discard_changes: true }));
  await t.run('lose it');
  // That is asked about, and nobody said yes.
  expect(last(t)).toContain('the test says so');
  expect(existsSync(join(path, 'work.txt'))).toBe(true);

  git(path, 'add', '-A');
  git(path, 'commit', '-q', '-m', 'work');
  replies.push(exit({ action: 'remove' }));
  await t.run('and now');
  expect(last(t)).toContain('it holds commits');
  expect(git(t.project, 'show', 'worktree-try:work.txt')).toBe('mine');
});

test('a new worktree has the ignored files that are wanted and may be read, and the agent hears of the others', async () => {
  const t = await start([enter(), reply('ok')], {
    decide: createDecide(),
    files: {
      '.gitignore': '*.env\nnode_modules/\n',
      '.worktreeinclude': '*.env\n',
      'one.env': 'A=1',
      'two.env': 'B=2',
      'node_modules/m/z.js': '',
    },
    settings: {
      worktree: { baseRef: 'fresh', symlinkDirectories: ['node_modules', '../home'] },
      rules: [{ behavior: 'deny', text: 'Read(./two.env)', source: 'projectSettings' }],
    },
  });
  await t.run('in a worktree, please');
  const path = join(t.project, '.claude', 'worktrees', 'try');
  const there = ['one.env', 'two.env', 'node_modules/m/z.js', 'home'];
  expect(there.filter((name) => existsSync(join(path, name)))).toEqual([there[0], there[2]]);
  expect(last(t)).toContain('Not in the worktree: two.env (they may not be read unasked');
  expect(last(t)).toContain('Not in the worktree: ../home (the path is not');
});
