import { describe, expect, it } from 'vitest';
import { pastedText } from '../../../src/shared/paste';
import { reply, toolUse } from '../../support/scripted-api-replies';
import { saidIn, sessionsOfFile } from './support';

const start = sessionsOfFile();
const read = (path: string) => toolUse('Read', { file_path: path });

describe('a task budget', () => {
  const budgets = (t: Awaited<ReturnType<typeof start>>) =>
    t.api.requests.map((r) => (r.body['output_config'] as Record<string, unknown>)['task_budget']);
  const known = { client: { betas: ['task-budgets-2026-03-13'] } };
  const long = { usage: { input_tokens: 985_000, output_tokens: 5_000 } };

  it('lets the API count, with the same number each time until a summary made it lose count', async () => {
    const t = await start(
      [
        reply([read('/nowhere/x')]),
        reply([read('/nowhere/y')], long),
        reply('<summary>All.</summary>', { usage: { input_tokens: 10, output_tokens: 1_000 } }),
        reply('Done.', { usage: { input_tokens: 10, output_tokens: 100_000 } }),
      ],
      known,
    );
    await t.run('use 100k tokens for this');
    const total = { type: 'tokens', total: 100_000 };
    const left = 100_000 - 20 - 5_000 - 1_000;
    expect(budgets(t)).toEqual([total, total, undefined, { ...total, remaining: left }]);
    expect(saidIn(t.api, 0)).toContain('budget of 100000 output tokens');
  });

  it('is what a user typed, not what a paste says', async () => {
    const t = await start([reply('Done.')], known);
    const pasted = { type: 'text' as const, text: pastedText('use 100k tokens') };
    for await (const _ of t.session.submit([{ type: 'text', text: 'See:' }, pasted])) {
      // The request is what counts.
    }
    expect(budgets(t)).toEqual([undefined]);
    expect(saidIn(t.api, 0)).toContain('use 100k tokens');
    expect(saidIn(t.api, 0)).not.toContain('budget of');
  });

  it.each<[string, string, object, string]>([
    ['an endpoint that does not know it', 'use 100k tokens', {}, 'claude-sonnet-5-5'],
    ['a model that does not know it', 'use 100k tokens', known, 'claude-sonnet-5'],
    ['a wish that is too small for it', 'use 5k tokens', known, 'claude-sonnet-5-5'],
    ['no wish', 'go on', known, 'claude-sonnet-5-5'],
  ])('is not sent for %s', async (_name, prompt, options, model) => {
    const usage = { input_tokens: 10, output_tokens: 100_000 };
    const t = await start([reply('Done.', { usage })], options);
    t.session.main.engine.configure({ model });
    await t.run(prompt);
    expect(budgets(t)).toEqual([undefined]);
  });
});
