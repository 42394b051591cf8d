import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeLine } from '../../../src/main/engine/event-log';
import { historyOf } from '../../../src/main/engine/messages/history';
import { parseLog } from '../../../src/main/engine/sessions/load';
import { isSessionId, projectSlug } from '../../../src/main/engine/sessions/paths';
import { repairEvents } from '../../../src/main/engine/sessions/repair';
import type { DurableEvent } from '../../../src/shared/agent-event';

const events: readonly DurableEvent[] = [
  { type: 'session_started', version: 1, cwd: '/p', createdAt: 1 },
  { type: 'query_started', queryId: 'q' },
  { type: 'user_message', id: 'u', content: [{ type: 'text', text: 'grüß 你好 🎉' }] },
  {
    type: 'block_finished',
    messageId: 'm',
    model: 'x',
    index: 0,
    block: { type: 'tool_use', id: 'c1', name: 'Read', input: {} },
  },
  {
    type: 'block_finished',
    messageId: 'm',
    model: 'x',
    index: 1,
    block: { type: 'tool_use', id: 'c2', name: 'Bash', input: {} },
  },
];
const SETTLED: DurableEvent = {
  ...{ type: 'call_settled', callId: 'c1', tool: 'Read', title: { verb: 'Read', target: 'a' } },
  ...{ status: 'done', content: [], isError: false, view: null, durationMs: 1 },
};
const bytes = new TextEncoder().encode(
  events.map((event) => encodeLine({ at: 1, event })).join(''),
);

describe('session log', () => {
  it('loses at most the line being written when cut at any byte', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length), (cut) => {
        const log = parseLog(bytes.subarray(0, cut));
        // A line that lacks only its end is whole.
        const ends = bytes[cut] === 0x0a && cut > 0 ? 1 : 0;
        const whole =
          new TextDecoder().decode(bytes.subarray(0, cut)).split('\n').length - 1 + ends;
        expect(log.lines).toHaveLength(whole);
        expect(log.badLines).toEqual([]);
        expect(log.lines.map((l) => l.event)).toEqual(events.slice(0, whole));
      }),
    );
  });

  it.each([
    ['NUL-filled line', `${'\0'.repeat(64)}\n`, 1],
    [
      'NULs before a line',
      `${'\0'.repeat(8)}${encodeLine({ at: 1, event: events[1] as DurableEvent })}`,
      0,
    ],
    ['not JSON', '{"at":\n', 1],
    ['event of a later version', '{"at":1,"event":{"type":"nope"}}\n', 0],
    [
      'block of a later version',
      '{"at":1,"event":{"type":"user_message","id":"u","content":[{"type":"hologram","x":1}]}}\n',
      0,
    ],
    [
      'view of a later version',
      `${JSON.stringify({ at: 1, event: { ...SETTLED, view: { kind: 'hologram' } } })}\n`,
      0,
    ],
    [
      'state of a later version',
      `${JSON.stringify({ at: 1, event: { ...SETTLED, status: 'postponed' } })}\n`,
      0,
    ],
    [
      'state that is no word',
      `${JSON.stringify({ at: 1, event: { ...SETTLED, status: 7 } })}\n`,
      1,
    ],
    [
      'block of a later version beside a fault',
      '{"at":1,"event":{"type":"user_message","id":5,"content":[{"type":"hologram"}]}}\n',
      1,
    ],
    [
      'block without a kind',
      '{"at":1,"event":{"type":"user_message","id":"u","content":[{}]}}\n',
      1,
    ],
    ['event of a kind with a space', '{"at":1,"event":{"type":"no pe"}}\n', 1],
    ['event without its fields', '{"at":1,"event":{"type":"user_message"}}\n', 1],
    ['line of another program', '{"type":"user","message":{}}\n', 1],
    ['empty line', '\n', 0],
  ])('reads past a %s', (_name, extra, bad) => {
    const log = parseLog(new TextEncoder().encode(`${extra}${new TextDecoder().decode(bytes)}`));
    expect(log.badLines).toHaveLength(bad);
    expect(log.lines.slice(-events.length).map((l) => l.event)).toEqual(events);
  });

  it('reads lines of any length, each once and whole', () => {
    const lengths = [1, 200_000, 131_000, 60, 131_072, 400_000, 3, ...Array(400).fill(700)];
    const texts = lengths.map((length, n) => `${n} ${'ü'.repeat(length)}`);
    const event = (text: string, n: number): DurableEvent => ({
      ...{ type: 'user_message', id: `u${n}`, content: [{ type: 'text', text }] },
    });
    const lines = texts.map((text, n) => encodeLine({ at: n, event: event(text, n) }));
    const whole = new TextEncoder().encode(`${lines.join('')}{"at":1`);
    const log = parseLog(whole);
    expect(log.badLines).toEqual([]);
    expect(log.lines.map((line) => line.event)).toEqual(texts.map(event));
    expect(whole.byteLength - log.wholeBytes).toBe('{"at":1'.length);
  });

  it('closes what a crash left open, and only that', () => {
    const lines = events.map((event, at) => ({ at, event }));
    const repairs = repairEvents(lines);
    expect(repairs.map((e) => e.type)).toEqual(['call_settled', 'call_settled', 'query_finished']);
    expect(repairEvents([...lines, ...repairs.map((event) => ({ at: 99, event }))])).toEqual([]);
    const history = historyOf([...events, ...repairs]).messages();
    expect(history.map((m) => m.role)).toEqual(['user', 'assistant', 'user', 'user']);
  });
});

describe('session paths', () => {
  it('makes folder names of CONVENTIONS 7', () => {
    expect(projectSlug('/home/me/my.project')).toBe('-home-me-my-project');
    const long = projectSlug(`/${'a'.repeat(300)}`);
    expect(long).toMatch(/^-a{199}-[0-9a-f]{12}$/);
  });

  it.each(['../../etc/passwd', 'a/b', '', '.', 'x'.repeat(100), '__proto__'])(
    'refuses %j as a session id',
    (id) => expect(isSessionId(id)).toBe(false),
  );
});
