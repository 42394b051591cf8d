import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createEditTool } from '../../../src/main/engine/tools/builtin/edit/edit';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import type { HookSetting } from '../../../src/shared/hooks';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { sessionsOfFile } from '../query/support';
import { hook, keeps, linesOf, ran, says } from './support';

const open = sessionsOfFile();
const withHooks = (...hooks: readonly HookSetting[]) => ({ settings: { hooks } });

describe('PreModelSwitch', () => {
  it.each<[string, string, string | null]>([
    [
      'denies',
      says('PreModelSwitch', { permissionDecision: 'deny', permissionDecisionReason: 'too dear' }),
      'too dear',
    ],
    [
      'wants somebody asked',
      says('PreModelSwitch', { permissionDecision: 'ask' }),
      'A hook does not let the model be changed.',
    ],
    ['blocks', 'echo no >&2; exit 2', 'no'],
    ['allows', says('PreModelSwitch', { permissionDecision: 'allow' }), null],
    ['says nothing', 'true', null],
  ])('a hook that %s', async (_, run, refused) => {
    const t = await open([], withHooks(hook('PreModelSwitch', `${keeps('in')}; ${run}`)));
    const { model } = t.session.main.state.config();
    const done = await t.session.reconfigure({ model: 'haiku', source: 'command' });
    expect(done.ok ? null : done.error.message).toBe(refused);
    const now = t.session.main.state.config().model;
    if (refused === null) expect(now).toBe('haiku');
    else expect(now).toBe(model);
    expect(await linesOf(t, 'in')).toMatchObject([
      { hook_event_name: 'PreModelSwitch', from_model: model, requested_model: 'haiku' },
    ]);
  });

  it('hears of both models of a choice that depends on the mode, and can refuse either', async () => {
    const deny = says('PreModelSwitch', {
      permissionDecision: 'deny',
      permissionDecisionReason: 'no',
    });
    const run = `${keeps('in')}; tail -n 1 in | grep -q opus-5-5 && ${deny}; true`;
    const t = await open([], withHooks(hook('PreModelSwitch', run)));
    await t.session.reconfigure({ model: 'claude-haiku-5-5' });
    const done = await t.session.reconfigure({ model: 'opusplan', source: 'command' });
    expect(done).toMatchObject({ ok: false, error: { message: 'no' } });
    expect(t.session.main.state.config().model).toBe('claude-haiku-5-5');
    expect(await linesOf(t, 'in')).toMatchObject([
      { to_model: 'claude-haiku-5-5' },
      { to_model: 'claude-sonnet-5-5', requested_model: 'opusplan' },
      { to_model: 'claude-opus-5-5', requested_model: 'opusplan' },
    ]);
  });
});

describe('Elicitation', () => {
  const EVERYTHING = join(
    dirname(
      createRequire(import.meta.url).resolve(
        '@modelcontextprotocol/server-everything/package.json',
      ),
    ),
    'dist/index.js',
  );

  const asked = async (...hooks: readonly HookSetting[]) => {
    const t = await open(
      [reply([toolUse('mcp__all__trigger-elicitation-request', {})]), reply(['Thanks.'])],
      {
        settings: {
          hooks,
          mcpServers: [
            {
              name: 'all',
              command: process.execPath,
              args: [EVERYTHING, 'stdio'],
              env: {},
              alwaysLoad: true,
              file: '.mcp.json',
            },
          ],
          rules: [{ behavior: 'allow', text: 'mcp__all', source: 'userSettings' }],
        },
      },
    );
    await expect.poll(() => t.session.toolServers()[0]?.status).toBe('connected');
    await t.run('ask me');
    return { t, told: JSON.stringify(t.api.requests[1]?.body.messages) };
  };

  it('answers in the place of the user, and what goes to the server is told', async () => {
    const content = { name: 'Ann of Cleves', integer: 7 };
    const { t, told } = await asked(
      hook('Elicitation', `${keeps('in')}; ${says('Elicitation', { action: 'accept', content })}`, {
        matcher: 'all',
      }),
      hook('ElicitationResult', keeps('out')),
    );
    expect(told).toContain('Ann of Cleves');
    expect(await linesOf(t, 'in')).toMatchObject([
      { mcp_server_name: 'all', mode: 'form', requested_schema: { type: 'object' } },
    ]);
    expect(await linesOf(t, 'out')).toMatchObject([{ action: 'accept', content }]);
  });

  it.each([
    ['Elicitation', 'echo no >&2; exit 2'],
    ['ElicitationResult', 'echo no >&2; exit 2'],
    ['ElicitationResult', says('ElicitationResult', { action: 'decline' })],
  ] as const)('a hook at %s gives nothing away: %s', async (event, run) => {
    const content = { name: 'Ann of Cleves', integer: 7 };
    const { told } = await asked(
      hook('Elicitation', says('Elicitation', { action: 'accept', content })),
      hook(event, run),
    );
    expect(told).not.toContain('Ann of Cleves');
    expect(told).toMatch(/declined/i);
  });
});

