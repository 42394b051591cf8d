import { afterEach, describe, expect, it } from 'vitest';
import { requestSettings } from '../../../src/main/app/connection';
import type { ModelEvent } from '../../../src/main/engine/model/model-client';
import {
  createModelMenu,
  fetchModels,
  mergeModels,
} from '../../../src/main/engine/model/models-api';
import { createAnthropicClient } from '../../../src/main/engine/model/providers/anthropic';
import { requestBody, thinkingField } from '../../../src/main/engine/model/request-body';
import type { ThinkingMode } from '../../../src/shared/agent-event';
import { memoryClock } from '../../support/memory-clock';
import { type Script, type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import { error, reply, stall, text, truncated } from '../../support/scripted-api-replies';
import { ask, clientFor, collect, fakeClock } from './fakes';

let api: ScriptedApi | null = null;
const serve = async (script: Script, pages: Readonly<Record<string, unknown>> = {}) => {
  api = await startScriptedApi(script, { pages });
  return api;
};
afterEach(async () => {
  await api?.close();
  api = null;
});

const adaptive = { type: 'adaptive', display: 'summarized' };

describe('thinking', () => {
  it.each<[string, ThinkingMode, unknown]>([
    ['claude-opus-5-5', 'adaptive', adaptive],
    ['claude-opus-5-5', 'disabled', adaptive],
    ['claude-sonnet-5-5', 'disabled', { type: 'between_tools' }],
    ['claude-opus-5', 'disabled', { type: 'disabled' }],
    ['claude-opus-5', { budgetTokens: 4000 }, adaptive],
    ['claude-haiku-4-5', 'adaptive', null],
    ['claude-haiku-4-5', 'disabled', null],
    ['claude-haiku-4-5', { budgetTokens: 4000 }, { type: 'enabled', budget_tokens: 4000 }],
    ['claude-haiku-4-5', { budgetTokens: 10 }, { type: 'enabled', budget_tokens: 1024 }],
    ['claude-haiku-4-5', { budgetTokens: 99_999 }, { type: 'enabled', budget_tokens: 7999 }],
    ['a-model-nobody-knows', 'adaptive', null],
  ])('of %s, %j, is sent as %j', (model, mode, field) => {
    expect(thinkingField(model, mode, 8000)).toEqual(field);
  });

  it('never sends a budget that does not fit the answer', () => {
    expect(thinkingField('claude-haiku-4-5', { budgetTokens: 2000 }, 1000)).toBeNull();
  });

  it('is chosen per request, and adaptive where none was', async () => {
    await serve([reply('a'), reply('b')]);
    const client = clientFor(api?.url ?? '');
    await collect(client, ask('x', { model: 'claude-opus-5', thinking: 'disabled' }));
    await collect(client, ask('x', { model: 'claude-opus-5' }));
    expect(api?.requests.map((r) => r.body['thinking'])).toEqual([{ type: 'disabled' }, adaptive]);
  });
});

describe('an endpoint', () => {
  it('has its own version, betas, headers; a compatible one never gets what only the official knows', async () => {
    await serve([reply('x')]);
    const client = clientFor(api?.url ?? '', {
      ...requestSettings({
        LATHE_API_VERSION: '2023-06-01',
        ANTHROPIC_BETAS: 'one-beta, other-beta',
        ANTHROPIC_CUSTOM_HEADERS: 'X-Team: blue',
      }),
      idleMs: 0,
    });
    await collect(client, ask('x', { previousMessageId: 'msg_1' }));
    const [request] = api?.requests ?? [];
    expect(request?.headers).toMatchObject({
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'one-beta,other-beta',
      'x-team': 'blue',
    });
    expect(request?.body).not.toHaveProperty('diagnostics');
    expect(JSON.stringify(request?.body)).not.toContain('block_binding');
  });

  it('that can say why its cache was missed is asked', () => {
    const features = {
      ...{ dropStaleThinking: true, diagnoseCache: true },
      ...{ taskBudget: true, compaction: false },
    };
    const body = requestBody(ask('x', { previousMessageId: 'msg_1' }), features);
    expect(body['diagnostics']).toEqual({ previous_message_id: 'msg_1' });
    expect(body['thinking']).toMatchObject({ block_binding: expect.anything() });
  });

  it('reads numbers of the environment and leaves nonsense out', () => {
    const settings = requestSettings({
      LATHE_STREAM_IDLE_MS: '5000',
      CLAUDE_CODE_MAX_RETRIES: '2',
      API_TIMEOUT_MS: 'soon',
      LATHE_UNATTENDED: '1',
    });
    expect(settings).toMatchObject({ idleMs: 5000, maxAttempts: 3, unattended: true });
    expect(settings).not.toHaveProperty('timeoutMs');
  });
});

describe('what is spent', () => {
  const usage = {
    input_tokens: 1000,
    output_tokens: 50,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 200,
  };
  const priced = (events: readonly ModelEvent[]) =>
    events.flatMap((e) => (e.type === 'spent' || e.type === 'message_finished' ? [e] : []));
  const bare = () =>
    createAnthropicClient({
      apiKey: 'test-key',
      baseUrl: api?.url ?? '',
      clock: fakeClock(),
      price: (u) => u.inputTokens + u.outputTokens,
    });

  it('by a finished answer counts once', async () => {
    await serve([reply('done', { usage })]);
    expect(priced(await collect(bare(), ask('x')))).toMatchObject([
      {
        type: 'message_finished',
        usage: { inputTokens: 1000, outputTokens: 50, cacheReadTokens: 300, cacheWriteTokens: 200 },
        costUsd: 1050,
      },
    ]);
  });

  it('by a stopped answer is what its beginning said', async () => {
    await serve([stall(reply('never finished', { usage }), 4)]);
    const abort = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of bare().stream(ask('x'), abort.signal)) {
      events.push(event);
      if (event.type === 'block_delta') abort.abort();
    }
    expect(priced(events)).toMatchObject([
      {
        type: 'spent',
        model: 'claude-opus-5-5',
        usage: { inputTokens: 1000, cacheReadTokens: 300 },
      },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { kind: 'aborted' } });
  });

  it('by a voided answer counts beside that of the one in its place; a refusal costs nothing', async () => {
    await serve([
      error(500),
      truncated(reply('a text that is cut in the middle', { usage }), 4),
      reply('whole', { usage }),
    ]);
    const client = clientFor(api?.url ?? '', { price: (u) => u.inputTokens });
    const found = priced(await collect(client, ask('x')));
    expect(found.map((e) => [e.type, e.costUsd])).toEqual([
      ['spent', 1000],
      ['message_finished', 1000],
    ]);
  });
});

