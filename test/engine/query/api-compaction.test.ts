import { describe, expect, it } from 'vitest';
import { contextReport } from '../../../src/main/engine/context/report';
import { createCompactionSwitches } from '../../../src/main/engine/model/api-compaction';
import { createEchoTool } from '../../support/echo-tool';
import type { RecordedRequest } from '../../support/scripted-api';
import { compactionBlock } from '../../support/scripted-api-check';
import { error, type Reply, reply, toolUse } from '../../support/scripted-api-replies';
import type { TestSession } from '../../support/session';
import { endOf, ofType, sessionsOfFile } from './support';

const start = sessionsOfFile();

/** An endpoint that is said to know it, and a window that is full at 98 808 tokens. */
const KNOWN = {
  autocompact: () => ({ enabled: true, windowTokens: 120_000 }),
  tools: [createEchoTool()],
  client: { betas: ['compact-2026-09-04'] },
};
const WORDS = 'The task: count.';
const BLOCK = compactionBlock(`<summary>${WORDS}</summary>`);
const { content, encrypted_content, signature } = BLOCK;

/** The block as it is streamed. */
const written = reply(
  [
    {
      kind: 'raw',
      start: { type: 'compaction', content: null, encrypted_content: null },
      deltas: [
        { type: 'compaction_delta', content, encrypted_content },
        { type: 'signature_delta', signature },
      ],
    },
  ],
  { stopReason: 'compaction', usage: { input_tokens: 900, output_tokens: 70 } },
);
const asksApi = ({ body }: RecordedRequest) => 'compaction' in body;
const asksInWords = ({ body }: RecordedRequest) =>
  JSON.stringify(body.messages.at(-1)).includes('about to be replaced by a summary');
const full = reply(['Working.', toolUse('Echo', { text: 'said' }, 'call_a')], {
  usage: { input_tokens: 99_000, output_tokens: 10 },
});

const messagesOf = (request: RecordedRequest | undefined) => request?.body.messages ?? [];
const said = (t: TestSession): string => JSON.stringify(messagesOf(t.api.requests.at(-1)));

describe('the API’s own way of summarising', () => {
  it('is used where the endpoint has it, and its block goes back first, also after a restart', async () => {
    const script = (request: RecordedRequest, number: number): Reply =>
      asksApi(request) ? written : number === 0 ? full : reply('Done.');
    const t = await start(script, KNOWN);
    const events = await t.run('count');
    const [asked] = t.api.requests.filter(asksApi);
    expect(asked?.body['compaction']).toMatchObject({
      type: 'summarize',
      instructions: expect.stringContaining('about to be replaced by a summary'),
    });
    expect(asked && asksInWords(asked)).toBe(false);
    expect(JSON.stringify(messagesOf(asked))).toContain('cache_control');
    expect(ofType(events, 'compacted')).toMatchObject([{ summary: WORDS, block: BLOCK }]);
    expect(ofType(events, 'side_call')).toMatchObject([
      { purpose: 'compaction', usage: { inputTokens: 900, outputTokens: 70 } },
    ]);
    const [first] = messagesOf(t.api.requests.at(-1));
    expect(first).toEqual({ role: 'assistant', content: [BLOCK] });
    expect(said(t)).not.toContain('summarised to save space');
    expect(contextReport(t.session.log.transcript(), 200_000)).toMatch(
      /^api_compaction: acted once/m,
    );

    await t.run('go on');
    const before = messagesOf(t.api.requests.at(-1));
    await t.reopen();
    await t.run('and on');
    const after = messagesOf(t.api.requests.at(-1));
    const bare = (messages: typeof before) => JSON.stringify(messages.slice(0, 2));
    expect(bare(after)).toBe(bare(before));
    expect(t.api.requests.filter(({ betas }) => betas.includes('compact-2026-09-04'))).toHaveLength(
      t.api.requests.length,
    );
  });

  it('gives way to our own at once where the API refuses it, and is not tried again', async () => {
    const script = (request: RecordedRequest, number: number): Reply => {
      if (asksApi(request)) return error(400, 'compaction: Extra inputs are not permitted');
      if (asksInWords(request)) return reply(`<summary>${WORDS}</summary>`);
      return number === 0 || number === 4 ? full : reply('Done.');
    };
    const compactionSwitch = createCompactionSwitches();
    const t = await start(script, { ...KNOWN, client: { ...KNOWN.client, compactionSwitch } });
    const events = await t.run('count');
    expect(ofType(events, 'notice')).toMatchObject([{ level: 'info', code: 'api_compaction_off' }]);
    expect(ofType(events, 'compacted')).toMatchObject([{ summary: WORDS }]);
    expect(ofType(events, 'compacted')[0]?.block).toBeUndefined();
    expect(endOf(events).terminal).toBe('completed');
    await t.run('once more');
    expect(t.api.requests.filter(asksApi)).toHaveLength(1);
    expect(t.api.requests.filter(asksInWords)).toHaveLength(2);
    // Another session has a client of its own.
    const other = { isOn: true };
    expect(compactionSwitch('https://other.example')).toEqual(other);
    expect(compactionSwitch(t.api.url)).toEqual({ isOn: false });
  });

  it('gives way where the answer holds no summary; what it cost is counted', async () => {
    const empty = reply('I cannot do that.', { usage: { input_tokens: 50, output_tokens: 5 } });
    const script = (request: RecordedRequest, number: number): Reply => {
      if (asksApi(request)) return empty;
      if (asksInWords(request)) return reply(`<summary>${WORDS}</summary>`);
      return number === 0 ? full : reply('Done.');
    };
    const t = await start(script, KNOWN);
    const events = await t.run('count');
    expect(ofType(events, 'compacted')).toMatchObject([{ summary: WORDS }]);
    expect(ofType(events, 'side_call').map(({ usage }) => usage.inputTokens)).toContain(50);
  });

  it('sends the words where the API no longer takes its block', async () => {
    let refuses = false;
    const script = (request: RecordedRequest, number: number): Reply => {
      if (asksApi(request)) return written;
      const [first] = messagesOf(request);
      if (refuses && first?.role === 'assistant')
        return error(400, 'messages.0: the compaction block is not valid');
      return number === 0 ? full : reply('Done.');
    };
    const t = await start(script, KNOWN);
    await t.run('count');
    refuses = true;
    const events = await t.run('go on');
    expect(endOf(events).terminal).toBe('completed');
    expect(said(t)).toContain(WORDS);
    expect(messagesOf(t.api.requests.at(-1))[0]?.role).toBe('user');
  });

  it('is left alone where nobody said that the endpoint has it', async () => {
    const script = (request: RecordedRequest, number: number): Reply => {
      if (asksInWords(request)) return reply(`<summary>${WORDS}</summary>`);
      return number === 0 ? full : reply('Done.');
    };
    const t = await start(script, { ...KNOWN, client: {} });
    const events = await t.run('count');
    expect(ofType(events, 'compacted')).toMatchObject([{ summary: WORDS }]);
    expect(t.api.requests.some(asksApi)).toBe(false);
  });
});
