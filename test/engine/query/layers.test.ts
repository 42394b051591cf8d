import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ContextLayer, UNTOUCHED } from '../../../src/main/engine/context/layer';
import { freedTokens } from '../../../src/main/engine/context/tokens';
import { project } from '../../../src/main/engine/messages/projection';
import { createEchoTool } from '../../support/echo-tool';
import type { RecordedRequest, Script } from '../../support/scripted-api';
import {
  error,
  type Reply,
  raw,
  reply,
  thinking,
  toolUse,
  wire,
} from '../../support/scripted-api-replies';
import type { TestSession } from '../../support/session';
import { endOf, ofType, saidIn, sessionsOfFile } from './support';

const start = sessionsOfFile();
const summary = reply('<summary>So far: much.</summary>');

/** A window in which 100 000 characters of results are a lot. Summaries are made from 98 808 tokens on. */
const SMALL = { autocompact: () => ({ enabled: true, windowTokens: 120_000 }) };

/** Returns what the API would count of a request, about. */
const counted = ({ body }: RecordedRequest) => ({
  usage: { input_tokens: Math.ceil(JSON.stringify(body.messages).length / 4), output_tokens: 50 },
});

/** Answers with the blocks of each turn in order, and counts tokens by what it was sent. */
const script =
  (turns: readonly Parameters<typeof reply>[0][]): Script =>
  (request, number): Reply =>
    reply(turns[number] ?? 'done', counted(request));

const echo = (text: string, times: number) => toolUse('Echo', { text, times }, `call_${text}`);
const edits = (t: TestSession) =>
  t.session.log
    .transcript()
    .committed.flatMap((item) =>
      item.kind === 'divider' && item.code === 'context_edited' ? [item.text] : [],
    );

/** Twenty calls with 20 000 characters each, the first five behind thoughts; then five with 42 000 in one answer. */
const LONG_TALK = [
  ...Array.from({ length: 20 }, (_, n) => [
    ...(n < 5 ? [thinking(`thought ${n}`)] : []),
    echo(`text${n}.`, 3_000),
  ]),
  'That was all.',
  Array.from({ length: 5 }, (_, n) => echo(`part${n}.`, 7_000)),
  'Enough.',
];

/** What differs between two sessions: their temporary folder. */
const PLACES = /lathe-session-\w+/g;

/** Has a long talk; gives the requests of its last prompt, in which the place of the session is left out. */
async function lastRequests(t: TestSession, restart: boolean): Promise<readonly string[]> {
  const first = await t.run('repeat');
  const second = await t.run('and now all at once');
  expect(ofType([...first, ...second], 'compacted')).toEqual([]);
  expect(ofType([...first, ...second], 'context_edited').map(({ layer }) => layer)).toEqual([
    'snip',
    'tool_result_budget',
    'snip',
  ]);
  const before = t.api.requests.length;
  if (restart) await t.reopen();
  expect(endOf(await t.run('go on')).terminal).toBe('completed');
  return t.api.requests
    .slice(before)
    .map(({ body }) => JSON.stringify(body).replace(PLACES, 'here'));
}

