import {
  error,
  errorEvent,
  hang,
  hold,
  type MessageReply,
  ping,
  reply,
  reset,
  stall,
  text,
  toolUse,
  toolUseJson,
  truncated,
} from '../../support/scripted-api-replies';
import type { Drive, Row } from './play';

const FINE = ['answer: end_turn', 'completed'];
const STREAM = 'sonnet-5-5 stream 1';
const WHOLE = 'sonnet-5-5 whole 1';
const LONG = 'a text long enough to be cut in the middle of it';

/** Makes a row whose stream is void, so that the answer is asked for in one piece. */
const rescued = (name: string, broken: MessageReply, line: RegExp): Row => ({
  name,
  script: [broken, reply('fine')],
  steps: ['void', 'notice stream_broken', ...FINE],
  asked: [STREAM, WHOLE],
  line,
});

/** A reset that comes when what was written before it has arrived. */
function resetAt(name: string, whole: MessageReply, afterEvents: number): Row {
  const arrived = Promise.withResolvers<void>();
  return {
    ...rescued(name, reset(whole, afterEvents, arrived.promise), /connection .* broke/),
    drive: async ({ seen }) => {
      await seen('block_delta');
      await settle();
      arrived.resolve();
    },
  };
}

/** Lets what was sent arrive: by turns of the event loop, because a process that had to wait finds its timers due at once. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1)
    await new Promise((resolve) => setTimeout(() => setImmediate(resolve), 1));
}

/** Lets a silence grow in the steps the watchdog looks at. */
const silence = async ({ clock, seen }: Drive) => {
  await settle();
  await clock.advance(15_000);
  await seen('stalled');
  await clock.advance(15_000);
};

const cutTool = (name: string, block: ReturnType<typeof toolUse>, line: RegExp): Row => ({
  name,
  script: [reply([block]), reply('fine')],
  steps: ['answer: tool_use', 'again: next_turn', ...FINE],
  asked: [STREAM, 'sonnet-5-5 stream 3'],
  refused: line,
  line: /^$/,
});

function resetAfterCall(): Row {
  const ran = Promise.withResolvers<void>();
  const answer = reply([toolUse('Note', { line: 'once' }), text(LONG)]);
  return {
    name: 'reset after a finished call: it ran once, and the work goes on',
    script: [reset(answer, 9, ran.promise), reply('fine')],
    drive: async ({ seen }) => {
      await seen('call_settled');
      await settle();
      ran.resolve();
    },
    steps: ['notice answer_cut', 'answer: tool_use', 'again: next_turn', ...FINE],
    asked: [STREAM, 'sonnet-5-5 stream 3'],
    ran: ['once'],
    line: /work goes on from there/,
  };
}

/** An event that comes a few bytes at a time and never whole is silence. */
function trickle(): Row {
  const more = Promise.withResolvers<void>();
  async function* pieces() {
    yield 'data: {';
    await more.promise;
    yield '"type":';
    await new Promise<void>(() => {});
  }
  return {
    name: 'an event that only trickles',
    script: [{ kind: 'raw', pieces: pieces() }, reply('fine')],
    drive: async ({ asked, clock, seen }) => {
      await asked(1);
      await settle();
      await clock.advance(15_000);
      await seen('stalled');
      more.resolve();
      await settle();
      await clock.advance(15_000);
    },
    steps: ['stalled 15000', 'notice stream_broken', ...FINE],
    asked: [STREAM, WHOLE],
    line: /sent nothing for 30 s/,
  };
}

const PINGS = 12;
/** Less than half the silence that is allowed, so that only the lack of content shows. Milliseconds. */
const PING_EVERY_MS = 14_000;

function pinged(): Pick<Row, 'script' | 'drive' | 'client'> {
  const gates = Array.from({ length: PINGS }, () => Promise.withResolvers<void>());
  const never = new Promise<void>(() => {});
  let arrived = 0;
  const counting: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, out) => {
        arrived += new TextDecoder().decode(chunk).split('event: ping').length - 1;
        out.enqueue(chunk);
      },
    });
    const { status, headers } = response;
    return new Response(response.body?.pipeThrough(count) ?? null, { status, headers });
  };
  const until = async (met: () => boolean) => {
    while (!met()) await settle();
  };
  return {
    client: { fetch: counting },
    script: [
      reply([text('start'), ...gates.flatMap((gate) => [hold(gate.promise), ping()]), hold(never)]),
      reply('fine'),
    ],
    drive: async ({ clock, seen, asked }) => {
      await seen('block_finished');
      const before = arrived;
      for (const [i, gate] of gates.entries()) {
        await clock.advance(PING_EVERY_MS);
        gate.resolve();
        await until(() => arrived > before + i);
        await settle();
      }
      await clock.advance(PING_EVERY_MS);
      await asked(2);
    },
  };
}

