import { z } from 'zod';
import { createCallMiddleware } from '../../src/main/engine/tools/middleware/all';
import type { PermissionGate } from '../../src/main/engine/tools/middleware/permission-gate';
import type { ResultBudget } from '../../src/main/engine/tools/middleware/result-budget';
import { ownNeeds } from '../../src/main/engine/tools/needs';
import type { ResourceAccess } from '../../src/main/engine/tools/resource-access';
import { createCallExecutor } from '../../src/main/engine/tools/streaming-executor';
import { type AnyTool, defineTool } from '../../src/main/engine/tools/tool';
import type { AgentEvent } from '../../src/shared/agent-event';
import { ok } from '../../src/shared/result';
import { memoryClock } from './memory-clock';
import { toolEnvironment } from './tool-environment';

/** One call of a played response. */
export interface PlayedCall {
  readonly id: string;
  readonly access: ResourceAccess;
  /** How long it runs, in ticks of the clock. */
  readonly takes: number;
  /** When its block arrives; default 0. */
  readonly arrives?: number;
  readonly fails?: boolean;
  /** The tool it is a call of, and how many of that run together. Default: one of its own. */
  readonly tool?: { readonly name: string; readonly maxTogether: number };
  /** A command: its failure cancels what had to wait for it. */
  readonly command?: boolean;
}

/** When a call ran, and how it ended. Never started: `from` is null. */
export interface Ran {
  readonly from: number | null;
  readonly to: number;
  readonly status: string;
  readonly text: string;
}

export interface PlayOptions {
  readonly abortAt?: number;
  readonly gate?: PermissionGate;
}

/** No schedule of a test is longer. Ticks. */
const LONGEST = 500;

/** A gate that lets every call through. */
export const ALLOWING: PermissionGate = {
  check: async () => ({ kind: 'allowed', decided: [] }),
  denial: async () => null,
};

/** A budget that cuts nothing. */
export const UNBOUNDED: ResultBudget = { fit: async (_id, content) => content };

/** Plays a response against a clock that moves a tick at a time; gives what ran when. */
export async function playResponse(
  calls: readonly PlayedCall[],
  { abortAt, gate = ALLOWING }: PlayOptions = {},
): Promise<Readonly<Record<string, Ran>>> {
  const clock = memoryClock(0);
  const abort = new AbortController();
  const began = new Map<string, number>();
  const ran: Record<string, Ran> = {};
  const environment = toolEnvironment({ clock });
  const executor = createCallExecutor({
    environment,
    middleware: createCallMiddleware({ environment, gate, budget: UNBOUNDED, hooks: null }),
    findTool: (name) => toolFor(calls, name, began),
    arrival: () => null,
    toolNames: () => calls.map(({ id }) => id),
    parseInput: (_tool, input) => ok(input as Record<string, unknown>),
    emit: (event) => note(event, clock.now(), began, ran),
    flush: async () => {},
    askUser: null,
    signal: abort.signal,
  });
  let over = false;
  for (let now = 0; !over; now += 1) {
    if (now > LONGEST) throw new Error('The schedule hangs.');
    for (const { id, arrives = 0 } of calls) {
      if (arrives === now) executor.add({ type: 'tool_use', id, name: id, input: {} });
    }
    if (now === abortAt) abort.abort();
    await clock.advance(now === 0 ? 0 : 1);
    over = Object.keys(ran).length === calls.length;
  }
  await executor.done();
  return ran;
}

function note(
  event: AgentEvent,
  now: number,
  began: Map<string, number>,
  ran: Record<string, Ran>,
) {
  if (event.type !== 'call_settled') return;
  if (ran[event.callId]) throw new Error(`${event.callId} has two results.`);
  const [first] = event.content;
  ran[event.callId] = {
    from: began.get(event.callId) ?? null,
    to: now,
    status: event.status,
    text: first?.type === 'text' ? first.text : '',
  };
}

function toolFor(
  calls: readonly PlayedCall[],
  name: string,
  began: Map<string, number>,
): AnyTool | null {
  const call = calls.find(({ id }) => id === name);
  if (!call) return null;
  return defineTool({
    name: call.tool?.name ?? name,
    ...(call.tool ? { maxTogether: call.tool.maxTogether } : {}),
    description: name,
    input: z.object({}),
    access: async () => call.access,
    needs: ownNeeds(name),
    title: () => ({ verb: name, target: '' }),
    // biome-ignore lint/correctness/useYield: nothing is reported on the way
    async *execute(_input, { services: { clock }, signal }) {
      began.set(name, clock.now());
      await clock.sleep(call.takes, signal);
      if (signal.aborted) return { ok: false, message: 'Interrupted.' };
      return call.fails ? { ok: false, message: 'it broke' } : { ok: true, output: name };
    },
    toModel: (output: string) => [{ type: 'text', text: output }],
    view: (_input, output) => ({ kind: 'generic', title: name, detail: output }),
    failureCancelsSiblings: call.command ?? false,
  });
}
