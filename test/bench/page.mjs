import { pacedAnswer, startApi, textAnswer } from './api-server.mjs';
import { makeHome, openPage, startBrowser, startHost } from './page-app.mjs';
import { longMarkdown, writeLongSession } from './page-scenes.mjs';
import { traced } from './page-trace.mjs';
import { row } from './table.mjs';

/** A long answer at the speed of a fast model: 6.6 kB a second in 50 deltas. */
const ANSWER = { characters: 200_000, size: 132, every: 20 };
const MESSAGES = 10_000;

/** Measures the page in a real browser, over the web host of the build whose command line is `entry`. */
export async function measurePage(entry, tell) {
  const browser = await startBrowser();
  try {
    return [...(await streamRows(browser, entry, tell)), ...(await openRows(browser, entry, tell))];
  } finally {
    await browser.close();
  }
}

/** One answer of 200 kB that streams in, followed at its end. */
async function streamRows(browser, entry, tell) {
  const place = makeHome();
  const text = `${longMarkdown(ANSWER.characters)}\n\nThat was all.`;
  const api = await startApi([pacedAnswer(text, ANSWER)]);
  const host = await startHost(entry, place, api.url);
  try {
    const { page, composer, close } = await openPage(browser, host.link);
    const figures = await traced(browser, page, async () => {
      await composer.fill('Tell me everything.');
      await composer.press('Enter');
      // Not by looking at the page, which would cost it time.
      await api.answered();
      await page.getByText('That was all.').waitFor();
    });
    await close();
    tell('a stream of 200 kB', figures);
    return [
      row('200 kB at 6.6 kB/s: longest task', 'ms', figures.longestTaskMs, 50),
      row('main thread', '%', figures.mainShare * 100, 35),
      row('heap growth', 'MB', figures.heapGrowthMb, 20),
      row('95 of 100 frames within', 'ms', figures.frameP95Ms, 20),
      row('work of 95 of 100 frames within', 'ms', figures.frameWorkP95Ms, 20),
    ];
  } finally {
    await host.stop();
    await api.close();
    place.remove();
  }
}

/** A session of 10 000 messages: opened for the first time, reloaded, and scrolled through. */
async function openRows(browser, entry, tell) {
  const place = makeHome();
  const api = await startApi([textAnswer('A short title'), textAnswer('A short answer.')]);
  try {
    const before = await startHost(entry, place, api.url);
    const early = await openPage(browser, before.link);
    await early.composer.fill('Say something short.');
    await early.composer.press('Enter');
    await early.page
      .getByRole('region', { name: 'Conversation' })
      .getByText(/short/)
      .last()
      .waitFor();
    await early.close();
    await before.stop();
    const long = writeLongSession(place, MESSAGES);
    const host = await startHost(entry, place, api.url);
    try {
      return await measureOpening(browser, host, long, tell);
    } finally {
      await host.stop();
    }
  } finally {
    await api.close();
    place.remove();
  }
}

async function measureOpening(browser, host, long, tell) {
  const { page, close } = await openPage(browser, host.link);
  const conversation = page.getByRole('region', { name: 'Conversation' });
  const end = conversation.getByText(long.lastAnswer);
  const cpuBefore = host.cpuMs();
  const opened = await traced(browser, page, async () => {
    await page.evaluate(watchText, long);
    await page.getByRole('button', { name: long.title }).first().click();
    await end.waitFor();
  });
  const openMs = await page.evaluate(() => window.benchShown);
  await host.quiet();
  const hostCpuMs = host.cpuMs() - cpuBefore;
  tell('opening 10 000 messages', { openMs, hostCpuMs, ...opened });
  // Before the scrolling: a reload keeps the place in the conversation.
  await page.reload();
  await end.waitFor();
  const reloadMs = await page.evaluate(() => performance.now());
  tell('reload', { reloadMs });
  await host.quiet();
  const scrolled = await traced(browser, page, () => scrollThrough(page, conversation));
  tell('scrolling 10 000 messages', scrolled);
  await close();
  return [
    row('10 000 messages: end shown the first time', 'ms', openMs, 1000),
    row('host CPU for it', 'ms', hostCpuMs, 1000),
    row('longest task of the page', 'ms', opened.longestTaskMs, 200),
    row('screen after a reload', 'ms', reloadMs, 1500),
    row('scrolling: 95 of 100 frames within', 'ms', scrolled.frameP95Ms, 20),
    row('scrolling: work of 95 of 100 frames within', 'ms', scrolled.frameWorkP95Ms, 20),
  ];
}

/** Runs in the page: says in `benchShown` how long after the next click the last answer is on screen. Milliseconds. */
function watchText({ lastAnswer }) {
  addEventListener(
    'click',
    () => {
      const started = performance.now();
      const look = () => {
        const text = document.querySelector('[data-conversation]')?.textContent ?? '';
        if (!text.includes(lastAnswer)) return requestAnimationFrame(look);
        window.benchShown = performance.now() - started;
      };
      look();
    },
    { once: true, capture: true },
  );
}

/** Turns the wheel upwards for five seconds, sixty times a second as a hand on a touchpad does. */
async function scrollThrough(page, conversation) {
  await conversation.hover();
  const until = performance.now() + 5_000;
  while (performance.now() < until) {
    await page.mouse.wheel(0, -240);
    await page.waitForTimeout(16);
  }
}