describe('the menu of models', () => {
  const offered = {
    id: 'claude-opus-5-5',
    display_name: 'Claude Opus 5.5 (fresh)',
    lifecycle: 'active',
    max_input_tokens: 2_000_000,
    capabilities: {
      effort: { supported: true, low: { supported: true }, max: { supported: true } },
    },
  };
  const page = {
    data: [
      offered,
      { ...offered, id: 'claude-next-9', display_name: 'Claude Next 9' },
      { ...offered, id: 'claude-old-1', lifecycle: 'retired' },
    ],
    has_more: false,
  };
  const options = () => ({ apiKey: 'test-key', baseUrl: api?.url ?? '', clock: memoryClock() });

  it('comes from the API: its facts for the aliases, then what else it offers, nothing retired', async () => {
    await serve([], { '/v1/models': page });
    const menu = mergeModels({}, await fetchModels(options()));
    expect(menu[0]).toEqual({
      id: 'claude-opus-5-5',
      alias: 'opus',
      name: 'Claude Opus 5.5 (fresh)',
      contextTokens: 2_000_000,
      efforts: ['low', 'max'],
      thinking: { adaptive: true, off: 'never' },
    });
    expect(menu.at(-1)).toMatchObject({ id: 'claude-next-9', name: 'Claude Next 9' });
    expect(menu.at(-1)?.thinking).toBeUndefined();
    expect(menu.map((m) => m.id)).not.toContain('claude-old-1');
  });

  it('is the built-in list without a key, without such a path, and when no answer comes in time', async () => {
    await serve([]);
    expect(await fetchModels({ clock: memoryClock() })).toBeNull();
    expect(await fetchModels(options())).toBeNull();
    const clock = memoryClock();
    const waiting = fetchModels({ ...options(), clock, fetch: () => new Promise(() => {}) });
    await clock.advance(5_000);
    expect(await waiting).toBeNull();
    expect(mergeModels({}, null).map((m) => m.alias)).toEqual([
      'opus',
      'sonnet',
      'haiku',
      'fable',
      'opusplan',
    ]);
  });

  it('is the built-in list when the answer never ends', async () => {
    await serve([]);
    const mebibyte = new Uint8Array(1024 * 1024).fill(32);
    let read = 0;
    const endless: typeof fetch = async () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            read += 1;
            if (read > 1000) controller.close();
            else controller.enqueue(mebibyte);
          },
        }),
      );
    expect(await fetchModels({ ...options(), fetch: endless })).toBeNull();
    expect(read).toBeLessThan(100);
  });

  it('is asked for once per connection', async () => {
    let asked = 0;
    await serve([], { '/v1/models': page });
    const counting: typeof fetch = (url, init) => {
      asked += 1;
      return fetch(url, init);
    };
    const menu = createModelMenu({}, memoryClock());
    await menu.list({ ...options(), fetch: counting });
    await menu.list({ ...options(), fetch: counting });
    expect(asked).toBe(1);
    await menu.list({ ...options(), apiKey: 'another', fetch: counting });
    expect(asked).toBe(2);
  });
});

describe('unattended', () => {
  it('goes on past ten tries, and tells every half minute that it still waits', async () => {
    await serve((_, n) => (n < 14 ? error(529) : reply([text('at last')])));
    const clock = fakeClock();
    const events = await collect(clientFor(api?.url ?? '', { clock, unattended: true }), ask('x'));
    expect(events.at(-1)?.type).toBe('message_finished');
    expect(api?.requests).toHaveLength(15);
    const waits = events.filter((e) => e.type === 'retry_waiting');
    const beats = waits.filter((e) => e.heartbeat === true);
    expect(Math.max(...waits.map((e) => e.delayMs))).toBe(300_000);
    expect(Math.max(...clock.slept)).toBe(30_000);
    expect(beats.slice(0, 2).map((e) => e.delayMs)).toEqual([2000, 34_000]);
  });
});
