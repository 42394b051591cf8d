import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { error, reply, text, toolUse, toolUseJson } from '../../support/scripted-api-replies';
import { endOf, maxTokensOf, ofType, reasonsOf, saidIn, sessionsOfFile } from './support';

const start = sessionsOfFile();
const cut = (words: string) => reply(words, { stopReason: 'max_tokens' });

describe('an answer that reaches the output limit', () => {
  it('is asked for again, once, with more room; the cut one leaves history and screen', async () => {
    const t = await start([cut('Half of'), reply('The whole answer.')]);
    const events = await t.run('tell me');
    expect(reasonsOf(events)).toEqual(['max_output_tokens_escalate']);
    expect(maxTokensOf(t.api)).toEqual([8192, 64_000]);
    expect(saidIn(t.api, 1)).toBe(saidIn(t.api, 0));
    expect(endOf(events)).toMatchObject({
      terminal: 'completed',
      text: 'The whole answer.',
      turns: 2,
    });
    expect(endOf(events).usage.outputTokens).toBe(40);
    const [first] = ofType(events, 'message_started');
    expect(ofType(events, 'tombstone')).toMatchObject([{ messageId: first?.messageId }]);
    const shown = t.session.log.transcript().committed.filter((item) => item.kind === 'text');
    expect(shown.map((item) => item.text)).toEqual(['The whole answer.']);
  });

  it('is resumed up to three times, and is one answer in the end', async () => {
    const t = await start([cut('x'), cut('one '), cut('two '), cut('three '), reply('four')]);
    const events = await t.run('count');
    expect(reasonsOf(events)).toEqual([
      'max_output_tokens_escalate',
      'max_output_tokens_recovery',
      'max_output_tokens_recovery',
      'max_output_tokens_recovery',
    ]);
    expect(maxTokensOf(t.api)).toEqual([8192, 64_000, 64_000, 64_000, 64_000]);
    expect(endOf(events)).toMatchObject({
      terminal: 'completed',
      text: 'one two three four',
      turns: 5,
    });
    expect(ofType(events, 'turn_started').map(({ turn }) => turn)).toEqual([1, 2, 3, 4, 5]);
    expect(saidIn(t.api, 4)).toMatch(/no apology/);
  });

  it('is given up after that, and the next query works', async () => {
    const t = await start([...Array.from({ length: 5 }, () => cut('more ')), reply('fine')]);
    const events = await t.run('count');
    expect(endOf(events)).toMatchObject({ terminal: 'model_error', stopReason: 'max_tokens' });
    expect(endOf(events).text).toMatch(/output limit/);
    expect(endOf(await t.run('shorter')).terminal).toBe('completed');
  });

  it('is not asked for again when one of its calls ran: it is resumed', async () => {
    const t = await start((_request, number) =>
      number === 0
        ? reply([toolUse('Read', { file_path: join(t.project, 'a.txt') }, 'c1'), text('and th')], {
            stopReason: 'max_tokens',
          })
        : reply('done'),
    );
    await writeFile(join(t.project, 'a.txt'), 'content of a\n');
    const events = await t.run('read it');
    expect(reasonsOf(events)).toEqual(['max_output_tokens_recovery']);
    expect(ofType(events, 'call_settled').map((e) => e.callId)).toEqual(['c1']);
    expect(saidIn(t.api, 1)).toContain('content of a');
    expect(maxTokensOf(t.api)).toEqual([8192, 8192]);
  });

  it('drops a call that was cut short together with its answer, and names it', async () => {
    const t = await start([
      reply([toolUseJson('Read', '{"file_path": "/etc/pas')], { stopReason: 'max_tokens' }),
      reply('done'),
    ]);
    const events = await t.run('read it');
    expect(reasonsOf(events)).toEqual(['max_output_tokens_escalate']);
    expect(saidIn(t.api, 1)).not.toContain('tool_use');
    expect(ofType(events, 'notice')).toMatchObject([
      {
        level: 'error',
        code: 'call_cut',
        text: expect.stringContaining('a call of Read, which was not run'),
      },
    ]);
    expect(t.session.log.transcript().committed.some((item) => item.kind === 'call')).toBe(false);
    await t.reopen();
    expect(t.session.log.transcript().committed.some((item) => item.kind === 'call')).toBe(false);
  });

  it('gets its room back after a turn with calls', async () => {
    const t = await start([
      cut('Half'),
      reply([toolUse('Read', { file_path: '/nowhere/x' })]),
      cut('Half again'),
      reply('done'),
    ]);
    const events = await t.run('go');
    expect(maxTokensOf(t.api)).toEqual([8192, 64_000, 8192, 64_000]);
    expect(endOf(events).terminal).toBe('completed');
  });
});

describe('input and output that do not fit together', () => {
  const refusal = (input: number, asked: number, limit: number) =>
    error(
      400,
      `input length and \`max_tokens\` exceed context limit: ${input} + ${asked} > ${limit}, decrease input length or \`max_tokens\` and try again`,
    );

  it('asks for the output that fits, and nobody hears of it', async () => {
    const t = await start([refusal(194_000, 8192, 200_000), reply('It fits.')]);
    const events = await t.run('go');
    expect(maxTokensOf(t.api)).toEqual([8192, 5000]);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'It fits.', turns: 1 });
    expect(ofType(events, 'notice')).toEqual([]);
  });

  it('summarises when too little output would be left', async () => {
    const t = await start([
      reply('First answer.'),
      refusal(198_000, 8192, 200_000),
      reply('<summary>We began.</summary>'),
      reply('Second answer.'),
    ]);
    await t.run('begin');
    const events = await t.run('go on');
    expect(reasonsOf(events)).toEqual(['reactive_compact_retry']);
    expect(maxTokensOf(t.api)).toEqual([8192, 8192, 20_000, 8192]);
    expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'Second answer.' });
  });
});

it('asks for as much as the user set, and for no more when it is cut', async () => {
  const t = await start([reply('Half', { stopReason: 'max_tokens' }), reply(' and half.')], {
    settings: { maxOutputTokens: 12_000 },
  });
  const events = await t.run('go');
  expect(maxTokensOf(t.api)).toEqual([12_000, 12_000]);
  expect(reasonsOf(events)).toEqual(['max_output_tokens_recovery']);
  expect(endOf(events)).toMatchObject({ terminal: 'completed', text: 'Half and half.' });
});
