import { afterEach, describe, expect, it } from 'vitest';
import { createBroker } from '../../../src/main/engine/permissions/broker';
import { createSessionRuntime } from '../../../src/main/engine/session/session-runtime';
import { listSessions } from '../../../src/main/engine/sessions/list';
import { createBuiltinTools } from '../../../src/main/engine/tools/builtin/all';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { pastedText } from '../../../src/shared/paste';
import { ok } from '../../../src/shared/result';
import type { Script } from '../../support/scripted-api';
import { hold, reply, text } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';
import { startTestTerminals } from '../../support/terminal-client';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function start(script: Script, options: TestSessionOptions = {}): Promise<TestSession> {
  const terminals = await startTestTerminals();
  cleanups.push(() => terminals.stop());
  const t = await openTestSession(script, {
    tools: createBuiltinTools(),
    terminals: terminals.client,
    attended: true,
    createBroker,
    ...options,
  });
  cleanups.push(() => t.close());
  return t;
}

async function submit(t: TestSession, prompt: string): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const { event } of t.session.submit(prompt)) events.push(event);
  return events;
}

const ended = (t: TestSession): Promise<void> =>
  new Promise((resolve) => {
    const stop = t.session.log.listen(({ event }) => {
      if (event.type !== 'query_finished') return;
      stop();
      resolve();
    });
  });

const listed = async (t: TestSession): Promise<readonly string[]> => {
  await t.session.log.flush();
  const sessions = await listSessions(t.services.files, t.latheHome, t.project);
  return sessions.map(({ title }) => title);
};

describe('a shell line', () => {
  it('runs at once, asks nobody and no model, and the model knows it at its next turn', async () => {
    const t = await start([reply('I saw it.')], { decision: 'deny' });
    const events = await submit(t, '!echo from-the-shell');
    expect(t.api.requests).toHaveLength(0);
    expect(events.at(-1)).toMatchObject({
      type: 'query_finished',
      terminal: 'completed',
      turns: 0,
    });
    const { committed, title } = t.session.log.transcript();
    expect(committed).toMatchObject([
      { kind: 'prompt', text: '!echo from-the-shell' },
      { kind: 'call', tool: 'Bash', status: 'done', view: { kind: 'shell', exitCode: 0 } },
      { kind: 'end' },
    ]);
    expect(title).toBe('');
    expect(await listed(t)).toEqual(['!echo from-the-shell']);
    await submit(t, 'what did I run?');
    expect(t.session.log.transcript().title).toBe('what did I run?');
    expect(await listed(t)).toEqual(['what did I run?']);
    const said = JSON.stringify(t.api.requests[0]?.body.messages);
    expect(said).toContain('!echo from-the-shell');
    expect(said).toContain('from-the-shell');
    expect(t.api.refusals).toEqual([]);
  });

  it('is stopped like anything else, and stays valid history', async () => {
    const t = await start([reply('fine')]);
    for await (const { event } of t.session.submit('!sleep 60')) {
      if (event.type === 'call_changed' && event.status === 'running')
        t.session.main.engine.interrupt();
    }
    expect(t.session.log.transcript().committed.at(-1)).toMatchObject({
      terminal: 'aborted_tools',
    });
    await submit(t, 'go on');
    expect(t.api.refusals).toEqual([]);
  });

  it('needs no tool of the agent, which may be a coordinator', async () => {
    const t = await start([], { prompts: { coordinator: true } });
    await submit(t, '!echo hi');
    expect(t.session.log.transcript().committed[1]).toMatchObject({ tool: 'Bash', status: 'done' });
  });

  it('is only words where nobody types', async () => {
    const t = await start([reply('no')], { attended: false, createBroker: null });
    await submit(t, '!echo x');
    expect(t.api.requests).toHaveLength(1);
  });
});

describe('commands', () => {
  it('change the model without asking it, and say what is wrong', async () => {
    const t = await start([]);
    expect((await submit(t, '/model claude-haiku-5-5')).at(-1)).toMatchObject({
      text: 'Model: claude-haiku-5-5.',
    });
    expect(t.session.main.state.config().model).toBe('claude-haiku-5-5');
    expect((await submit(t, '/effort enormous')).at(-1)).toMatchObject({
      terminal: 'model_error',
      text: '"enormous" is no effort. Use low, medium, high, xhigh, max.',
    });
    expect(t.session.commands.map(({ name }) => name)).toEqual([
      'add-dir',
      'compact',
      'context',
      'cost',
      'effort',
      'model',
      'redo',
      'remember',
      'undo',
    ]);
  });
});

