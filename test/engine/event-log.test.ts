import { describe, expect, it } from 'vitest';
import { createEventLog, REPLAY_CHARS, REPLAY_EVENTS } from '../../src/main/engine/event-log';
import type { AppendFile } from '../../src/main/engine/ports';
import { parseLog } from '../../src/main/engine/sessions/load';
import type { AgentEvent } from '../../src/shared/agent-event';
import { applyEvent } from '../../src/shared/apply-event';
import type { SessionFeed } from '../../src/shared/contract';
import { ok } from '../../src/shared/result';
import { emptyTranscript, type Transcript } from '../../src/shared/transcript';
import { memoryClock } from '../support/memory-clock';

const delta = (text: string): AgentEvent => ({
  type: 'block_delta',
  messageId: 'm',
  index: 0,
  text,
});
const openLog = (file?: AppendFile) =>
  createEventLog({
    sessionId: 's',
    epoch: 'e1',
    clock: memoryClock(),
    ...(file ? { file } : {}),
  });

/** Reads a subscription up to the first event that satisfies the predicate. */
async function readUntil(
  feed: AsyncGenerator<SessionFeed>,
  done: (feed: SessionFeed) => boolean,
): Promise<SessionFeed[]> {
  const read: SessionFeed[] = [];
  for await (const item of feed) {
    read.push(item);
    if (done(item)) break;
  }
  return read;
}

const foldFeed = (start: Transcript, feed: readonly SessionFeed[]): Transcript =>
  feed.reduce((picture, item) => {
    if (item.type === 'snapshot') return item.transcript;
    return item.type === 'event' ? applyEvent(picture, item.stamped) : picture;
  }, start);

describe('event log', () => {
  it('gives a newcomer a snapshot and a returner what it missed', async () => {
    const log = openLog();
    log.append({
      type: 'block_started',
      messageId: 'm',
      index: 0,
      kind: 'text',
    });
    log.append(delta('a'));
    const abort = new AbortController();
    const caughtUp = (f: SessionFeed) => f.type === 'caught_up';
    const first = await readUntil(log.subscribe(undefined, abort.signal), caughtUp);
    expect(first.map((f) => f.type)).toEqual(['snapshot', 'caught_up']);
    log.append(delta('b'));
    const back = await readUntil(log.subscribe({ epoch: 'e1', seq: 2 }, abort.signal), caughtUp);
    expect(back.map((f) => f.type)).toEqual(['event', 'caught_up']);
    const picture = foldFeed(foldFeed(emptyTranscript('s', 'x'), first), back);
    expect(picture).toEqual(log.transcript());
  });

  it('sends a snapshot to a subscriber from another epoch or too far behind', async () => {
    const log = openLog();
    for (let n = 0; n < REPLAY_EVENTS * 2 + 10; n++) log.append(delta('x'));
    const abort = new AbortController();
    for (const since of [
      { epoch: 'other', seq: 5 },
      { epoch: 'e1', seq: 5 },
    ]) {
      const [first] = await readUntil(log.subscribe(since, abort.signal), () => true);
      expect(first?.type).toBe('snapshot');
    }
  });

  it('gives up past events that are long together, the older half of them first', async () => {
    const log = openLog();
    const abort = new AbortController();
    const answer = async (seq: number) => {
      const [first] = await readUntil(
        log.subscribe({ epoch: 'e1', seq }, abort.signal),
        () => true,
      );
      return first?.type;
    };
    const half = () =>
      void log.append({ type: 'title_changed', title: 'x'.repeat(REPLAY_CHARS / 2) });
    for (let n = 0; n < 3; n++) half();
    expect(await answer(0)).toBe('event');
    half();
    expect(await answer(0)).toBe('snapshot');
    expect(await answer(2)).toBe('event');
    half();
    expect(await answer(2)).toBe('event');
    expect(await answer(4)).toBe('event');
  });

  it('keeps a slow subscriber equal by a snapshot instead of an endless queue', async () => {
    const log = openLog();
    const abort = new AbortController();
    const feed = log.subscribe(undefined, abort.signal);
    await feed.next();
    await feed.next();
    log.append({ type: 'block_started', messageId: 'm', index: 0, kind: 'text' });
    for (let n = 0; n < 3000; n++) log.append(delta('x'));
    const next = await feed.next();
    expect(next.value).toMatchObject({ type: 'snapshot', transcript: { seq: 3001 } });
    await feed.return(undefined);
  });

  it('writes durable events in order and nothing else', async () => {
    let written = '';
    const file: AppendFile = {
      append: async (data) => {
        await new Promise((resolve) => setImmediate(resolve));
        written += data;
        return ok(null);
      },
      close: async () => {},
    };
    const log = openLog(file);
    log.append({ type: 'title_changed', title: 'one' });
    log.append(delta('not kept'));
    log.append({ type: 'title_changed', title: 'two' });
    await log.flush();
    const lines = parseLog(new TextEncoder().encode(written)).lines;
    expect(lines.map((l) => l.event)).toEqual([
      { type: 'title_changed', title: 'one' },
      { type: 'title_changed', title: 'two' },
    ]);
  });

  it('says once that nothing can be saved, and goes on', async () => {
    const fault = { code: 'no_space', path: '/x', message: 'The disk is full.' } as const;
    const log = openLog({
      append: async () => ({ ok: false, error: fault }),
      close: async () => {},
    });
    log.append({ type: 'title_changed', title: 'one' });
    log.append({ type: 'title_changed', title: 'two' });
    await log.flush();
    const notices = log.transcript().active.filter((i) => i.kind === 'divider');
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({ level: 'error', code: 'log_write_failed' });
    expect(log.transcript().title).toBe('two');
  });

  const full = { code: 'no_space', path: '/x', message: 'The disk is full.' } as const;

  it('says at the end what never came to the disk, of sub-agents too', async () => {
    let room = false;
    const file: AppendFile = {
      append: async () => (room ? ok(null) : { ok: false, error: full }),
      close: async () => {},
    };
    const log = openLog(file);
    log.addAgentFile('sub', file);
    log.append({ type: 'title_changed', title: 'x'.repeat(5_000) });
    log.append({ type: 'title_changed', title: 'y'.repeat(3_000) }, 'sub');
    await log.flush();
    await log.closeAgentFile('sub');
    expect(log.transcript().active.at(-1)).toMatchObject({
      level: 'error',
      code: 'agent_log_lost',
    });
    expect(await log.close()).toBe(
      '6 kB of this conversation could not be saved and is lost: The disk is full.',
    );
    expect(log.lostTo()).toBe('no_space');
    room = true;
    const other = openLog(file);
    other.append({ type: 'title_changed', title: 'z' });
    expect(await other.close()).toBeNull();
  });

  it('tries once more at the end, and then nothing is lost', async () => {
    let tries = 0;
    let isClosed = false;
    const written: string[] = [];
    const log = openLog({
      append: async (data) => {
        if (isClosed || ++tries < 2) return { ok: false, error: full };
        written.push(data);
        return ok(null);
      },
      close: async () => {
        isClosed = true;
      },
    });
    log.append({ type: 'title_changed', title: 'one' });
    await log.flush();
    expect(await log.close()).toBeNull();
    expect(written.join('')).toMatch(/"one".*log_write_failed.*log_write_recovered/s);
  });
});
