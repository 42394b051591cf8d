import type { WebSocket } from '@playwright/test';
import { accessibilityFaults } from '../support/accessibility';
import { startScriptedApi } from '../support/scripted-api';
import { hold, reply, text } from '../support/scripted-api-replies';
import { A_WHILE, type AppPage } from './support/app-page';
import { expect, startLathe, test } from './support/lathe';
import { SLOWNESSES, slowDown, slowNetwork } from './support/network';
import { gate, KEY, openScripted, played } from './support/scripted-app';

test.slow();

const waiting = (app: AppPage) => app.page.getByRole('list', { name: 'Not sent yet' });
const linkState = (app: AppPage) => app.status.getByRole('status');
const prompts = (app: AppPage, words: string) =>
  app.conversation.getByRole('article', { name: 'You' }).filter({ hasText: words });

test('a host that hangs is noticed: times stand still, what is sent meanwhile is delivered once, and its sockets stay', async ({
  page,
  lathe,
}) => {
  const sockets: WebSocket[] = [];
  page.on('websocket', (socket) => sockets.push(socket));
  const answered = gate();
  const script = [
    reply([text('The first half.'), hold(answered.opened), text('The second half.')]),
    reply('And what came later.'),
  ];
  await played({ page, lathe }, script, async (app, api) => {
    await app.send('tell me in two halves');
    await expect(app.conversation).toContainText('The first half.', A_WHILE);
    await expect(linkState(app)).toHaveText('connected');

    const used = [...sockets];
    const thaw = lathe.freeze();
    try {
      await expect(linkState(app)).toHaveText('reconnecting…', A_WHILE);
      const before = await app.conversation.innerText();
      const then = await page.evaluate(() => performance.now());
      await expect(page.getByText(/What you send waits here/)).toBeVisible();
      await page.waitForFunction((from) => performance.now() > from + 2500, then);
      expect(await app.conversation.innerText()).toBe(before);
      await app.send('take this back');
      await app.send('sent meanwhile');
      await expect(app.composer).toHaveValue('');
      await expect(waiting(app).getByRole('listitem')).toHaveText([
        /take this back.*Not sent yet/s,
        /sent meanwhile.*Not sent yet/s,
      ]);
      expect.soft(await accessibilityFaults(page, { rulesOnly: true })).toEqual([]);
      await waiting(app).getByRole('button', { name: 'Take back' }).first().click();
      await expect(app.composer).toHaveValue('take this back');
      await expect(waiting(app).getByRole('listitem')).toHaveCount(1);
    } finally {
      thaw();
    }
    await expect(linkState(app)).toHaveText('connected', A_WHILE);
    await expect(waiting(app)).toBeHidden(A_WHILE);
    answered.open();
    await expect(app.conversation).toContainText('And what came later.', A_WHILE);
    await expect(app.conversation).toContainText('The second half.');
    await expect(prompts(app, 'sent meanwhile')).toHaveCount(1);
    await expect(app.composer).toHaveValue('take this back');
    expect(api.requests).toHaveLength(2);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((socket) => socket.isClosed())).toEqual([]);
  });
});

test('on a slow network, a message whose answer was lost is sent again and taken once', async ({
  page,
  lathe,
}) => {
  const network = await slowNetwork(page, 150);
  await played({ page, lathe }, [reply('Once.'), reply('Twice.')], async (app, api) => {
    await expect(linkState(app)).toHaveText('connected');
    await network.loseAnswerTo('exactly one time');
    await app.send('say it exactly one time');
    await expect(waiting(app)).toContainText(/exactly one time.*No answer yet/s, A_WHILE);
    await expect(linkState(app)).toHaveText('reconnecting…', A_WHILE);
    await network.mend();
    await expect(linkState(app)).toHaveText('connected', A_WHILE);
    await expect(waiting(app)).toBeHidden(A_WHILE);
    await expect(app.conversation).toContainText('Once.', A_WHILE);
    await expect(prompts(app, 'exactly one time')).toHaveCount(1);
    await app.send('and now another');
    await expect(app.conversation).toContainText('Twice.', A_WHILE);
    expect(api.requests).toHaveLength(2);
  });
});

for (const slowness of SLOWNESSES)
  test(`after a restart of the host the open tab comes back by itself, to the session that was cut, with a slow ${slowness}`, async ({
    page,
    home,
  }) => {
    const begin = await slowDown(page, slowness);
    const more = gate();
    const api = await startScriptedApi(
      [reply([text('Half an answer.'), hold(more.opened)]), reply('Here I am again.')],
      { apiKey: KEY },
    );
    const first = await startLathe(home);
    try {
      const app = await openScripted(page, first, api);
      await begin();
      await app.send('begin');
      await expect(app.conversation).toContainText('Half an answer.', A_WHILE);
      await first.stop();
      await expect(linkState(app)).toHaveText('reconnecting…', A_WHILE);
      await app.send('go on, please');
      await expect(waiting(app)).toContainText('go on, please');

      const second = await startLathe(home);
      try {
        await expect(linkState(app)).toHaveText('connected', A_WHILE);
        await expect(prompts(app, 'begin')).toHaveCount(1, A_WHILE);
        await expect(prompts(app, 'go on, please')).toHaveCount(1, A_WHILE);
        await expect(app.conversation).toContainText('Here I am again.', A_WHILE);
        await expect(waiting(app)).toBeHidden();
        await expect(app.sessions.getByRole('button', { name: /begin/ }).first()).toHaveAttribute(
          'aria-current',
          'page',
        );
        await expect(page.getByRole('alert')).toHaveCount(0);
        // A reload is admitted too, and shows the same.
        await page.reload();
        await expect(app.conversation).toContainText('Here I am again.', A_WHILE);
      } finally {
        expect(await second.stop()).toEqual([]);
      }
      expect(api.refusals).toEqual([]);
    } finally {
      more.open();
      expect(await first.stop()).toEqual([]);
      await api.close();
    }
  });
