import { z } from 'zod';
import type { ModelClientOptions } from '../../../src/main/engine/model/create-client';
import type { ModelClient } from '../../../src/main/engine/model/model-client';
import { ownNeeds } from '../../../src/main/engine/tools/needs';
import { type AnyTool, defineTool } from '../../../src/main/engine/tools/tool';
import type { AgentEvent, Stamped } from '../../../src/shared/agent-event';
import { type MemoryClock, memoryClock } from '../../support/memory-clock';
import type { RecordedRequest, Script } from '../../support/scripted-api';
import { openTestSession } from '../../support/session';

/** One fault: what the server does, and what must come of it. */
export interface Row {
  readonly name: string;
  readonly script: Script;
  readonly client?: Partial<ModelClientOptions>;
  readonly wrap?: (client: ModelClient) => ModelClient;
  /** Moves time on while the query runs; waits between tries are skipped by themselves. */
  readonly drive?: (drive: Drive) => Promise<void>;
  /** With `drive`: how long the user waits at most, milliseconds. Default: the bound for a silent line. */
  readonly withinMs?: number;
  /** The steps that tell how the fault was met, in their order. */
  readonly steps: readonly string[];
  /** What was asked, in the order it arrived: model, streamed or not, and how many messages. */
  readonly asked: readonly string[];
  /** Output tokens asked for, request by request. Default: not looked at. */
  readonly maxTokens?: readonly number[];
  /** Waits before another try, milliseconds. */
  readonly delays?: readonly number[];
  /** Inputs the tool ran with. */
  readonly ran?: readonly string[];
  /** What a call that was not run said to the model. */
  readonly refused?: RegExp;
  /** The line that the user reads: how the query ended, or what was done about the fault. */
  readonly line: RegExp;
  /** The text at the end of the query. */
  readonly words?: string;
  /** What came was paid for although it failed. */
  readonly paid?: true;
  /** Asserts what else must hold at the end. */
  readonly check?: () => void;
}

/** What a row may use to move time. */
export interface Drive {
  readonly clock: MemoryClock;
  /** Resolves when an event like this was seen so often. */
  seen(type: AgentEvent['type'], times?: number): Promise<void>;
  /** Resolves when the server has this many requests. */
  asked(count: number): Promise<void>;
}

/** What came of a row. */
export interface Played {
  readonly events: readonly AgentEvent[];
  /** The same with their numbers and times. */
  readonly stamped: readonly Stamped[];
  readonly steps: readonly string[];
  readonly asked: readonly string[];
  readonly delays: readonly number[];
  readonly ran: readonly string[];
  readonly lines: readonly string[];
  /** What the model was told of calls that failed or were not run. */
  readonly refused: readonly string[];
  readonly requests: readonly RecordedRequest[];
  /** What the API would have refused of the bodies sent. */
  readonly refusals: readonly string[];
  /** How the session answers the next prompt: the history is valid when it does. */
  readonly after: string;
  /** Milliseconds of the fake clock. */
  readonly tookMs: number;
}

const AFTERWARDS = 'still there';

