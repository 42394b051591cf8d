import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createTodoWriteTool } from '../../../src/main/engine/tools/builtin/todo-write/todo-write';
import type { PermissionRule } from '../../../src/shared/permission';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { endOf, ofType, saidIn, sessionsOfFile } from '../query/support';
import { hook, keeps, prints, says } from './support';
import { result, rule, tools, write, writes } from './writes';

const open = sessionsOfFile();
const allows = says('PreToolUse', { permissionDecision: 'allow' });

describe('PreToolUse', () => {
  it('is told exactly what the ecosystem tells its hooks', async () => {
    const t = await writes(open, [hook('PreToolUse', keeps('in.json'))], {
      rules: [rule('allow', 'Edit')],
    });
    const events = await t.run('go');
    const input = JSON.parse(await readFile(join(t.project, 'in.json'), 'utf8'));
    const [prompt] = ofType(events, 'user_message');
    expect(input).toEqual({
      session_id: t.session.log.sessionId,
      prompt_id: prompt?.id,
      transcript_path: expect.stringMatching(/\.jsonl$/),
      cwd: t.project,
      permission_mode: 'default',
      effort: { level: 'high' },
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: join(t.project, 'a.txt'), content: 'written' },
      tool_use_id: ofType(events, 'call_settled')[0]?.callId,
    });
    expect(result(events).status).toBe('done');
  });

  it.each(['Bsh(rm *)', '(', 'Wrte*'])(
    'blocks where its condition names no tool: %s',
    async (text) => {
      const guard = hook('PreToolUse', 'exit 2', { if: text });
      const t = await writes(open, [guard], { rules: [rule('allow', 'Edit')] });
      expect(result(await t.run('go'))).toMatchObject({ status: 'denied' });
    },
  );

  it.each([true, false])(
    'allows and changes nothing where it runs for more than was meant: %s',
    async (widened) => {
      const eager = hook('PreToolUse', allows, { widened });
      const t = await writes(open, [eager], {});
      const events = await t.run('go');
      expect(result(events).status).toBe(widened ? 'denied' : 'done');
      const [settled] = ofType(events, 'hook_settled');
      expect(settled?.report.note).toMatch(widened ? /does not count until/ : /^allowed it/);
    },
  );

  it.each([
    ['exit code 2', 'echo "not on a Friday" >&2; exit 2'],
    [
      'a denial',
      says('PreToolUse', {
        permissionDecision: 'deny',
        permissionDecisionReason: 'not on a Friday',
      }),
    ],
    ['the older block', prints({ decision: 'block', reason: 'not on a Friday' })],
  ])('blocks by %s, whatever the rules allow', async (_, run) => {
    const t = await writes(open, [hook('PreToolUse', run)], { rules: [rule('allow', 'Edit')] });
    const events = await t.run('go');
    expect(result(events)).toMatchObject({ status: 'denied' });
    expect(saidIn(t.api, 1)).toContain('not on a Friday');
    expect(endOf(events)).toMatchObject({ terminal: 'completed', denials: [{ tool: 'Write' }] });
    await expect(readFile(join(t.project, 'a.txt'))).rejects.toThrow();
    expect(ofType(events, 'hook_settled')[0]?.report).toMatchObject({
      event: 'PreToolUse',
      subject: 'Write',
      outcome: 'blocked',
      note: expect.stringContaining('not on a Friday'),
    });
  });

  it('that fails or is for another tool stops nothing', async () => {
    const hooks = [
      hook('PreToolUse', 'exit 1'),
      hook('PreToolUse', 'no-such-command'),
      hook('PreToolUse', 'exit 2', { matcher: 'Bash|Read' }),
      hook('PreToolUse', 'exit 2', { if: 'Edit(*.md)' }),
      hook('PreToolUse', 'exit 2', { off: 'this folder is not trusted' }),
      hook('PreToolUse', '{', { args: [] }),
    ];
    const t = await writes(open, hooks, { rules: [rule('allow', 'Edit')] });
    const events = await t.run('go');
    expect(result(events).status).toBe('done');
    const reports = ofType(events, 'hook_settled').map(({ report }) => report);
    expect(reports.map(({ outcome, exitCode }) => `${outcome} ${exitCode}`)).toEqual([
      'failed 1',
      'failed 127',
      'failed null',
    ]);
  });

  it('runs for the calls its condition covers', async () => {
    const t = await writes(open, [
      hook('PreToolUse', 'exit 2', { if: 'Edit(a.*)', matcher: 'Write' }),
    ]);
    expect(result(await t.run('go')).status).toBe('denied');
  });

  it('spares the user a question, but not past deny rules, ask rules and safety checks', async () => {
    const settled = async (rules: readonly PermissionRule[], file = 'a.txt') => {
      const t = await open(
        ({ body: { messages } }) =>
          messages.length === 1 ? reply([write(join(t.project, file))]) : reply('Done.'),
        { tools, decide, settings: { hooks: [hook('PreToolUse', allows)], rules } },
      );
      const { status } = result(await t.run('go'));
      await t.close();
      return status;
    };
    expect(await settled([])).toBe('done');
    expect(await settled([rule('deny', 'Edit(a.txt)')])).toBe('denied');
    expect(await settled([rule('ask', 'Edit(a.txt)')])).toBe('denied');
    expect(await settled([], '.git/config')).toBe('denied');
  });

  it('can make a call ask that would simply run', async () => {
    const run = says('PreToolUse', {
      permissionDecision: 'ask',
      permissionDecisionReason: 'look twice',
    });
    const t = await writes(open, [hook('PreToolUse', run)], {
      rules: [rule('allow', 'Edit')],
      attended: true,
    });
    const reasons: string[] = [];
    t.session.log.listen(({ event }) => {
      if (event.type !== 'approval_requested') return;
      const { id, decision, digest } = event.approval;
      reasons.push(decision.reason);
      queueMicrotask(() => t.session.broker?.answer(id, { behavior: 'allow', digest }));
    });
    expect(result(await t.run('go')).status).toBe('done');
    expect(reasons).toEqual(['a hook wants it to be asked: look twice']);
  });

  it('changes the whole input; it is checked and decided anew', async () => {
    const changing = (input: object) =>
      hook('PreToolUse', says('PreToolUse', { updatedInput: input }));
    const t = await writes(open, [changing({ file_path: '/nowhere/x', content: 5 })]);
    const bad = result(await t.run('go'));
    expect(bad.status).toBe('denied');
    expect(bad.text).toContain('`content` must be string');
    await t.close();

    const other = await open(
      ({ body: { messages } }) =>
        messages.length === 1 ? reply([write(join(other.project, 'a.txt'))]) : reply('Done.'),
      {
        tools,
        decide,
        settings: {
          rules: [rule('allow', 'Edit'), rule('deny', 'Edit(secret.txt)')],
          hooks: [
            hook(
              'PreToolUse',
              `sed -n 's/a\\.txt/secret.txt/; s/.*"tool_input":\\({[^}]*}\\).*/{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":\\1}}/p'`,
            ),
          ],
        },
      },
    );
    const denied = result(await other.run('go'));
    expect(denied.text).toContain('secret.txt');
    expect(denied.status).toBe('denied');
  });

  it('runs the input it put in place, and the title follows', async () => {
    const t = await open(
      ({ body: { messages } }) =>
        messages.length === 1 ? reply([write(join(t.project, 'a.txt'))]) : reply('Done.'),
      {
        tools,
        settings: {
          hooks: [
            hook(
              'PreToolUse',
              `sed 's/a\\.txt/b.txt/; s/.*"tool_input":\\({[^}]*}\\).*/{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":\\1}}/'`,
            ),
          ],
        },
      },
    );
    const events = await t.run('go');
    expect(await readFile(join(t.project, 'b.txt'), 'utf8')).toBe('written');
    expect(ofType(events, 'call_settled')[0]?.title.target).toBe('b.txt');
    // What goes back to the API stays as the model wrote it.
    expect(saidIn(t.api, 1)).toContain('a.txt');
  });

  it('ends the query when it says so', async () => {
    const t = await writes(open, [
      hook('PreToolUse', prints({ continue: false, stopReason: 'enough' })),
    ]);
    const events = await t.run('go');
    expect(endOf(events)).toMatchObject({ terminal: 'hook_stopped', text: 'enough' });
    expect(result(events).status).toBe('denied');
    expect(t.api.requests).toHaveLength(1);
  });

  it('several run at once, each command once, and are told in the order of the settings', async () => {
    const slow = 'while [ ! -e go ]; do sleep 0.01; done; echo slow';
    const t = await writes(
      open,
      [
        hook('PreToolUse', slow),
        hook('PreToolUse', 'touch go; echo quick'),
        hook('PreToolUse', slow, { matcher: 'Write', file: 'other.json' }),
        hook('PreToolUse', 'echo exec', { args: [] }),
      ],
      { rules: [rule('allow', 'Edit')] },
    );
    const reports = ofType(await t.run('go'), 'hook_settled').map(({ report }) => report);
    expect(reports.map(({ stdout }) => stdout)).toEqual(['slow\n', 'quick\n', '']);
    expect(reports[2]).toMatchObject({ outcome: 'failed', run: 'echo exec' });
  });
});

describe('steps of the todo list', () => {
  const todo = (content: string, status: string) => ({ content, status, activeForm: content });
  const list = (...todos: readonly object[]) => reply([toolUse('TodoWrite', { todos })]);

  it.each([
    ['TaskCreated', [list(todo('Plan', 'pending'))], 'does not let “Plan” be added: Not now.'],
    [
      'TaskCompleted',
      [list(todo('Plan', 'in_progress')), list(todo('Plan', 'completed'))],
      'does not let “Plan” be marked as done: Not now.',
    ],
  ] as const)('stay out or open where a command at %s exits with 2', async (event, lists, told) => {
    const t = await open([...lists, reply('Then not.')], {
      tools: [createTodoWriteTool()],
      settings: { hooks: [hook(event, 'echo "Not now." >&2; exit 2')] },
    });
    const events = await t.run('go');
    expect(ofType(events, 'call_settled').at(-1)).toMatchObject({ isError: true });
    expect(saidIn(t.api, -1)).toContain(told);
    expect(ofType(events, 'hook_settled')[0]?.report.outcome).toBe('blocked');
  });
});