describe('the layers of the context', () => {
  it('make the same request after a restart as without one', async () => {
    const options = { ...SMALL, tools: [createEchoTool()] };
    const stayed = await start(script(LONG_TALK), options);
    const whole = await lastRequests(stayed, false);
    await stayed.close();
    const restarted = await start(script(LONG_TALK), options);
    const resumed = await lastRequests(restarted, true);
    expect(resumed).toHaveLength(1);
    // Megabytes: told apart without printing them.
    expect(resumed[0] === whole[0]).toBe(true);
    expect(whole[0]).toContain('left out to save space');
    expect(whole[0]).toContain('too many to show');
    expect(whole[0]).not.toContain('thought 1');
    const saved = join(
      restarted.latheHome,
      ...(await readdir(restarted.latheHome, { recursive: true })).filter((name) =>
        name.endsWith('tool-results'),
      ),
    );
    expect(await readdir(saved)).toEqual(['call_part4_.txt']);
  });

  it('tell what they left out, each in one line', async () => {
    const t = await start(script(LONG_TALK), { ...SMALL, tools: [createEchoTool()] });
    await t.run('repeat');
    await t.run('and now all at once');
    expect(edits(t)).toEqual([
      expect.stringMatching(/^Old results were left out of what is sent: \d\dk tokens freed$/),
      expect.stringMatching(
        /^Results too long to send together went to files: \d\dk tokens freed$/,
      ),
      expect.stringMatching(/^Old results were left out of what is sent: \d\dk tokens freed$/),
    ]);
  });

  it('spare a summary when they free enough, and what they freed is not counted again', async () => {
    const turns = Array.from({ length: 18 }, (_, n) => [echo(`text${n}.`, 3_000)]);
    const t = await start(
      (request, number) =>
        number < turns.length
          ? reply(turns[number] ?? [], {
              usage: { input_tokens: number === 17 ? 100_000 : 1_000, output_tokens: 50 },
            })
          : reply('done', counted(request)),
      { ...SMALL, tools: [createEchoTool()] },
    );
    const events = await t.run('repeat');
    const [edited, ...more] = ofType(events, 'context_edited');
    expect(edited).toMatchObject({ layer: 'snip' });
    expect(edited?.counted).toBe(edited?.freed);
    expect(more).toEqual([]);
    expect(ofType(events, 'compaction_started')).toEqual([]);
    const at = events.findIndex(({ type }) => type === 'context_edited');
    const [told] = ofType(events.slice(at), 'context_changed');
    expect(told?.usedTokens).toBeLessThan(80_000);
    expect(endOf(events).terminal).toBe('completed');
  });

  it('go before a summary, which is still made when they free too little', async () => {
    const t = await start(
      [
        reply([echo('a', 1)], { usage: { input_tokens: 100_000, output_tokens: 50 } }),
        summary,
        reply('done'),
      ],
      { ...SMALL, tools: [createEchoTool()] },
    );
    const events = await t.run('repeat');
    expect(ofType(events, 'context_edited')).toEqual([]);
    expect(ofType(events, 'compacted')).toHaveLength(1);
  });

  it('take one more, named in one place', async () => {
    const hide: ContextLayer = {
      name: 'hide',
      apply: (messages) => {
        const edited = messages.flatMap(({ id }) =>
          id === 'call_secret:result'
            ? [
                {
                  kind: 'replace_result' as const,
                  callId: 'call_secret',
                  content: [{ type: 'text' as const, text: 'hidden' }],
                },
              ]
            : [],
        );
        const { freed } = freedTokens(messages, project(messages, edited));
        return freed === 0 ? UNTOUCHED : { edits: edited, freed };
      },
    };
    const t = await start([reply([echo('secret', 500)]), reply('done'), reply('fine')], {
      tools: [createEchoTool()],
      layers: (standard) => [hide, ...standard],
    });
    const events = await t.run('go');
    expect(ofType(events, 'context_edited')).toMatchObject([{ layer: 'hide', counted: 0 }]);
    expect(saidIn(t.api, 1)).not.toContain('secretsecret');
    expect(saidIn(t.api, 1)).toContain('"hidden"');
    expect(edits(t)).toEqual(['The context was made smaller (hide): 748 tokens freed']);
    await t.reopen();
    expect(ofType(await t.run('more'), 'context_edited')).toEqual([]);
    expect(saidIn(t.api, 2)).not.toContain('secretsecret');
  });
});

describe('a summary that settings wish for before the window is full', () => {
  const costly = (answer: Parameters<typeof reply>[0]) =>
    reply(answer, { usage: { input_tokens: 10, output_tokens: 50_000 } });
  const steps = Array.from({ length: 4 }, (_, n) => [echo(`e${n}`, 1)]);

  it.each([
    ['at a number of messages', { messages: 8 }, 1],
    ['at a sum of dollars', { usd: 2 }, 1],
    ['neither', {}, 0],
  ] as const)('comes %s', async (_what, wish, summaries) => {
    const t = await start(
      ({ body }) =>
        JSON.stringify(body.messages.at(-1)).includes('summar')
          ? summary
          : costly(steps[t.api.requests.length - 1] ?? 'done'),
      { tools: [createEchoTool()], autocompact: () => ({ enabled: true, ...wish }) },
    );
    const events = await t.run('go');
    expect(ofType(events, 'compacted')).toHaveLength(summaries);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'done' });
  });

  it('comes at a sum of dollars also where a server has a name of its own for its model', async () => {
    const usage = { input_tokens: 10, output_tokens: 300_000 };
    const own = (text: string) =>
      raw(
        wire({ type: 'message_start', message: { model: 'glm-9-air', usage } }),
        wire({ type: 'content_block_start', index: 0, content_block: { type: 'text', text } }),
        wire({ type: 'content_block_stop', index: 0 }),
        wire({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }),
        wire({ type: 'message_stop' }),
      );
    const t = await start(() => own('fine'), {
      autocompact: () => ({ enabled: true, usd: 2 }),
    });
    await t.run('go');
    expect(ofType(await t.run('on'), 'compacted')).toHaveLength(1);
  });
});

describe('a window with no room left', () => {
  const full = { usage: { input_tokens: 990_000, output_tokens: 100 } };

  it('is told of, with the way out', async () => {
    const t = await start([reply([echo('a', 1)], full)], {
      tools: [createEchoTool()],
      autocompact: () => ({ enabled: false }),
    });
    expect(endOf(await t.run('go')).text).toContain('/compact');
    expect(t.api.requests).toHaveLength(1);
  });

  it('does not end the query where a summary follows should the API refuse', async () => {
    const tooLong = error(400, 'prompt is too long: 1049600 tokens > 1000000 maximum');
    const t = await start(
      [
        reply([echo('a', 1)], full),
        error(403, 'no summaries today'),
        tooLong,
        summary,
        reply('done'),
      ],
      { tools: [createEchoTool()] },
    );
    const events = await t.run('go');
    expect(ofType(events, 'compacted')).toMatchObject([{ trigger: 'reactive' }]);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'done' });
  });
});