/** Runs a query through the whole engine over real HTTP, then one more to see whether the history still holds. */
export async function play(row: Row): Promise<Played> {
  const ran: string[] = [];
  const clock = skippingClock();
  let over = false;
  const session = await openTestSession(
    async (request, number) => {
      if (over) return { kind: 'message', blocks: [{ kind: 'text', text: AFTERWARDS }] };
      return typeof row.script === 'function'
        ? row.script(request, number)
        : (row.script[number] ?? {
            kind: 'error',
            status: 400,
            body: { error: { message: 'the row has no answer left' } },
          });
    },
    {
      tools: [noteTool(ran)],
      clock: clock.clock,
      ...(row.client === undefined ? {} : { client: row.client }),
      ...(row.wrap === undefined ? {} : { wrap: row.wrap }),
    },
  );
  const startedAt = clock.clock.now();
  const stamped: Stamped[] = [];
  const events: AgentEvent[] = [];
  const until = async (met: () => boolean) => {
    while (!met()) await new Promise((resolve) => setImmediate(resolve));
  };
  const driving = row.drive?.({
    clock: clock.clock,
    seen: (type, times = 1) => until(() => events.filter((e) => e.type === type).length >= times),
    asked: (count) => until(() => session.api.requests.length >= count),
  });
  try {
    for await (const each of session.session.main.engine.submit('please begin')) {
      const { event } = each;
      stamped.push(each);
      events.push(event);
      if (event.type === 'retry_waiting') clock.skip(event.delayMs);
    }
    await driving;
    const tookMs = clock.clock.now() - startedAt;
    const requests = [...session.api.requests];
    over = true;
    const next = await session.run('and now?');
    const last = next.at(-1);
    return {
      events,
      stamped,
      requests,
      tookMs,
      steps: events.flatMap(stepOf),
      asked: requests.map(({ body }) =>
        [
          body.model.replace('claude-', ''),
          body.stream ? 'stream' : 'whole',
          body.messages.length,
        ].join(' '),
      ),
      delays: events.flatMap((e) => (e.type === 'retry_waiting' ? [e.delayMs] : [])),
      ran,
      lines: events.flatMap(lineOf),
      refused: events.flatMap((e) =>
        e.type === 'call_settled' && e.isError ? [JSON.stringify(e.content)] : [],
      ),
      refusals: session.api.refusals,
      after: last?.type === 'query_finished' ? last.text : '',
    };
  } finally {
    await session.close();
  }
}

function stepOf(event: AgentEvent): readonly string[] {
  switch (event.type) {
    case 'retry_waiting':
      return ['wait'];
    case 'tombstone':
      return ['void'];
    case 'notice':
      return [`notice ${event.code}`];
    case 'stalled':
      return [`stalled ${event.silentMs}`];
    case 'continued':
      return [`again: ${event.reason}`];
    case 'message_finished':
      return [`answer: ${event.stopReason}`];
    case 'model_changed':
      return [`model ${event.model}`];
    case 'compacted':
      return ['compacted'];
    case 'query_finished':
      return [event.terminal];
    default:
      return [];
  }
}

/** Returns what a user reads of it. */
function lineOf(event: AgentEvent): readonly string[] {
  switch (event.type) {
    case 'retry_waiting':
      return [event.reason];
    case 'notice':
      return [event.text];
    case 'query_finished':
      return event.terminal === 'completed' ? [] : [event.text];
    default:
      return [];
  }
}

/** A tool that only remembers what it was run with. */
const noteTool = (ran: string[]): AnyTool =>
  defineTool({
    name: 'Note',
    description: 'Writes a line down.',
    input: z.object({ line: z.string() }),
    needs: ownNeeds('Note'),
    title: () => ({ verb: 'Note', target: '' }),
    // biome-ignore lint/correctness/useYield: it has no progress to tell
    async *execute({ line }) {
      ran.push(line);
      return { ok: true as const, output: line };
    },
    toModel: (output: string) => [{ type: 'text' as const, text: `noted: ${output}` }],
    view: () => ({ kind: 'generic' as const, title: 'Note', detail: 'noted' }),
  });

/** A memory clock on which waits that were announced pass at once, in whatever order they are told and begun. */
function skippingClock(): { readonly clock: MemoryClock; skip(ms: number): void } {
  const inner = memoryClock(Date.UTC(2026, 10, 21));
  const announced: number[] = [];
  const asleep: number[] = [];
  const pass = () => {
    const at = announced.findIndex((ms) => asleep.includes(ms));
    const [ms] = at < 0 ? [] : announced.splice(at, 1);
    if (ms !== undefined) void inner.advance(ms);
  };
  return {
    skip: (ms) => {
      announced.push(ms);
      pass();
    },
    clock: {
      ...inner,
      sleep: async (ms, signal) => {
        asleep.push(ms);
        const slept = inner.sleep(ms, signal);
        pass();
        await slept;
        asleep.splice(asleep.indexOf(ms), 1);
      },
    },
  };
}