describe('a text that begins like a command and is none', () => {
  it.each([
    ['/modle opus', 'There is no command /modle, so nothing was sent. Did you mean /model?'],
    ['/frobnicate', 'There is no command /frobnicate, so nothing was sent. A word in front'],
  ])('%s is told, and nothing is sent', async (text, told) => {
    const t = await start([]);
    expect(await t.session.refusal(text)).toMatchObject({ code: 'no_command' });
    expect((await submit(t, text)).at(-1)).toMatchObject({
      terminal: 'model_error',
      text: expect.stringContaining(told),
    });
    expect(t.api.requests).toEqual([]);
  });

  it.each(['/etc/hosts: what is it?', '/tmp fills up', '/', '/* a comment */', '/1 more'])(
    '%s is a prompt',
    async (text) => {
      const t = await start([reply('yes')]);
      await submit(t, text);
      expect(t.api.requests).toHaveLength(1);
    },
  );
});

describe('blocks of a prompt', () => {
  const image = {
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: 'image/png', data: 'iVBORw0KGgo=' },
  };

  it('go through the queue, and the conversation shows them as chips', async () => {
    const gate = Promise.withResolvers<void>();
    const t = await start([reply([text('a'), hold(gate.promise)]), reply('b')]);
    const runtime = createSessionRuntime({ session: t.session, prepare: async () => ok(null) });
    await runtime.submit('begin', undefined);
    await new Promise<void>((resolve) => {
      const stop = t.session.log.listen(({ event }) => {
        if (event.type !== 'block_delta') return;
        stop();
        resolve();
      });
    });
    const long = pastedText('line\n'.repeat(30));
    await runtime.submit('look at these', undefined, [image, { type: 'text', text: long }]);
    const [queued] = t.session.log.transcript().queue;
    const blocks = [image, { type: 'text' as const, text: long }];
    const taken = runtime.takeBack(queued?.id ?? '');
    expect(taken).toEqual(ok({ text: 'look at these', blocks }));
    expect(t.session.log.transcript().queue).toEqual([]);
    await runtime.submit('look at these', undefined, blocks);
    const end = ended(t);
    gate.resolve();
    await end;
    const prompts = t.session.log.transcript().committed.filter(({ kind }) => kind === 'prompt');
    expect(prompts.at(-1)).toMatchObject({
      text: 'look at these',
      images: 1,
      pastes: [{ lines: 31 }],
    });
    const last = JSON.stringify(t.api.requests.at(-1)?.body.messages.at(-1)?.content);
    expect(last).toContain('"type":"image"');
    expect(last).toContain('pasted-text');
  });

  it('a command typed while the model works waits for its end', async () => {
    const gate = Promise.withResolvers<void>();
    const t = await start([reply([text('a'), hold(gate.promise)])]);
    const runtime = createSessionRuntime({ session: t.session, prepare: async () => ok(null) });
    await runtime.submit('begin', undefined);
    await runtime.submit('!echo later', 'now');
    expect(t.session.log.transcript().queue).toMatchObject([
      { text: '!echo later', priority: 'later' },
    ]);
    const first = ended(t);
    gate.resolve();
    await first;
    await ended(t);
    expect(
      t.session.log.transcript().committed.findLast(({ kind }) => kind === 'call'),
    ).toMatchObject({
      tool: 'Bash',
      status: 'done',
    });
    expect(t.api.requests).toHaveLength(1);
    await runtime.close({ keepTasks: false });
  });

  it('what waits is moved and edited without becoming words for the model', async () => {
    const gate = Promise.withResolvers<void>();
    const t = await start([reply([text('a'), hold(gate.promise)])]);
    const runtime = createSessionRuntime({ session: t.session, prepare: async () => ok(null) });
    const queue = () => t.session.log.transcript().queue.map((q) => [q.text, q.priority]);
    await runtime.submit('begin', undefined);
    await runtime.submit('!echo one', undefined);
    await runtime.submit('first words', undefined);
    const [words, line] = t.session.log.transcript().queue.map(({ id }) => id);
    await runtime.changeQueued(line ?? '', { priority: 'now' });
    expect(queue()).toEqual([
      ['first words', 'next'],
      ['!echo one', 'later'],
    ]);
    await runtime.changeQueued(words ?? '', { text: '!echo two', priority: 'next' });
    expect(queue().map(([, priority]) => priority)).toEqual(['later', 'later']);
    expect(await runtime.changeQueued('gone', { priority: 'now' })).toMatchObject({ ok: false });
    const end = ended(t);
    gate.resolve();
    await end;
    await ended(t);
    await ended(t);
    const lines = t.session.log.transcript().committed.filter(({ kind }) => kind === 'call');
    expect(lines).toMatchObject([{ status: 'done' }, { status: 'done' }]);
    expect(t.api.requests).toHaveLength(1);
    await runtime.close({ keepTasks: false });
  });
});
