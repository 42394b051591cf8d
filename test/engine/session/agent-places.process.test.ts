import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createSendMessageTool } from '../../../src/main/engine/tools/builtin/send-message/send-message';
import { createWriteTool } from '../../../src/main/engine/tools/builtin/write/write';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { HookSetting } from '../../../src/shared/hooks';
import { type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { until } from '../tasks/set-up';
import { isMain } from './sub-agent-session';

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

type Answer = Reply | (() => Reply);

async function start(main: Answer[], agents: Answer[], options: TestSessionOptions = {}) {
  open = await openTestSession(
    ({ body }) => {
      const next = (isMain(body) ? main : agents).shift() ?? reply('the end');
      return typeof next === 'function' ? next() : next;
    },
    {
      tools: [createAgentTool(BUILT_IN_AGENTS), createSendMessageTool(), createWriteTool()],
      ...options,
    },
  );
  return open;
}

const git = (folder: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...args], {
    cwd: folder,
    encoding: 'utf8',
  }).trim();

/** Makes the project a repository with one commit. */
function commitAll({ project }: TestSession): void {
  git(project, 'init', '-q', '-b', 'main');
  git(project, 'add', '-A');
  git(project, 'commit', '-q', '--allow-empty', '-m', 'first');
}

const call = (more: Readonly<Record<string, unknown>> = {}) =>
  toolUse('Agent', { description: 'Change', prompt: 'the task', ...more });
const isolated = call({ isolation: 'worktree' });
const write = (path: string, content: string) =>
  reply([toolUse('Write', { file_path: path, content })]);
const results = (events: readonly AgentEvent[]) =>
  events.flatMap((event) =>
    event.type === 'call_settled' && event.view?.kind === 'agent'
      ? [event.content.map((part) => ('text' in part ? part.text : '')).join('')]
      : [],
  );
const worktree = () => open?.session.log.transcript().agents[0]?.worktree;
const agentSystem = (t: TestSession) =>
  JSON.stringify(t.api.requests.filter(({ body }) => !isMain(body)).at(-1)?.body);

describe('a sub-agent with a worktree of its own', () => {
  it('changes files there and not in the project, and leaves it with what it changed', async () => {
    const t = await start(
      [
        reply([isolated]),
        reply('ok'),
        reply([toolUse('SendMessage', { to: 'Change', message: 'more' })]),
        reply('ok'),
      ],
      [
        () => write(join(worktree()?.path ?? '', 'b.txt'), 'new'),
        reply('report'),
        reply('second report'),
      ],
      { files: { 'a.txt': 'as it was', '.gitignore': '' } },
    );
    commitAll(t);
    const events = await t.run('go');
    const { path = '', branch = '' } = worktree() ?? {};
    expect(dirname(path)).toBe(join(t.project, '.claude', 'worktrees'));
    expect(results(events)).toEqual([
      `report\n\nIts worktree stays, because it holds changes that are not committed: ${path} (branch ${branch}).`,
    ]);
    expect(await readFile(join(path, 'b.txt'), 'utf8')).toBe('new');
    expect(existsSync(join(t.project, 'b.txt'))).toBe(false);
    // The project does not see it as something new.
    expect(git(t.project, 'status', '--porcelain')).toBe('');
    expect(agentSystem(t)).toContain(`You work in ${path}`);
    const { shellCwd } = t.session.log.transcript();
    expect(shellCwd).not.toContain('worktrees');
    // Taken up again, also after a restart, it works on in the same place.
    await t.reopen();
    await t.run('again');
    await until(() => t.session.hasNews());
    expect(worktree()?.path).toBe(path);
    expect(await readFile(join(path, 'b.txt'), 'utf8')).toBe('new');
  });

  it('loses it when it changed nothing, and keeps one with a commit', async () => {
    const t = await start(
      [reply([isolated]), reply('ok'), reply([isolated]), reply('ok')],
      [
        reply('nothing to do'),
        () => {
          const second = open?.session.log.transcript().agents[1]?.worktree?.path ?? '';
          git(second, 'commit', '-q', '--allow-empty', '-m', 'work');
          return reply('committed');
        },
      ],
      { files: { 'a.txt': 'x' } },
    );
    commitAll(t);
    expect(results(await t.run('go'))).toEqual(['nothing to do']);
    expect(existsSync(worktree()?.path ?? '')).toBe(false);
    expect(git(t.project, 'branch', '--list', 'worktree-*')).toBe('');
    expect(results(await t.run('again'))[0]).toContain('because it holds commits');
    expect(git(t.project, 'worktree', 'list').split('\n')).toHaveLength(2);
  });

  it('has the ignored files that are wanted, and hears of those it cannot have', async () => {
    const there: boolean[] = [];
    const t = await start(
      [reply([isolated]), reply([isolated]), reply('ok')],
      [
        () => {
          there.push(existsSync(join(worktree()?.path ?? '', 'one.env')));
          return reply('report');
        },
        reply('report'),
      ],
      {
        files: { '.gitignore': '*.env\n', '.worktreeinclude': '*.env\n', 'one.env': 'A=1' },
        settings: { worktree: { baseRef: 'fresh', symlinkDirectories: ['missing'] } },
      },
    );
    commitAll(t);
    const events = await t.run('go');
    expect(results(events)).toEqual(['report', 'report']);
    expect(there).toEqual([true]);
    const missing = 'Not in the worktree: missing (there is no such folder).';
    expect(agentSystem(t)).toContain(missing);
    // The user hears of it too, once.
    const told = events.flatMap((event) => (event.type === 'notice' ? event.text : []));
    expect(told).toEqual([`Worktrees of sub-agents: ${missing}`]);
  });

  it('is not started where there can be none', async () => {
    const t = await start([reply([isolated]), reply('ok'), reply([isolated]), reply('ok')], []);
    expect((await t.run('go')).find((event) => event.type === 'call_settled')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('needs a git repository') }],
    });
    // A folder that leads elsewhere is none of the project's.
    await writeFile(join(t.project, 'a'), '');
    commitAll(t);
    await mkdir(join(t.latheHome, 'elsewhere'), { recursive: true });
    await mkdir(join(t.project, '.claude'), { recursive: true });
    await symlink(join(t.latheHome, 'elsewhere'), join(t.project, '.claude', 'worktrees'));
    expect((await t.run('go')).find((event) => event.type === 'call_settled')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('is a link') }],
    });
    expect(t.session.log.transcript().agents).toEqual([]);
  });
});

