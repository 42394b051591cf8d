import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createCallMiddleware } from '../../../src/main/engine/tools/middleware/all';
import type { ResultBudget } from '../../../src/main/engine/tools/middleware/result-budget';
import { ownNeeds } from '../../../src/main/engine/tools/needs';
import { NO_ACCESS } from '../../../src/main/engine/tools/resource-access';
import { createCallExecutor } from '../../../src/main/engine/tools/streaming-executor';
import { type AnyTool, defineTool } from '../../../src/main/engine/tools/tool';
import type { AgentEvent } from '../../../src/shared/agent-event';
import type { ToolUseBlock } from '../../../src/shared/message';
import { err, ok } from '../../../src/shared/result';
import { ALLOWING, UNBOUNDED } from '../../support/schedule';
import { toolEnvironment } from '../../support/tool-environment';

/** A tool whose calls end when the test says so. */
function manualTool(name: string, safe: boolean, failureCancelsSiblings = false) {
  const open = new Map<string, (fails: boolean) => void>();
  const tool: AnyTool = defineTool({
    name,
    description: name,
    input: z.object({ key: z.string() }),
    access: async () => (safe ? NO_ACCESS : 'alone'),
    needs: ownNeeds(name),
    title: () => ({ verb: name, target: '' }),
    async *execute(input, { signal }) {
      const fails = await new Promise<boolean>((resolve) => {
        open.set(input.key, resolve);
        signal.addEventListener('abort', () => resolve(true));
      });
      return fails ? { ok: false, message: 'it broke' } : { ok: true, output: input.key };
    },
    toModel: (output: string) => [{ type: 'text', text: output }],
    view: (_input, output) => ({ kind: 'generic', title: name, detail: output }),
    failureCancelsSiblings,
  });
  return {
    tool,
    running: () => [...open.keys()],
    end: (key: string, fails = false) => {
      open.get(key)?.(fails);
      open.delete(key);
    },
  };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));
const use = (name: string, key: string, extra: Partial<ToolUseBlock> = {}): ToolUseBlock => ({
  type: 'tool_use',
  id: key,
  name,
  input: { key },
  ...extra,
});

function setUp(
  tools: readonly AnyTool[],
  fit: ResultBudget['fit'] = UNBOUNDED.fit,
  arrival: (name: string) => Promise<void> | null = () => null,
) {
  const events: AgentEvent[] = [];
  const abort = new AbortController();
  const environment = toolEnvironment();
  const parts = { environment, gate: ALLOWING, budget: { fit }, hooks: null };
  const executor = createCallExecutor({
    environment,
    middleware: createCallMiddleware(parts),
    findTool: (name) => tools.find((tool) => tool.name === name) ?? null,
    arrival,
    toolNames: () => tools.map((tool) => tool.name),
    parseInput: (tool, input) => {
      const parsed = tool.input.safeParse(input);
      return parsed.success ? ok(parsed.data) : err('key: expected a string');
    },
    emit: (event) => events.push(event),
    flush: async () => {},
    askUser: null,
    signal: abort.signal,
  });
  const settled = () =>
    events.flatMap((e) => (e.type === 'call_settled' ? [`${e.callId}:${e.status}`] : []));
  const textOf = (id: string) =>
    events.flatMap((e) =>
      e.type === 'call_settled' && e.callId === id
        ? e.content.map((c) => (c.type === 'text' ? c.text : ''))
        : [],
    )[0];
  return { executor, events, abort, settled, textOf };
}

