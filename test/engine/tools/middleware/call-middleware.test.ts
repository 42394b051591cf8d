import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type CallMiddlewareParts,
  createCallMiddleware,
} from '../../../../src/main/engine/tools/middleware/all';
import type { CallMiddleware } from '../../../../src/main/engine/tools/middleware/call-middleware';
import type { CheckpointStore } from '../../../../src/main/engine/tools/middleware/checkpoint';
import { ownNeeds } from '../../../../src/main/engine/tools/needs';
import { reading, writing } from '../../../../src/main/engine/tools/resource-access';
import { createCallExecutor } from '../../../../src/main/engine/tools/streaming-executor';
import { type AnyTool, defineTool, type ToolOutcome } from '../../../../src/main/engine/tools/tool';
import type { AgentEvent } from '../../../../src/shared/agent-event';
import { ok } from '../../../../src/shared/result';
import { ALLOWING, UNBOUNDED } from '../../../support/schedule';
import { toolEnvironment } from '../../../support/tool-environment';

/** Runs one call of a tool that does `work`, through the standard concerns and those added around them. */
async function runOne(
  work: (input: { readonly text: string }) => ToolOutcome<string>,
  {
    added = [],
    parts = {},
    access = async () => 'alone',
  }: {
    readonly added?: readonly CallMiddleware[];
    readonly parts?: Partial<CallMiddlewareParts>;
    readonly access?: AnyTool['access'];
  } = {},
) {
  const environment = toolEnvironment();
  const events: AgentEvent[] = [];
  const tool = defineTool<{ text: string }, string>({
    name: 'Echo',
    description: 'Echo',
    input: z.object({ text: z.string() }),
    access,
    needs: ownNeeds('Echo'),
    title: () => ({ verb: 'Echo', target: '' }),
    // biome-ignore lint/correctness/useYield: nothing is reported on the way
    async *execute(input) {
      return work(input);
    },
    toModel: (output) => [{ type: 'text', text: output }],
    view: (_input, detail) => ({ kind: 'generic', title: 'Echo', detail }),
  });
  const standard = createCallMiddleware({
    environment,
    gate: ALLOWING,
    budget: UNBOUNDED,
    hooks: null,
    ...parts,
  });
  const executor = createCallExecutor({
    environment,
    middleware: [...added, ...standard],
    findTool: () => tool,
    arrival: () => null,
    toolNames: () => ['Echo'],
    parseInput: (_tool, input) => ok(input as Record<string, unknown>),
    emit: (event) => events.push(event),
    flush: async () => {},
    askUser: null,
    signal: new AbortController().signal,
  });
  executor.add({ type: 'tool_use', id: 'c1', name: 'Echo', input: { text: 'hello' } });
  await executor.done();
  return events.flatMap((event) => (event.type === 'call_settled' ? [event] : []));
}

const echo = ({ text }: { readonly text: string }) => ({ ok: true, output: text }) as const;

describe('a concern added around calls', () => {
  it('sees the call before it runs, changes it, and sees its outcome', async () => {
    const seen: string[] = [];
    const shout: CallMiddleware = async (call, next) => {
      seen.push(`${call.tool.name} ${call.input['text']}`);
      const outcome = await next({ ...call, input: { text: 'HELLO' } });
      seen.push(outcome.kind);
      return outcome;
    };
    const [settled] = await runOne(echo, { added: [shout] });
    expect(seen).toEqual(['Echo hello', 'done']);
    expect(settled?.content).toEqual([{ type: 'text', text: 'HELLO' }]);
  });

  it('can answer in the place of everything behind it', async () => {
    const [settled] = await runOne(
      () => {
        throw new Error('this must not run');
      },
      {
        added: [
          async ({ control }) => {
            const outcome = { kind: 'refused', status: 'denied', message: 'not today' } as const;
            control.settle(outcome);
            return outcome;
          },
        ],
      },
    );
    expect(settled).toMatchObject({ status: 'denied', isError: true });
  });

  it('that throws leaves the call one result', async () => {
    const before = await runOne(echo, {
      added: [
        async () => {
          throw new Error('broken');
        },
      ],
    });
    expect(before).toMatchObject([{ status: 'failed' }]);
    const after = await runOne(echo, {
      added: [
        async (call, next) => {
          await next(call);
          throw new Error('broken');
        },
      ],
    });
    expect(after).toMatchObject([{ status: 'done' }]);
  });
});

describe('spans', () => {
  const spanned = async (work: Parameters<typeof runOne>[0]) => {
    const log: unknown[] = [];
    await runOne(work, {
      parts: {
        span: ({ id, tool }) => {
          log.push([tool, id]);
          return { end: (status, result) => log.push([status, result]) };
        },
      },
    });
    return log;
  };

  it('cover each call, with its status and result', async () => {
    const log = await spanned(echo);
    expect(log[0]).toEqual(['Echo', 'c1']);
    expect(log.slice(1)).toMatchObject([['done', expect.any(String)]]);
  });

  it('mark a call that failed', async () => {
    const log = await spanned(() => ({ ok: false, message: 'it broke' }));
    expect(log.slice(1)).toEqual([['failed', 'it broke']]);
  });
});

const logging = (log: string[]): CheckpointStore => ({
  begin: async (callId, askScope) => {
    const scope = await askScope();
    if (scope === null) return null;
    log.push(`before ${callId} ${scope}`);
    return async () => void log.push(`after ${callId}`);
  },
});

describe('checkpoints', () => {
  it('are taken right before and after a call runs', async () => {
    const log: string[] = [];
    await runOne(
      (input) => {
        log.push('runs');
        return echo(input);
      },
      { parts: { checkpoints: logging(log) } },
    );
    expect(log).toEqual(['before c1 all', 'runs', 'after c1']);
  });

  it('are not taken of a tool that changes nothing outside Lathe', async () => {
    const log: string[] = [];
    const decided = [{ kind: 'tool', tool: 'Echo', readOnly: true }] as const;
    await runOne(echo, {
      parts: {
        gate: { check: async () => ({ kind: 'allowed', decided }), denial: async () => null },
        checkpoints: logging(log),
      },
    });
    expect(log).toEqual([]);
  });

  it('are taken of the files that a call writes, and of no call that only reads', async () => {
    const log: string[] = [];
    await runOne(echo, {
      access: async () => writing('/p/a'),
      parts: { checkpoints: logging(log) },
    });
    await runOne(echo, {
      access: async () => reading('/p/a'),
      parts: { checkpoints: logging(log) },
    });
    expect(log).toEqual(['before c1 /p/a', 'after c1']);
  });

  it('are not taken of a call that is refused', async () => {
    const log: string[] = [];
    const refusal = { kind: 'refused', status: 'denied', message: 'no' } as const;
    await runOne(echo, {
      parts: {
        gate: { check: async () => refusal, denial: async () => null },
        checkpoints: logging(log),
      },
    });
    expect(log).toEqual([]);
  });
});
