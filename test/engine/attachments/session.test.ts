import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createEditTool } from '../../../src/main/engine/tools/builtin/edit/edit';
import { createReadTool } from '../../../src/main/engine/tools/builtin/read/read';
import { createTodoWriteTool } from '../../../src/main/engine/tools/builtin/todo-write/todo-write';
import type { AgentEvent } from '../../../src/shared/agent-event';
import { TINY_IMAGES } from '../../support/images';
import type { Script } from '../../support/scripted-api';
import type { WireRequest } from '../../support/scripted-api-check';
import { reply, thinking, toolUse } from '../../support/scripted-api-replies';
import { openTestSession, type TestSession, type TestSessionOptions } from '../../support/session';

let open: TestSession | null = null;
afterEach(async () => {
  expect(open?.api.refusals ?? []).toEqual([]);
  await open?.close();
  open = null;
});

const start = async (script: Script, options: TestSessionOptions = {}): Promise<TestSession> => {
  open = await openTestSession(script, {
    tools: [createReadTool(), createEditTool(), createTodoWriteTool()],
    ...options,
  });
  return open;
};
const kindsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'attachment' ? [event.kind] : []));

/** Returns what stands before an answer, block by block, cache marks left out. */
const blocksOf = ({ messages }: WireRequest): string[] =>
  messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((block) =>
      JSON.stringify([role, { ...block, cache_control: undefined }]),
    ),
  );
const settingOf = ({ system, tools }: WireRequest) =>
  JSON.stringify([system, tools]).replaceAll(/,"cache_control":\{[^}]*\}/g, '');

/** Each request begins with all of the one before: nothing that was sent ever changes. */
const expectGrowing = (t: TestSession): void => {
  const bodies = t.api.requests.map((request) => request.body);
  for (const [i, body] of bodies.entries()) {
    const before = bodies[i - 1];
    if (before === undefined) continue;
    expect(settingOf(body)).toBe(settingOf(before));
    expect(blocksOf(body).slice(0, blocksOf(before).length)).toEqual(blocksOf(before));
  }
};
const lastBody = (t: TestSession): string => JSON.stringify(t.api.requests.at(-1)?.body.messages);
const count = (text: string, part: string): number => text.split(part).length - 1;

describe('attachments of a session', () => {
  it('never change what was sent before, whatever happens around them', async () => {
    const t = await start((_request, number) => {
      const sub = join(t.project, 'pkg', 'a.ts');
      const todos = [{ content: 'x', status: 'pending', activeForm: 'x' }];
      switch (number) {
        case 0:
          return reply([thinking('one'), toolUse('Read', { file_path: sub })]);
        case 1:
          return reply([thinking('two'), toolUse('TodoWrite', { todos })]);
        case 2:
          return reply([thinking('three'), 'first answer']);
        default:
          return number % 2 === 1
            ? reply([thinking(`t${number}`), toolUse('Read', { file_path: sub })])
            : reply([thinking(`t${number}`), `answer ${number}`]);
      }
    });
    await mkdir(join(t.project, 'pkg'));
    await writeFile(join(t.project, 'pkg', 'CLAUDE.md'), 'Use tabs here.');
    await writeFile(join(t.project, 'pkg', 'a.ts'), 'one\n');
    await writeFile(join(t.project, 'b.ts'), 'b\n');
    const kinds: string[] = kindsOf(await t.run('look at @b.ts'));
    for (const mode of ['plan', 'plan', 'plan', 'acceptEdits', 'dontAsk', 'default'] as const) {
      t.session.main.engine.configure({ mode });
      await writeFile(join(t.project, 'pkg', 'a.ts'), `${mode} ${kinds.length}\n`);
      let queued = false;
      for await (const { event } of t.session.main.engine.submit(`now in ${mode}`)) {
        if (event.type === 'attachment') kinds.push(event.kind);
        if (event.type === 'message_finished' && !queued) {
          queued = true;
          t.session.main.engine.enqueue(`also ${mode} @b.ts`, 'next');
        }
      }
    }
    expect(new Set(kinds)).toEqual(
      new Set([
        'mention',
        'nested_memory',
        'changed_file',
        'mode',
        'queued_prompt',
        'todo_reminder',
      ]),
    );
    expect(t.api.requests.length).toBeGreaterThan(12);
    expectGrowing(t);
    expect(count(lastBody(t), 'Use tabs here.')).toBe(1);
  });

  it('tell a mentioned image and file once, behind the words that mention them', async () => {
    const png = TINY_IMAGES['image/png'];
    const t = await start(() => reply('seen'));
    await writeFile(join(t.project, 'shot.png'), png);
    await writeFile(join(t.project, 'a.ts'), 'const a = 1;\n');
    expect(kindsOf(await t.run('compare @shot.png with @a.ts'))).toEqual(['mention', 'mention']);
    expect(kindsOf(await t.run('and now?'))).toEqual([]);
    const body = lastBody(t);
    expect(count(body, png.toString('base64'))).toBe(1);
    expect(count(body, 'const a = 1;')).toBe(1);
    expect(body.indexOf('compare @shot.png')).toBeLessThan(body.indexOf('const a = 1;'));
  });

  it('let a mentioned file be edited at once, and one that changed after its change was told', async () => {
    const t = await start((_request, number) => {
      const file_path = join(t.project, 'a.ts');
      if (number === 0)
        return reply([toolUse('Edit', { file_path, old_string: '1', new_string: '2' })]);
      if (number === 2)
        return reply([toolUse('Edit', { file_path, old_string: '3', new_string: '4' })]);
      return reply('done');
    });
    await writeFile(join(t.project, 'a.ts'), 'v1\n');
    const settled = (events: readonly AgentEvent[]) =>
      events.find((event) => event.type === 'call_settled');
    expect(settled(await t.run('change @a.ts'))).toMatchObject({ status: 'done' });
    await writeFile(join(t.project, 'a.ts'), 'v3, by hand\n');
    const events = await t.run('again');
    expect(kindsOf(events)).toEqual(['changed_file']);
    expect(settled(events)).toMatchObject({ status: 'done' });
    expectGrowing(t);
  });

  it('go on after a restart as if there had been none', async () => {
    const t = await start(() => reply('fine'));
    t.session.main.engine.configure({ mode: 'plan' });
    expect(kindsOf(await t.run('one'))).toEqual(['mode']);
    await t.reopen();
    t.session.main.engine.configure({ mode: 'plan' });
    const kinds: string[][] = [];
    for (let i = 0; i < 6; i += 1) kinds.push(kindsOf(await t.run(`more ${i}`)));
    expect(kinds).toEqual([[], [], [], [], ['mode'], []]);
    expectGrowing(t);
  });

  it('tell of turns and money that come to their end', async () => {
    // 10 000 tokens at $2 a million are $0.02: five turns are 90 % of this budget, six are more than all of it.
    const usage = { input_tokens: 10_000, output_tokens: 0 };
    const t = await start(
      (_request, n) => reply([toolUse('Read', { file_path: `/nowhere/${n}` })], { usage }),
      { limits: { maxTurns: 6, maxBudgetUsd: 0.11 } },
    );
    const events = await t.run('go');
    expect(kindsOf(events)).toEqual(['budget', 'turns_left']);
    expect(lastBody(t)).toContain('90 % of the money');
    expect(lastBody(t)).toContain('This is the last answer');
    expect(events.at(-1)).toMatchObject({ type: 'query_finished', terminal: 'max_budget' });
    const asked = t.api.requests.length;
    expect((await t.run('go on')).at(-1)).toMatchObject({ terminal: 'max_budget' });
    expect(t.api.requests).toHaveLength(asked);
  });
});