/** Faults inside a stream, or before its first byte. */
export const STREAM_ROWS: readonly Row[] = [
  resetAt('reset in the middle of a text', reply(LONG), 4),
  resetAt(
    'reset in the middle of a tool input',
    reply([toolUse('Note', { line: 'a line that is long enough to be cut' })]),
    5,
  ),
  rescued('clean truncation', truncated(reply(LONG), 4), /broke off before it was complete/),
  {
    name: 'missing message_stop: what came is whole',
    script: [truncated(reply('short'), 6)],
    steps: ['answer: end_turn', 'completed'],
    asked: [STREAM],
    line: /^$/,
  },
  resetAfterCall(),
  {
    name: 'stall before the first byte',
    script: [hang(), reply('fine')],
    drive: async (drive) => {
      await drive.asked(1);
      await silence(drive);
    },
    steps: ['stalled 15000', 'notice stream_broken', ...FINE],
    asked: [STREAM, WHOLE],
    line: /sent nothing for 30 s\. Asking for the answer in one piece/,
  },
  {
    name: 'stall of the stream, then of the answer in one piece',
    script: [hang(), hang(), reply('fine')],
    drive: async (drive) => {
      await drive.asked(1);
      await silence(drive);
      await drive.asked(2);
      await settle();
      await drive.clock.advance(60_000);
      await drive.seen('stalled', 2);
      await drive.clock.advance(60_000);
    },
    withinMs: 151_000,
    steps: ['stalled 15000', 'notice stream_broken', 'stalled 60000', 'wait', ...FINE],
    asked: [STREAM, WHOLE, STREAM],
    delays: [500],
    line: /sent nothing for 120 s/,
  },
  {
    name: 'stall in the middle of a stream',
    script: [stall(reply(LONG), 4), reply('fine')],
    drive: async (drive) => {
      await drive.seen('block_delta');
      await silence(drive);
    },
    steps: ['stalled 15000', 'void', 'notice stream_broken', ...FINE],
    asked: [STREAM, WHOLE],
    line: /sent nothing for 30 s/,
  },
  trickle(),
  {
    name: 'stall after a finished call',
    script: [stall(reply([toolUse('Note', { line: 'once' }), text(LONG)]), 9), reply('fine')],
    drive: async (drive) => {
      await drive.seen('call_settled');
      // One of the call and two of the text: the last that comes before the silence.
      await drive.seen('block_delta', 3);
      await silence(drive);
    },
    steps: ['stalled 15000', 'notice answer_cut', 'answer: tool_use', 'again: next_turn', ...FINE],
    asked: [STREAM, 'sonnet-5-5 stream 3'],
    ran: ['once'],
    line: /work goes on from there/,
  },
  {
    name: 'nothing but pings',
    ...pinged(),
    withinMs: 200_000,
    steps: ['stalled 98000', 'void', 'notice stream_broken', ...FINE],
    asked: [STREAM, WHOLE],
    line: /only kept the line open for 18\d s/,
  },
  {
    name: 'event: error',
    script: [errorEvent(reply(LONG), 4), reply('fine')],
    steps: ['void', 'wait', ...FINE],
    asked: [STREAM, STREAM],
    delays: [500],
    line: /overloaded/,
  },
  {
    name: 'event: error after a finished call: it ran once, and the work goes on',
    script: [errorEvent(reply([toolUse('Note', { line: 'once' }), text(LONG)]), 9), reply('fine')],
    steps: ['notice answer_cut', 'answer: tool_use', 'again: next_turn', ...FINE],
    asked: [STREAM, 'sonnet-5-5 stream 3'],
    ran: ['once'],
    line: /overloaded .*work goes on from there/,
  },
  cutTool('tool input cut short', toolUseJson('Note', '{"line":"half'), /cut short/),
  cutTool('tool input of the wrong type', toolUse('Note', { line: 7 }), /line/),
  {
    name: 'image too large',
    script: [error(400, 'messages.0.content.1: image exceeds 5 MB maximum')],
    steps: ['image_error'],
    asked: [STREAM],
    line: /image in the conversation cannot be used/,
  },
];
