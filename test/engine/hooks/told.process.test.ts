import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createBroker } from '../../../src/main/engine/permissions/broker';
import { decide } from '../../../src/main/engine/permissions/decide';
import type { HookSetting } from '../../../src/shared/hooks';
import { error, reply, toolUse } from '../../support/scripted-api-replies';
import { endOf, ofType, saidIn, sessionsOfFile } from '../query/support';
import { hook, keeps, linesOf, prints, ran, says } from './support';
import { rule, tools, write, writes } from './writes';

const open = sessionsOfFile();
const withHooks = (...hooks: readonly HookSetting[]) => ({ settings: { hooks } });
describe('PermissionDenied', () => {
  const denies = reply(['{"verdict":"deny","reason":"it may do harm"}']);
  const auto = (...hooks: readonly HookSetting[]) =>
    open(
      ({ body }) => {
        if (JSON.stringify(body.system).includes('You guard a user')) return denies;
        return body.messages.length === 1 ? reply([write('/nowhere/x')]) : reply('Then not.');
      },
      { tools, decide, mode: 'auto', createBroker, settings: { hooks } },
    );

  it('is told what the automatic mode refused, and may let the model try again', async () => {
    const t = await auto(
      hook('PermissionDenied', `${keeps('in')}; ${says('PermissionDenied', { retry: true })}`, {
        matcher: 'Write',
        if: 'Edit(//nowhere/**)',
      }),
      hook('PermissionDenied', keeps('other'), { if: 'Edit(//elsewhere/**)' }),
    );
    await t.run('go');
    expect(await linesOf(t, 'in')).toMatchObject([
      {
        tool_name: 'Write',
        tool_input: { file_path: '/nowhere/x' },
        tool_use_id: expect.any(String),
        reason: expect.stringContaining('it may do harm'),
      },
    ]);
    expect(saidIn(t.api, -1)).toContain('may be tried again');
    await expect(access(join(t.project, 'other'))).rejects.toThrow();
  });

  it('is not told of what hooks, rules or the user deny', async () => {
    const told = hook('PermissionDenied', keeps('in'));
    const t = await writes(open, [hook('PreToolUse', 'exit 2'), told]);
    await t.run('go');
    await t.close();
    const ruled = await writes(open, [told], { rules: [rule('deny', 'Edit')] });
    expect(ofType(await ruled.run('go'), 'hook_settled')).toEqual([]);
  });
});

describe('PostToolBatch', () => {
  const two = ({ body }: { body: { messages: readonly unknown[] } }) =>
    body.messages.length === 1
      ? reply([toolUse('Read', { file_path: 'a' }), toolUse('Read', { file_path: 'b' })])
      : reply('Done.');

  it('is told all calls of a response once, with what the model reads', async () => {
    const t = await open(
      two,
      withHooks(
        hook(
          'PostToolBatch',
          `${keeps('in')}; ${says('PostToolBatch', { additionalContext: 'Both are ledgers.' })}`,
          { matcher: 'Bash' },
        ),
      ),
    );
    await t.touch('a');
    expect(endOf(await t.run('go')).terminal).toBe('completed');
    const told = await linesOf(t, 'in');
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ hook_event_name: 'PostToolBatch', permission_mode: 'default' });
    expect(told[0].tool_calls).toMatchObject([
      { tool_name: 'Read', tool_input: { file_path: join(t.project, 'a') } },
      { tool_name: 'Read', tool_response: expect.stringContaining('tool_use_error') },
    ]);
    expect(saidIn(t.api, 1)).toContain('Both are ledgers.');
  });

  it.each([
    ['exit code 2', 'echo enough >&2; exit 2'],
    ['a block', prints({ decision: 'block', reason: 'enough' })],
    ['continue: false', prints({ continue: false, stopReason: 'enough' })],
  ])(
    'ends the query before the next request by %s; the model reads why when it goes on',
    async (_, run) => {
      const t = await open(two, withHooks(hook('PostToolBatch', run)));
      expect(endOf(await t.run('go'))).toMatchObject({ terminal: 'hook_stopped', text: 'enough' });
      expect(t.api.requests).toHaveLength(1);
      await t.run('go on');
      expect(saidIn(t.api, 1)).toContain('enough');
    },
  );
});