describe('a sub-agent with notes', () => {
  const KEEPER = `---\nname: keeper\ndescription: Keeps notes\nmemory: project\ntools: Glob\n---\nWork.`;
  const keeper = call({ subagent_type: 'keeper' });

  it('keeps them without asking anybody, and begins with them the next time', async () => {
    const t = await start(
      [reply([keeper]), reply('ok'), reply([keeper]), reply('ok')],
      [
        () =>
          write(
            join(open?.project ?? '', '.claude/agent-memory/keeper/MEMORY.md'),
            'tests need pnpm',
          ),
        () => write(join(open?.project ?? '', 'other.txt'), 'not mine'),
        reply('noted'),
        reply('knew it'),
      ],
      { files: { '.claude/agents/keeper.md': KEEPER }, decide },
    );
    const first: AgentEvent[] = [];
    for await (const { event } of t.session.submit('go')) first.push(event);
    expect(results(first)).toEqual(['noted']);
    const wrote = first.flatMap((event) =>
      event.type === 'call_settled' && event.tool === 'Write' ? [event.status] : [],
    );
    // Elsewhere it has to ask like everybody.
    expect(wrote).toEqual(['done', 'denied']);
    for await (const _ of t.session.submit('again'));
    expect(agentSystem(t)).toContain('MEMORY.md says:\\n\\ntests need pnpm');
  });

  it('may not change what a link leads to', async () => {
    const t = await start(
      [reply([keeper]), reply('ok')],
      [
        () => write(join(open?.project ?? '', '.claude/agent-memory/keeper/key'), 'x'),
        reply('tried'),
      ],
      { files: { '.claude/agents/keeper.md': KEEPER }, decide },
    );
    await mkdir(join(t.latheHome, 'private'), { recursive: true });
    await mkdir(join(t.project, '.claude/agent-memory'), { recursive: true });
    await symlink(join(t.latheHome, 'private'), join(t.project, '.claude/agent-memory/keeper'));
    for await (const _ of t.session.submit('go'));
    expect(existsSync(join(t.latheHome, 'private', 'key'))).toBe(false);
  });
});

it('hooks are told that a sub-agent begins, and what they say goes to it alone', async () => {
  const hook = (subject: string): HookSetting => ({
    event: 'SubagentStart',
    matcher: subject,
    type: 'command',
    run: `cat > agent.json; echo '{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"mind the ${subject}"}}'`,
    source: 'userSettings',
    file: 'settings.json',
    line: 1,
    off: null,
  });
  const t = await start([reply([call()]), reply('ok')], [reply('report')], {
    settings: { hooks: [hook('general-purpose'), hook('Explore')] },
  });
  for await (const _ of t.session.submit('go'));
  expect(agentSystem(t)).toContain('mind the general-purpose');
  expect(agentSystem(t)).not.toContain('mind the Explore');
  const told = JSON.parse(await readFile(join(t.project, 'agent.json'), 'utf8'));
  expect(told).toMatchObject({
    hook_event_name: 'SubagentStart',
    agent_type: 'general-purpose',
    agent_id: t.session.log.transcript().agents[0]?.id,
  });
  const main = t.api.requests.filter(({ body }) => isMain(body)).map(({ body }) => body);
  expect(JSON.stringify(main)).not.toContain('mind the');
});