describe('MessageDisplay and FileChanged', () => {
  it('tell of each text of an answer, and of a file that something else changed', async () => {
    const t = await open(
      [reply([toolUse('Read', { file_path: 'a.txt' })]), reply(['One. ', 'Two.']), reply('Seen.')],
      {
        ...withHooks(
          hook('MessageDisplay', keeps('messages')),
          hook('FileChanged', keeps('changes'), { matcher: 'a.txt' }),
          hook('FileChanged', keeps('others'), { matcher: 'b.txt' }),
        ),
        tools: [createReadTool(), createEditTool()],
      },
    );
    const file = join(t.project, 'a.txt');
    await writeFile(file, 'before');
    await t.run('read it');
    expect(await linesOf(t, 'messages')).toMatchObject([
      { delta: 'One. ', index: 0, final: true, turn_id: expect.stringMatching(/./) },
      { delta: 'Two.', index: 0, final: true },
    ]);
    const changed = ran(t, 'FileChanged');
    await writeFile(file, 'after it');
    await utimes(file, 1, 1);
    await t.run('look again');
    await changed;
    expect(await linesOf(t, 'changes')).toMatchObject([{ file_path: file, event: 'change' }]);
    await expect(readFile(join(t.project, 'others'))).rejects.toThrow();
  });
});

describe('WorktreeCreate and WorktreeRemove', () => {
  const script = () => [
    reply([toolUse('EnterWorktree', { name: 'apart' })]),
    reply([toolUse('ExitWorktree', { action: 'remove' })]),
    reply('Done.'),
  ];

  it('make the folder in the place of git, and remove it again', async () => {
    const t = await open(
      script(),
      withHooks(
        hook('WorktreeCreate', `${keeps('in')}; mkdir ../apart && cd ../apart && pwd`),
        hook('WorktreeRemove', `${keeps('out')}; rmdir ../apart`),
      ),
    );
    const path = join(dirname(t.project), 'apart');
    await t.run('go into a worktree');
    const [entered, left] = t.api.requests
      .slice(1)
      .map(({ body }) => JSON.stringify(body.messages));
    expect(entered).toContain(`The shell is in ${path} now.`);
    expect(left).toContain(`${path} is removed.`);
    expect(await linesOf(t, 'in')).toMatchObject([{ name: 'apart' }]);
    expect(await linesOf(t, 'out')).toMatchObject([{ worktree_path: path }]);
    await expect(stat(path)).rejects.toThrow();
  });

  it('a hook that fails makes none, and what one made stays without another that removes it', async () => {
    const bad = await open(script(), withHooks(hook('WorktreeCreate', 'echo full >&2; exit 2')));
    await bad.run('go into a worktree');
    expect(JSON.stringify(bad.api.requests[1]?.body.messages)).toContain('full');
    const t = await open(
      script(),
      withHooks(hook('WorktreeCreate', 'mkdir kept && cd kept && pwd')),
    );
    await mkdir(t.project, { recursive: true });
    await t.run('go into a worktree');
    expect(JSON.stringify(t.api.requests[2]?.body.messages)).toContain('because a hook made it');
    expect((await stat(join(t.project, 'kept'))).isDirectory()).toBe(true);
  });
});