describe('streaming executor', () => {
  it('starts a call while others are still to come, and runs safe ones together', async () => {
    const read = manualTool('Read', true);
    const { executor, settled } = setUp([read.tool]);
    executor.add(use('Read', 'a'));
    await tick();
    expect(read.running()).toEqual(['a']);
    executor.add(use('Read', 'b'));
    await tick();
    expect(read.running()).toEqual(['a', 'b']);
    read.end('b');
    read.end('a');
    await executor.done();
    expect(settled()).toEqual(['b:done', 'a:done']);
  });

  it('lets go of the signal when the response is over: a query has a thousand of them', async () => {
    const read = manualTool('Read', true);
    const { executor, abort } = setUp([read.tool]);
    executor.add(use('Read', 'a'));
    await tick();
    expect(getEventListeners(abort.signal, 'abort')).not.toEqual([]);
    read.end('a');
    await executor.done();
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });

  it('holds an unsafe call until those before it are done, and those after it', async () => {
    const read = manualTool('Read', true);
    const bash = manualTool('Bash', false);
    const { executor } = setUp([read.tool, bash.tool]);
    executor.add(use('Read', 'a'));
    executor.add(use('Bash', 'b'));
    executor.add(use('Read', 'c'));
    await tick();
    expect([...read.running(), ...bash.running()]).toEqual(['a']);
    read.end('a');
    await tick();
    expect([...read.running(), ...bash.running()]).toEqual(['b']);
    bash.end('b');
    await tick();
    expect(read.running()).toEqual(['c']);
    read.end('c');
    await executor.done();
  });

  it('cancels what has not started when a shell call fails', async () => {
    const bash = manualTool('Bash', false, true);
    const { executor, settled } = setUp([bash.tool]);
    for (const key of ['a', 'b', 'c']) executor.add(use('Bash', key));
    await tick();
    bash.end('a', true);
    await executor.done();
    expect(settled()).toEqual(['a:failed', 'b:cancelled', 'c:cancelled']);
  });

  it('keeps what a failed call says within the budget of results too', async () => {
    const bash = manualTool('Bash', false);
    const fitted: unknown[] = [];
    const { executor, textOf } = setUp([bash.tool], async (id, content, maxChars) => {
      fitted.push([id, content, maxChars]);
      return [{ type: 'text', text: 'a preview' }];
    });
    executor.add(use('Bash', 'a'));
    await tick();
    bash.end('a', true);
    await executor.done();
    expect(fitted).toEqual([['a', [{ type: 'text', text: 'it broke' }], 50_000]]);
    expect(textOf('a')).toBe('<tool_use_error>a preview</tool_use_error>');
  });

  it('gives every call a result when it is aborted', async () => {
    const bash = manualTool('Bash', false);
    const { executor, settled, abort } = setUp([bash.tool]);
    for (const key of ['a', 'b']) executor.add(use('Bash', key));
    await tick();
    abort.abort();
    await executor.done();
    expect(settled().sort()).toEqual(['a:cancelled', 'b:cancelled']);
  });

  it.each<[string, ToolUseBlock, RegExp]>([
    ['an unknown tool', use('Nope', 'a'), /no tool named "Nope".*Available: Read/],
    ['__proto__', use('__proto__', 'a'), /no tool named "__proto__"/],
    [
      'a cut input',
      use('Read', 'a', { invalid: 'the JSON ended early' }),
      /not run: the JSON ended early/,
    ],
    ['a wrong input', use('Read', 'a', { input: { key: 3 } }), /key: expected a string/],
  ])('THREATS 15: refuses %s with a result that says so', async (_name, block, message) => {
    const read = manualTool('Read', true);
    const { executor, textOf } = setUp([read.tool]);
    executor.add(block);
    await executor.done();
    expect(read.running()).toEqual([]);
    expect(executor.hasStarted()).toBe(false);
    expect(textOf('a')).toMatch(message);
    expect(textOf('a')).toMatch(/^<tool_use_error>.*<\/tool_use_error>$/);
  });

  describe('a call whose tool a server is about to bring', () => {
    const setUpComing = () => {
      const brought = Promise.withResolvers<void>();
      const read = manualTool('Read', true);
      const tools: AnyTool[] = [read.tool];
      const came = (name: string) => (name === 'mcp__s__go' ? brought.promise : null);
      const coming = manualTool('mcp__s__go', true);
      return { ...setUp(tools, UNBOUNDED.fit, came), tools, brought, read, coming };
    };

    it('waits for it, and those after it keep their order', async () => {
      const t = setUpComing();
      t.executor.add(use('Read', 'a'));
      t.executor.add(use('mcp__s__go', 'b'));
      t.executor.add(use('Read', 'c'));
      await tick();
      expect([...t.read.running(), ...t.coming.running()]).toEqual(['a']);
      expect(t.settled()).toEqual([]);
      t.tools.push(t.coming.tool);
      t.brought.resolve();
      await tick();
      expect([...t.read.running(), ...t.coming.running()]).toEqual(['a', 'c', 'b']);
      for (const key of ['a', 'c']) t.read.end(key);
      t.coming.end('b');
      await t.executor.done();
      expect(t.settled().toSorted()).toEqual(['a:done', 'b:done', 'c:done']);
    });

    it('is told that there is none when the server does not bring it', async () => {
      const t = setUpComing();
      t.executor.add(use('mcp__s__go', 'b'));
      t.brought.resolve();
      await t.executor.done();
      expect(t.textOf('b')).toContain('There is no tool named "mcp__s__go"');
    });

    it('is stopped alone while it waits', async () => {
      const t = setUpComing();
      t.executor.add(use('mcp__s__go', 'b'));
      t.executor.add(use('Read', 'c'));
      await tick();
      expect(t.executor.cancel('b')).toBe(true);
      await tick();
      expect(t.read.running()).toEqual(['c']);
      t.read.end('c');
      await t.executor.done();
      expect(t.settled()).toEqual(['b:cancelled', 'c:done']);
    });

    it('ends with the query', async () => {
      const t = setUpComing();
      t.executor.add(use('mcp__s__go', 'b'));
      await tick();
      t.abort.abort();
      await t.executor.done();
      expect(t.settled()).toEqual(['b:cancelled']);
    });
  });
});
