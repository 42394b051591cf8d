import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../../../src/main/engine/agents/definitions';
import { decide } from '../../../src/main/engine/permissions/decide';
import { createAgentTool } from '../../../src/main/engine/tools/builtin/agent/agent';
import { createAskUserQuestionTool } from '../../../src/main/engine/tools/builtin/ask-user-question/ask-user-question';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { endOf, ofType, saidIn, sessionsOfFile } from '../query/support';
import { hook, keeps, says } from './support';
import { result, rule, tools, write, writes } from './writes';

const open = sessionsOfFile();
const DEFER = says('PreToolUse', { permissionDecision: 'defer', additionalContext: 'not now' });
/** Puts calls off until there is a file `go`. */
const untilGo = hook('PreToolUse', `${keeps('asked')}; [ -e go ] || ${DEFER}`);
const allowed = { rules: [rule('allow', 'Edit')] };

describe('a call that a hook puts off', () => {
  it('ends the query, is told with its input, and has no result', async () => {
    const t = await writes(open, [hook('PreToolUse', DEFER)], allowed);
    const events = await t.run('go');
    expect(endOf(events)).toMatchObject({
      terminal: 'tool_deferred',
      stopReason: 'tool_deferred',
      denials: [],
      deferred: {
        id: expect.any(String),
        name: 'Write',
        input: { file_path: join(t.project, 'a.txt'), content: 'written' },
      },
    });
    expect(endOf(events).text).toContain('Resume the session');
    expect(ofType(events, 'call_settled')).toEqual([]);
    expect(ofType(events, 'attachment').map(({ text }) => text)).not.toContain('not now');
    expect(t.api.requests).toHaveLength(1);
    const row = t.session.log.transcript().committed.find(({ kind }) => kind === 'call');
    expect(row).toMatchObject({ status: 'cancelled', error: 'A hook deferred this.' });
  });

  it('runs after a restart, hooks first, and the query goes on; it can be deferred again', async () => {
    const t = await writes(open, [untilGo, hook('PostToolBatch', keeps('batch'))], allowed);
    await t.run('go');
    await t.reopen();
    expect(t.session.main.engine.deferred?.name).toBe('Write');
    expect(endOf(await t.run(null)).terminal).toBe('tool_deferred');
    await expect(access(join(t.project, 'a.txt'))).rejects.toThrow();
    await t.reopen();
    await t.touch('go');
    const events = await t.run(null);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'Done.' });
    expect(result(events).status).toBe('done');
    expect(await readFile(join(t.project, 'a.txt'), 'utf8')).toBe('written');
    expect((await readFile(join(t.project, 'asked'), 'utf8')).trim().split('\n')).toHaveLength(3);
    expect(await readFile(join(t.project, 'batch'), 'utf8')).toContain('"tool_name":"Write"');
    expect(t.session.main.engine.deferred).toBeNull();
    const rows = t.session.log.transcript().committed.filter(({ kind }) => kind === 'call');
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  it('comes before what the user says next', async () => {
    const t = await writes(open, [untilGo], allowed);
    await t.run('go');
    await t.touch('go');
    const events = await t.run('and then stop');
    expect(events.map(({ type }) => type).indexOf('call_settled')).toBeLessThan(
      events.map(({ type }) => type).indexOf('user_message'),
    );
    expect(saidIn(t.api, 1)).toContain('and then stop');
    expect(endOf(events).terminal).toBe('completed');
  });

  it('whose tool is gone says so, and stays', async () => {
    const t = await writes(open, [hook('PreToolUse', DEFER)], allowed);
    await t.run('go');
    await t.reopen({ rules: [rule('deny', 'Write')] });
    const end = endOf(await t.run(null));
    expect(end).toMatchObject({
      terminal: 'tool_deferred_unavailable',
      stopReason: 'tool_deferred_unavailable',
      deferred: { name: 'Write' },
    });
    expect(end.text).toContain('no tool named Write');
    await t.reopen({ rules: [rule('allow', 'Edit')] });
    expect(t.session.main.engine.deferred?.name).toBe('Write');
  });

  it('is one call alone: of several none is deferred, and each goes the usual way', async () => {
    const t = await open(
      ({ body: { messages } }) =>
        messages.length === 1
          ? reply([write(join(t.project, 'a.txt')), write(join(t.project, 'b.txt'))])
          : reply('Done.'),
      { tools, decide, settings: { ...allowed, hooks: [hook('PreToolUse', DEFER)] } },
    );
    const events = await t.run('go');
    expect(ofType(events, 'call_settled').map(({ status }) => status)).toEqual(['done', 'done']);
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual(
      Array(2).fill(
        'A hook put a call of Write off. That was not done: the model made several calls at once.',
      ),
    );
  });

  it("goes the usual way when it is a sub-agent's, which nobody could take up again", async () => {
    const task = { description: 'Write', prompt: 'the task', subagent_type: 'general-purpose' };
    const t = await open(
      ({ body: { messages, tools: offered } }) => {
        if (messages.length > 1) return reply('Done.');
        return JSON.stringify(offered).includes('"Agent"')
          ? reply([toolUse('Agent', task)])
          : reply([write(join(t.project, 'a.txt'))]);
      },
      {
        tools: [...tools, createAgentTool(BUILT_IN_AGENTS)],
        decide,
        settings: { ...allowed, hooks: [hook('PreToolUse', DEFER, { matcher: 'Write' })] },
      },
    );
    const events = await t.run('go');
    expect(ofType(events, 'call_settled').map(({ tool, status }) => [tool, status])).toEqual([
      ['Write', 'done'],
      ['Agent', 'done'],
    ]);
    expect(ofType(events, 'notice').map(({ text }) => text)).toEqual([
      'A hook put a call of Write off. That was not done: a sub-agent made it, and it cannot be taken up again later.',
    ]);
    expect(endOf(events).terminal).toBe('completed');
  });

  it('goes the usual way where a user is', async () => {
    const t = await writes(open, [hook('PreToolUse', DEFER)], { ...allowed, attended: true });
    const events = await t.run('go');
    expect(result(events).status).toBe('done');
    expect(ofType(events, 'notice')[0]?.text).toContain('a user is here to decide it');
  });

  it('may be a question, which a hook answers later', async () => {
    const questions = [
      {
        question: 'Which town?',
        header: 'Town',
        options: [{ label: 'Delft' }, { label: 'Gouda' }],
        multiSelect: false,
      },
    ];
    const answered = says('PreToolUse', {
      permissionDecision: 'allow',
      updatedInput: { questions, answers: { 'Which town?': 'Gouda' } },
    });
    const t = await open([reply([toolUse('AskUserQuestion', { questions })]), reply('Done.')], {
      tools: [createAskUserQuestionTool()],
      decide,
      settings: {
        hooks: [hook('PreToolUse', `if [ -e go ]; then ${answered}; else ${DEFER}; fi`)],
      },
    });
    expect(endOf(await t.run('go')).deferred?.input).toEqual({ questions });
    await t.touch('go');
    expect(endOf(await t.run(null)).terminal).toBe('completed');
    expect(saidIn(t.api, 1)).toContain('The user answered:\\n- Which town?\\n  Gouda');
  });
});

it('the model cannot answer its own questions', async () => {
  const questions = [
    {
      question: 'Sure?',
      header: 'Sure',
      options: [{ label: 'Yes' }, { label: 'No' }],
      multiSelect: false,
    },
  ];
  const input = { questions, answers: { 'Sure?': 'Yes' } };
  const t = await open([reply([toolUse('AskUserQuestion', input)]), reply('Done.')], {
    tools: [createAskUserQuestionTool()],
    decide,
  });
  expect(result(await t.run('go')).text).toContain('unknown field: `answers`');
});