describe('StopFailure', () => {
  it.each([
    [401, 'authentication_failed'],
    [400, 'invalid_request'],
    [404, 'model_not_found'],
  ])(
    'is told instead of Stop that the API answered %i; nothing it says counts',
    async (status, kind) => {
      const t = await open(
        () => error(status, 'so it is'),
        withHooks(
          hook('StopFailure', `${keeps('in')}; ${prints({ continue: false })}; exit 2`, {
            matcher: `rate_limit|${kind}`,
          }),
          hook('StopFailure', keeps('other'), { matcher: 'overloaded' }),
          hook('Stop', keeps('other')),
        ),
      );
      const end = endOf(await t.run('go'));
      expect(end.terminal).toBe('model_error');
      expect(await linesOf(t, 'in')).toMatchObject([
        { error: kind, error_details: expect.any(String), last_assistant_message: end.text },
      ]);
      await expect(access(join(t.project, 'other'))).rejects.toThrow();
    },
  );
});

describe('Notification', () => {
  const listens = hook('Notification', keeps('in'));

  it('is told after six seconds that a question stands, unless it was answered', async () => {
    const t = await writes(open, [listens], { attended: true });
    const waits = async (seconds: number) => {
      const asked = new Promise<string>((resolve) => {
        t.session.log.listen(({ event }) => {
          if (event.type === 'approval_requested') resolve(event.approval.id);
        });
      });
      const running = t.run('go');
      const id = await asked;
      await t.clock.advance(seconds * 1_000);
      await t.session.broker?.answer(id, { behavior: 'deny' });
      await running;
    };
    await waits(5.9);
    await expect(access(join(t.project, 'in'))).rejects.toThrow();
    await t.close();
    const other = await writes(open, [listens], { attended: true });
    const told = ran(other, 'Notification');
    other.session.log.listen(({ event }) => {
      if (event.type === 'approval_requested') void other.clock.advance(6_000);
    });
    void other.run('go');
    expect(await told).toMatchObject({ subject: 'permission_prompt', outcome: 'done' });
    expect(await linesOf(other, 'in')).toMatchObject([
      {
        notification_type: 'permission_prompt',
        message: 'Lathe needs your permission to use Write',
        title: 'Lathe needs you',
      },
    ]);
    other.session.broker?.denyAll();
  });

  it('is told after a minute that Lathe waits, unless something was asked of it', async () => {
    const t = await open(() => reply('Fine.'), { ...withHooks(listens), createBroker });
    await t.run('one');
    await t.clock.advance(59_000);
    await t.run('two');
    await t.clock.advance(59_000);
    expect(t.session.log.transcript().hooks).toEqual([]);
    const told = ran(t, 'Notification');
    await t.clock.advance(1_000);
    expect(await told).toMatchObject({ subject: 'idle_prompt' });
  });

  it('of waiting is for people only', async () => {
    const t = await open(() => reply('Fine.'), withHooks(listens));
    await t.run('one');
    expect(t.clock.sleepers()).toBe(0);
  });
});

describe('a hook that nobody waits for', () => {
  it('can wake the model with what it found', async () => {
    const run = 'while [ ! -e go ]; do sleep 0.01; done; echo "The build is red." >&2; exit 2';
    const t = await open(
      () => reply('Fine.'),
      withHooks(hook('UserPromptSubmit', run, { async: true, asyncRewake: true })),
    );
    await t.run('one');
    expect(t.session.hasNews()).toBe(false);
    const woken = new Promise<void>((resolve) => {
      t.session.onNews(resolve);
    });
    await t.touch('go');
    await woken;
    expect(t.session.hasNews()).toBe(true);
    await t.run(null);
    expect(saidIn(t.api, 1)).toContain('The build is red.');
    expect(t.session.hasNews()).toBe(false);
  });

  it('has as long as it likes', async () => {
    const t = await open(
      () => reply('Fine.'),
      withHooks(
        hook('UserPromptSubmit', 'while [ ! -e go ]; do sleep 0.01; done; echo late', {
          async: true,
          timeoutMs: 1_000,
        }),
      ),
    );
    const told = ran(t, 'UserPromptSubmit');
    await t.run('one');
    await t.clock.advance(3_600_000);
    await t.touch('go');
    expect(await told).toMatchObject({ outcome: 'done', stdout: 'late\n' });
  });
});
