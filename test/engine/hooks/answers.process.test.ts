import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HEAD_START_MS } from '../../../src/main/engine/tools/middleware/hook-answers';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { endOf, ofType, saidIn, sessionsOfFile } from '../query/support';
import { hook, keeps, prints, says } from './support';
import { result, rule, tools, writes } from './writes';

const open = sessionsOfFile();

describe('PermissionRequest', () => {
  const answers = (decision: object) =>
    hook('PermissionRequest', says('PermissionRequest', { decision }));

  it('answers in the user’s place, also where none is', async () => {
    const t = await writes(open, [answers({ behavior: 'allow' })]);
    expect(result(await t.run('go')).status).toBe('done');
  });

  it('does not answer for the user where a rule asks', async () => {
    const t = await writes(open, [answers({ behavior: 'allow' })], {
      rules: [rule('ask', 'Edit')],
    });
    expect(result(await t.run('go')).status).toBe('denied');
  });

  it('denies with a message, and ends the query with interrupt', async () => {
    const t = await writes(open, [
      answers({ behavior: 'deny', message: 'never', interrupt: true }),
    ]);
    const events = await t.run('go');
    expect(result(events).text).toContain('A hook of the user denied this: never');
    expect(endOf(events)).toMatchObject({ terminal: 'hook_stopped', text: 'never' });
  });

  it('is not asked where nothing asks, and exit code 2 decides nothing', async () => {
    const t = await writes(open, [hook('PermissionRequest', 'exit 2')], {
      rules: [rule('allow', 'Edit')],
    });
    expect(ofType(await t.run('go'), 'hook_settled')).toEqual([]);
    await t.close();
    const asks = await writes(open, [hook('PermissionRequest', 'echo no >&2; exit 2')]);
    const events = await asks.run('go');
    expect(ofType(events, 'hook_settled')[0]?.report.outcome).toBe('failed');
    expect(result(events).text).toContain('nobody can be asked');
  });
});

describe('after a call', () => {
  it('PostToolUse is told the result, and the model what it complains about', async () => {
    const t = await writes(
      open,
      [
        hook('PostToolUse', `${keeps('in.json')}; echo "lint: line 3" >&2; exit 2`),
        hook('PostToolUseFailure', 'exit 2'),
      ],
      { rules: [rule('allow', 'Edit')] },
    );
    const events = await t.run('go');
    const input = JSON.parse(await readFile(join(t.project, 'in.json'), 'utf8'));
    expect(input).toMatchObject({
      hook_event_name: 'PostToolUse',
      tool_name: 'Write',
      tool_response: { success: true, filePath: join(t.project, 'a.txt') },
      duration_ms: expect.any(Number),
    });
    expect(saidIn(t.api, 1)).toContain('lint: line 3');
    expect(result(events).status).toBe('done');
    expect(endOf(events).terminal).toBe('completed');
  });

  it('changes to files made by a hook come before the next call on them', async () => {
    const t = await open(
      ({ body: { messages } }) => {
        if (messages.length > 1) return reply('Done.');
        const file_path = join(t.project, 'a.txt');
        return reply([
          toolUse('Read', { file_path }),
          toolUse('Edit', { file_path, old_string: 'one', new_string: 'two' }),
        ]);
      },
      {
        tools,
        settings: {
          hooks: [hook('PostToolUse', 'cp a.txt seen.txt; touch done', { matcher: 'Edit' })],
        },
      },
    );
    await writeFile(join(t.project, 'a.txt'), 'one\n');
    await t.run('go');
    expect(await readFile(join(t.project, 'seen.txt'), 'utf8')).toBe('two\n');
  });

  it('PostToolUseFailure is told the error, and can end the query', async () => {
    const t = await open([reply([toolUse('Read', { file_path: '/nowhere/x' })]), reply('Done.')], {
      tools,
      settings: {
        hooks: [
          hook(
            'PostToolUseFailure',
            `${keeps('in.json')}; ${prints({ continue: false, stopReason: 'give up' })}`,
          ),
          hook('PostToolUse', 'exit 2'),
        ],
      },
    });
    const events = await t.run('go');
    expect(endOf(events)).toMatchObject({ terminal: 'hook_stopped', text: 'give up' });
    const input = JSON.parse(await readFile(join(t.project, 'in.json'), 'utf8'));
    expect(input).toMatchObject({ tool_name: 'Read', is_interrupt: false });
    expect(input.error).toContain('/nowhere/x');
  });
});

describe('PermissionRequest beside the user', () => {
  const waits = (decision: object) =>
    hook(
      'PermissionRequest',
      `touch asked; while [ ! -e go ]; do sleep 0.01; done; ${says('PermissionRequest', { decision })}`,
    );
  /** A query whose hook takes longer than its head start; resolves when the dialog stands. */
  async function dialog(decision: object) {
    const t = await writes(open, [waits(decision)], { attended: true });
    const shown = new Promise<{ id: string; digest: string }>((resolve) => {
      t.session.log.listen(({ event }) => {
        if (event.type === 'approval_requested') resolve(event.approval);
      });
    });
    const running = t.run('go');
    while (t.clock.sleepers() < 2) await new Promise((resolve) => setImmediate(resolve));
    await t.clock.advance(HEAD_START_MS);
    return { t, running, approval: await shown };
  }

  it('the user need not wait for a slow hook, which ends when they answer', async () => {
    const { t, running, approval } = await dialog({ behavior: 'deny' });
    await t.session.broker?.answer(approval.id, { behavior: 'allow', digest: approval.digest });
    const events = await running;
    expect(result(events).status).toBe('done');
    expect(ofType(events, 'hook_settled')[0]?.report.outcome).toBe('cancelled');
  });

  it('a hook that answers takes the question away', async () => {
    const { t, running } = await dialog({ behavior: 'allow' });
    await t.touch('go');
    const events = await running;
    expect(result(events).status).toBe('done');
    expect(ofType(events, 'approval_withdrawn')).toHaveLength(1);
    expect(t.session.log.transcript().approvals).toEqual([]);
  });

  it('one that leaves it to the user leaves the question', async () => {
    const { t, running, approval } = await dialog({});
    await t.touch('go');
    await new Promise<void>((resolve) => {
      t.session.log.listen(({ event }) => {
        if (event.type === 'hook_settled') resolve();
      });
    });
    expect(t.session.log.transcript().approvals).toHaveLength(1);
    await t.session.broker?.answer(approval.id, { behavior: 'deny' });
    expect(result(await running).status).toBe('denied');
  });

  it('a quick answer shows no question at all', async () => {
    const run = says('PermissionRequest', { decision: { behavior: 'allow' } });
    const t = await writes(open, [hook('PermissionRequest', run)], { attended: true });
    const events = await t.run('go');
    expect(result(events).status).toBe('done');
    expect(ofType(events, 'approval_requested')).toEqual([]);
  });
});
