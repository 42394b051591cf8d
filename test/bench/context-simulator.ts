import { createAutocompact } from '../../src/main/engine/context/autocompact';
import { collapse } from '../../src/main/engine/context/collapse';
import type { ContextLayer, LayerDeps } from '../../src/main/engine/context/layer';
import { budgetOf, contextLimits } from '../../src/main/engine/context/limits';
import { createMicrocompact } from '../../src/main/engine/context/microcompact';
import { runLayers } from '../../src/main/engine/context/pipeline';
import { snip } from '../../src/main/engine/context/snip';
import { countTokens } from '../../src/main/engine/context/tokens';
import { createHistory } from '../../src/main/engine/messages/history';
import { normalizeMessages } from '../../src/main/engine/messages/normalize';
import type { ModelRequest } from '../../src/main/engine/model/model-client';
import type { AgentEvent, DurableEvent } from '../../src/shared/agent-event';
import type { Message } from '../../src/shared/message';

/** What a run of the simulator is about. */
interface Workload {
  readonly turns: number;
  /** The length of each result. Characters. */
  readonly resultChars: number;
  readonly windowTokens: number;
  /** System prompt and tools. Tokens. */
  readonly prefixTokens: number;
}

/** The sums of all requests. Tokens. */
interface Simulated {
  /** Read from the cache, written to it. */
  readonly read: number;
  readonly written: number;
  /** Input + 1.25 × writes + 0.1 × reads: everything new is written. */
  readonly units: number;
  /** The largest request. */
  readonly peak: number;
  /** Tokens that each layer freed, and how often it acted. */
  readonly layers: Readonly<Record<string, { readonly freed: number; readonly acts: number }>>;
}

/** Compares our layers with a summary whenever the window of 200 000 tokens is full. */
export async function compare(work: Pick<Workload, 'turns' | 'resultChars'>) {
  const workload = { ...work, windowTokens: 200_000, prefixTokens: 7_000 };
  const autocompact = () => createAutocompact(() => ({ enabled: true }));
  const clearing = [snip, createMicrocompact(() => true), collapse];
  return {
    ours: await simulate(workload, [...clearing, autocompact()]),
    whenFull: await simulate(workload, [autocompact()], false),
  };
}

/** The cost of a token that is read from the cache, and of one that is put into it; plain input is 1. */
const PRICES = { read: 0.1, write: 1.25 };

/** The tokens of a summary that the simulated model writes. */
const SUMMARY_TOKENS = 2_000;
const MAX_OUTPUT = 8_192;
const MODEL = 'simulated';

/** Runs the layers over a conversation that only grows, and adds up what its requests cost with a cache by prefix. */
async function simulate(
  { turns, resultChars, windowTokens, prefixTokens }: Workload,
  layers: readonly ContextLayer[],
  writesAhead = true,
): Promise<Simulated> {
  const history = createHistory();
  const acted: Record<string, { freed: number; acts: number }> = {};
  const signal = new AbortController().signal;
  const sums = { read: 0, written: 0, peak: 0 };
  let cached: readonly string[] = [];
  let ids = 0;

  /** Adds a request to the sums. Returns its tokens. */
  const send = (messages: readonly Message[]): number => {
    const sent = normalizeMessages(messages, { model: MODEL }).map((one) => JSON.stringify(one));
    const known = sent.findIndex((text, at) => text !== cached[at]);
    const until = known < 0 ? sent.length : known;
    const read = tokensOf(sent.slice(0, until)) + (cached.length === 0 ? 0 : prefixTokens);
    const all = tokensOf(sent) + prefixTokens;
    sums.read += read;
    sums.written += all - read;
    sums.peak = Math.max(sums.peak, all);
    cached = sent;
    return all;
  };

  const record = (event: AgentEvent): void => {
    history.fold(event as DurableEvent);
    if (event.type === 'context_edited') note(event.layer, event.freed);
    if (event.type === 'compacted') note('autocompact', event.tokensBefore - event.tokensAfter);
  };
  const note = (layer: string, freed: number): void => {
    const before = acted[layer] ?? { freed: 0, acts: 0 };
    acted[layer] = { freed: before.freed + freed, acts: before.acts + 1 };
  };
  const request = (messages: readonly Message[]): ModelRequest => ({
    model: MODEL,
    maxTokens: MAX_OUTPUT,
    system: [{ type: 'text', text: 's'.repeat(prefixTokens * 4) }],
    tools: [],
    messages: normalizeMessages(messages, { model: MODEL }),
  });
  const beside: Promise<void>[] = [];
  const deps: Omit<LayerDeps, 'record'> = {
    model: {
      stream: async function* () {
        const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
        yield { type: 'message_started', messageId: 'summary', model: MODEL };
        const text = 'w'.repeat(SUMMARY_TOKENS * 4);
        yield { type: 'block_finished', index: 0, block: { type: 'text', text } };
        yield { type: 'message_finished', stopReason: 'end_turn', usage, costUsd: 0 };
      },
    },
    buildRequest: async (messages) => {
      const kept = cached;
      send(messages);
      cached = kept;
      return request(messages);
    },
    maxOutput: () => MAX_OUTPUT,
    restore: async () => [],
    pinned: () => new Set(),
    beside: (work) => void beside.push(work(signal)),
    affords: () => writesAhead,
    clock: { now: () => 0 } as LayerDeps['clock'],
    ids: { next: (prefix) => `${prefix}_${ids++}`, uuid: () => `${ids++}` } as LayerDeps['ids'],
  };

  record({ type: 'user_message', id: 'go', content: [{ type: 'text', text: 'Read it all.' }] });
  for (let turn = 0; turn <= turns; turn += 1) {
    const tokens = countTokens(history.messages(), request(history.messages()), history.cuts());
    const cache = { prices: PRICES, isCold: false, turnsLeft: null };
    const budget = budgetOf(tokens, contextLimits(windowTokens, MAX_OUTPUT), cache);
    await runLayers({ ...deps, layers, history: history.messages, record }, budget, signal);
    await Promise.all(beside.splice(0));
    const used = send(history.messages());
    const callId = `toolu_01${String(turn).padStart(20, '0')}`;
    const messageId = `msg_${turn}`;
    const input = { file_path: `/home/somebody/project/src/part-${turn}.ts` };
    const block = { type: 'tool_use' as const, id: callId, name: 'Read', input };
    record({ type: 'block_finished', messageId, model: MODEL, index: 0, block });
    record({
      ...{ type: 'message_finished', messageId, model: MODEL, stopReason: 'tool_use', costUsd: 0 },
      usage: { inputTokens: used, outputTokens: 40, cacheReadTokens: 0, cacheWriteTokens: 0 },
    });
    record({
      ...{ type: 'call_settled', callId, tool: 'Read', title: { verb: 'Read', target: '' } },
      ...{ status: 'done', isError: false, view: null, durationMs: 0 },
      content: [{ type: 'text', text: `${turn} `.padEnd(resultChars, 'some words of a file ') }],
    });
  }
  const units = sums.written * PRICES.write + sums.read * PRICES.read;
  return { ...sums, units, layers: acted };
}

const tokensOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 4;
