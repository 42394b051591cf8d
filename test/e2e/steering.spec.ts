import { accessibilityFaults } from '../support/accessibility';
import { error, hold, reply, text } from '../support/scripted-api-replies';
import { expect, test } from './support/lathe';
import { gate, lastTold, played } from './support/scripted-app';

test.slow();

test('a failed request counts down and can be hurried; what waits can be changed, moved and steered in, and sent after a stop; model and effort are chosen', async ({
  page,
  lathe,
}) => {
  const usage = { input_tokens: 1000, cache_read_input_tokens: 99_000, output_tokens: 500 };
  const [first, second] = [gate(), gate()];
  const script = [
    error(529, 'busy', { 'retry-after': '600' }),
    reply('Here I am.', { usage }),
    reply([text('Looking.'), hold(first.opened), text('Never seen.')]),
    reply('Steered.'),
    reply('All done.'),
    reply([text('Looking.'), hold(second.opened)]),
    reply('Second.'),
    reply('Third.'),
  ];
  try {
    await played({ page, lathe }, script, async (app, api) => {
      await test.step('a failed request counts down, can be hurried, and is told of afterwards', async () => {
        await app.send('hello');
        await expect(app.conversation).toContainText(
          /overloaded \(529\).*Trying again in 9m \d\ds/,
        );
        await expect(app.conversation).toContainText('try 2 of 10');
        expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
        await app.conversation.getByRole('button', { name: 'Try now' }).click();
        await expect(app.conversation).toContainText('Here I am.');
        await expect(app.conversation).toContainText('The model answered on try 2');

        await app.status.getByRole('button', { name: /^Usage: context 10 %/ }).click();
        const numbers = page.getByRole('dialog', { name: 'Usage of this session' });
        await expect(numbers).toContainText('101k of 1M tokens');
        await expect(numbers).toContainText('from the cache99 %99k');
        expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
        await page.keyboard.press('Escape');
        await expect(numbers).toBeHidden();
      });

      await test.step('what waits can be changed, moved and steered in, and goes in as it stands', async () => {
        await app.newSession();
        const before = api.requests.length;
        await app.send('begin');
        await expect(app.conversation).toContainText('Looking.');
        for (const words of ['one', 'two', 'three']) await app.send(words);
        const queue = page.getByRole('list', { name: 'Queued prompts' });
        const line = (words: string) =>
          queue.getByRole('button', { name: `Edit queued message: ${words}` });
        await expect(queue.getByRole('listitem')).toHaveCount(3);
        expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);

        await line('three').focus();
        await page.keyboard.press('Alt+ArrowUp');
        await expect(queue.getByRole('listitem').nth(1)).toContainText('three');
        await expect(line('three')).toBeFocused();
        await line('one').press('Enter');
        await page.keyboard.type('one, but better');
        await page.keyboard.press('Enter');
        await expect(line('one, but better')).toBeVisible();
        const two = queue.getByRole('listitem').nth(2);
        await two.getByRole('button', { name: /^When it goes in/ }).click();
        await page.getByRole('menuitemradio', { name: /when done/ }).click();
        await expect(two).toContainText('when done');
        await line('one, but better').press('Control+Enter');

        await expect(app.conversation).toContainText('Taken from the queue');
        await expect(app.conversation).toContainText('Steered.');
        await expect(app.conversation).toContainText('All done.');
        await expect(queue).toBeHidden();
        const said = api.requests
          .slice(before)
          .map((r) => JSON.stringify(r.body.messages.at(-1)?.content));
        expect(said[1]).toMatch(/one, but better.*three/s);
        expect(said[2]).toContain('two');
      });

      await test.step('prompts left over by a stop can be sent, and model and effort are chosen', async () => {
        await app.newSession();
        const before = api.requests.length;
        await app.send('begin');
        await expect(app.conversation).toContainText('Looking.');
        await app.send('left over');
        await page.keyboard.press('Escape');
        await expect(page.getByText('These wait until you send something.')).toBeVisible();

        await app.status.getByRole('button', { name: /^Model:/ }).click();
        const menu = page.getByRole('dialog', { name: 'Model, thinking and limits' });
        await menu.getByRole('button', { name: /^Model:/ }).click();
        await page.getByRole('menuitemradio', { name: /claude-sonnet-5-5/ }).click();
        await expect(app.conversation).toContainText('Claude Sonnet 5.5 answers from here');
        await menu.getByRole('radio', { name: 'Low' }).click();
        await menu.getByRole('radio', { name: 'Only between calls' }).click();
        await expect(menu.getByRole('radio', { name: 'Only between calls' })).toBeChecked();
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Send now' }).click();
        await expect(app.conversation).toContainText('Second.');
        expect(api.requests[before + 1]?.body).toMatchObject({
          model: 'claude-sonnet-5-5',
          output_config: { effort: 'low' },
          thinking: { type: 'between_tools' },
        });

        await page.keyboard.press('Control+Shift+M');
        await page.keyboard.type('claude-haiku-9-9');
        await page.getByRole('option', { name: /Use “claude-haiku-9-9”/ }).click();
        await expect(app.status).toContainText('Claude Haiku 9.9');
        await app.send('again');
        await expect(app.conversation).toContainText('Third.');
        expect(api.requests[before + 2]?.body.model).toBe('claude-haiku-9-9');
      });
    });
  } finally {
    first.open();
    second.open();
  }
});

test('a message that is being changed waits for its new words, and what a stop held waits for a prompt', async ({
  page,
  lathe,
}) => {
  const [first, second] = [gate(), gate()];
  const script = [
    reply([text('Looking.'), hold(first.opened), text('Found.')]),
    reply([text('Changed.'), hold(second.opened)]),
    reply('Third.'),
  ];
  await played({ page, lathe }, script, async (app, api) => {
    const queue = page.getByRole('list', { name: 'Queued prompts' });
    await app.send('begin');
    await expect(app.conversation).toContainText('Looking.');
    await app.send('old words');
    await queue.getByRole('button', { name: 'Edit queued message: old words' }).press('Enter');
    first.open();
    await expect(page.getByText('These wait while you change one.')).toBeVisible();
    await page.keyboard.type('new words');
    await page.keyboard.press('Enter');
    await expect(app.conversation).toContainText('Changed.');
    expect(lastTold(api)).toContain('new words');

    await app.send('held');
    await page.keyboard.press('Escape');
    await expect(page.getByText('These wait until you send something.')).toBeVisible();
    await app.send('!echo from-the-shell');
    const ran = app.conversation.getByRole('button', { name: /^done Bash echo from-the-shell/ });
    await expect(ran).toBeVisible();
    await expect(page.getByText('These wait until you send something.')).toBeVisible();
    await expect(queue).toContainText('held');
    expect(api.requests).toHaveLength(2);
    await app.send('and now');
    await expect(app.conversation).toContainText('Third.');
    expect(lastTold(api)).toContain('held');
  });
});
