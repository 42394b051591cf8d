import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runnerImport } from 'vite';
import { inRoot } from '../../scripts/lib/system.mjs';
import { startApi, toolAnswer } from './api-server.mjs';
import { startBareTerminal } from './bare-terminal.mjs';
import { openPage, startBrowser, startHost } from './page-app.mjs';
import { traced } from './page-trace.mjs';
import { median, row } from './table.mjs';
import { agentAnswers, background, endRows, makeTrustingHome } from './terminal-ends.mjs';
import { outputsUnder, terminalHostPid, wholeNumbers } from './terminal-facts.mjs';

/** The time that many tasks print at full speed. Seconds. */
const CROWD_SECONDS = Number(process.env.LATHE_BENCH_SECONDS ?? 60);
const CROWD = 24;
/** Runs of what is compared with the floor, in turn. */
const RUNS = 5;
const KEYS = 60;

/** A row that is held against what the bare page takes in the same minute. */
const ratioRow = (name, unit, lathe, floor, budget) => ({
  ...{ name, unit, lathe, floor, budget },
  ratio: lathe / floor,
  ok: lathe / floor <= budget,
});

/**
 * Measures terminals: in this process against node-pty, and in a browser against a page with nothing but an xterm.
 * LATHE_BENCH_PARTS leaves parts out: `host,ends,screen,crowd` are all.
 */
export async function measureTerminals(entry, tell) {
  const parts = (process.env.LATHE_BENCH_PARTS ?? 'host,ends,screen,crowd').split(',');
  const rows = [];
  if (parts.includes('host')) {
    const { module } = await runnerImport(inRoot('test', 'bench', 'terminals.ts'));
    rows.push(...(await module.measureHost(tell)));
  }
  if (parts.includes('ends')) rows.push(...(await endRows(entry, tell)));
  if (!parts.includes('screen') && !parts.includes('crowd')) return rows;
  const browser = await startBrowser();
  try {
    if (parts.includes('screen')) rows.push(...(await screenRows(browser, entry, tell)));
    if (parts.includes('crowd')) rows.push(...(await crowdRows(browser, entry, tell)));
  } finally {
    await browser.close();
  }
  return rows;
}

/** Opens another shell in a page of Lathe and waits for its prompt. */
async function openShell(page, mark) {
  const terminals = page.getByRole('region', { name: 'Terminals' });
  await page.evaluate(() => {
    for (const rows of document.querySelectorAll('.xterm-rows')) rows.dataset.before = '';
  });
  await terminals
    .getByRole('button', { name: /Open a shell|New terminal/ })
    .first()
    .click();
  // Until the new one is there, keys would go to the shell before it.
  await page.waitForFunction(() => {
    const rows = document.querySelector('.xterm-rows');
    return rows !== null && !('before' in rows.dataset) && /[$#]/.test(rows.textContent);
  });
  await run(page, `PS1='$ '; clear; echo ${mark}-$((1+1))`, `${mark}-2`);
}

/** Types a command and gives the milliseconds from Enter until `text` is on screen, by the page's clock. */
async function run(page, command, text) {
  await page.locator('.xterm-helper-textarea').first().focus();
  await page.keyboard.type(command);
  await page.evaluate(watchScreen, text);
  await page.keyboard.press('Enter');
  return page.evaluate(() => window.benchSeen);
}

/**
 * Runs in the page: resolves `benchSeen` with the time from the next key until `text` is on a screen; after a minute it fails with what
 * is there instead.
 */
function watchScreen(text) {
  window.benchSeen = new Promise((resolve, reject) => {
    window.addEventListener(
      'keydown',
      () => {
        const from = performance.now();
        const screensNow = () => [...document.querySelectorAll('.xterm-rows')];
        setTimeout(() => {
          const shown = screensNow().map((screen) => screen.innerText);
          reject(new Error(`No "${text}" within a minute, but: ${shown.join('\n---\n')}`));
        }, 60_000);
        const look = () => {
          const screens = screensNow();
          if (screens.some((screen) => screen.textContent.includes(text)))
            resolve(performance.now() - from);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      },
      { capture: true, once: true },
    );
  });
}

/** Returns the milliseconds from each of some keys until its echo is in the page. */
async function echoes(page) {
  await page.locator('.xterm-helper-textarea').first().focus();
  await page.evaluate(watchEcho);
  for (let i = 0; i < KEYS; i += 1) {
    await page.keyboard.press('x');
    await delay(60);
  }
  return page.evaluate(() => window.benchEchoes);
}

/** Runs in the page: collects in `benchEchoes` the time from each key to the next change of the screen. */
function watchEcho() {
  window.benchEchoes = [];
  let from = null;
  window.addEventListener('keydown', () => (from = performance.now()), { capture: true });
  new MutationObserver(() => {
    if (from !== null) window.benchEchoes.push(performance.now() - from);
    from = null;
  }).observe(document.querySelector('.xterm-rows'), {
    ...{ childList: true, subtree: true, characterData: true },
  });
}

/** Makes 12 MB of coloured lines, as a build prints them. */
function writeStream(folder) {
  const file = join(folder, 'stream.txt');
  const line = (i) =>
    `\x1b[32m[${i}]\x1b[0m compiled \x1b[1msrc/part-${i % 97}/module.ts\x1b[0m in ${i % 13} ms, nothing to say\r\n`;
  writeFileSync(file, Array.from({ length: 140_000 }, (_, i) => line(i)).join(''));
  return file;
}

/** Throughput, echo and reload of one shell, beside a page with nothing but an xterm. */
async function screenRows(browser, entry, tell) {
  const place = makeTrustingHome();
  const api = await startApi([]);
  const host = await startHost(entry, place, api.url);
  const file = writeStream(place.home);
  const { page, close } = await openPage(browser, host.link);
  await openShell(page, 'first');
  const [cols, rows] = await page.evaluate(() => [
    Math.round(document.querySelector('.xterm-screen').clientWidth / 7.8),
    document.querySelector('.xterm-rows').childElementCount,
  ]);
  const bare = await startBareTerminal({ cols, rows, cwd: place.home });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const barePage = await context.newPage();
  try {
    await barePage.goto(bare.url);
    await run(barePage, 'echo up-$((1+1))', 'up-2');
    const [ours, theirs] = [[], []];
    for (let i = 0; i < RUNS; i += 1) {
      ours.push(await run(page, `clear; cat ${file}; echo end-${i}-$((1+1))`, `end-${i}-2`));
      theirs.push(await run(barePage, `clear; cat ${file}; echo end-${i}-$((1+1))`, `end-${i}-2`));
    }
    tell('12 MB to the screen', { ours, theirs });
    const idle = await bothEchoes(page, barePage);
    tell('echo', idle);
    const reload = await reloads(page);
    tell('reload', reload);
    const flooded = await besideFlood(page, barePage);
    tell('echo beside a flood', flooded);
    return [
      ratioRow('12 MB to the screen (floor: bare xterm)', 'ms', median(ours), median(theirs), 0.83),
      ratioRow('echo of a key, median', 'ms', ...idle, 1.3),
      ratioRow('echo beside a flood, median', 'ms', ...flooded, 2),
      row('reload to the screen of 10 000 lines', 'ms', median(reload), 600),
    ];
  } finally {
    await close();
    await context.close();
    bare.stop();
    await host.stop();
    await api.close();
    place.remove();
  }
}

async function bothEchoes(page, barePage) {
  const figures = [];
  for (const each of [page, barePage]) {
    await run(each, 'clear; echo cat-$((1+1)); cat', 'cat-2');
    await each.bringToFront();
    // Wherever a pointer rests, the browser looks after each change what is under it: in both pages, or in none.
    await each.locator('.xterm-screen').first().hover();
    figures.push(median(await echoes(each)));
    await each.keyboard.press('Control+c');
  }
  return figures;
}

/** Echo in another shell while one prints without end; both pages meet the same flood. */
async function besideFlood(page, barePage) {
  await page.bringToFront();
  await run(page, 'clear; timeout 60 yes a-flooding-line', 'flooding-line');
  await openShell(page, 'third');
  return bothEchoes(page, barePage);
}

/** Milliseconds from the start of a reload until the last line of 10 000 is on screen. */
async function reloads(page) {
  await page.bringToFront();
  await openShell(page, 'second');
  await run(page, 'clear; seq -f line-%g 10000; echo ready-$((1+1))', 'ready-2');
  // The page remembers a little later which terminal is in front.
  await delay(2_000);
  await page.addInitScript(() => {
    const look = () => {
      const screens = [...document.querySelectorAll('.xterm-rows')];
      if (screens.some((screen) => screen.textContent.includes('ready-2')))
        window.benchReloaded = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const times = [];
  for (let i = 0; i < RUNS; i += 1) {
    await page.reload();
    times.push(
      await (
        await page.waitForFunction(() => window.benchReloaded, null, { polling: 100 })
      ).jsonValue(),
    );
  }
  return times;
}

/** Waits until all tasks have tabs, and gives two of them panes of their own beside the rest. */
async function arrange(page) {
  const tabs = page.getByRole('region', { name: 'Terminals' }).getByRole('tab');
  await tabs.nth(CROWD - 1).waitFor();
  for (const side of ['Move to the right', 'Move below']) {
    const panes = await page.locator('[data-terminal] .xterm-rows').count();
    await tabs.first().click({ button: 'right' });
    await page.getByRole('menuitem', { name: side }).click();
    await page.locator('[data-terminal] .xterm-rows').nth(panes).waitFor();
  }
}

/** Many tasks at full speed, three of them on screen: frames, composer, memory, and what their logs hold. */
async function crowdRows(browser, entry, tell) {
  const place = makeTrustingHome();
  const tasks = Array.from({ length: CROWD }, () =>
    background(`timeout ${CROWD_SECONDS} seq 1 99999999999`),
  );
  const api = await startApi(agentAnswers([toolAnswer(...tasks)]));
  const host = await startHost(entry, place, api.url);
  try {
    const { page, composer } = await openPage(browser, host.link);
    await composer.fill('go');
    await composer.press('Enter');
    await arrange(page);
    const memory = watchMemory(browser, place, CROWD_SECONDS);
    await composer.focus();
    await page.evaluate(watchTyping);
    const figures = await traced(browser, page, async () => {
      const until = performance.now() + (CROWD_SECONDS * 1000) / 3;
      while (performance.now() < until) {
        await page.keyboard.type('a');
        await delay(250);
      }
    });
    const stalls = await page.evaluate(() => window.benchStalls);
    const used = await memory;
    const logs = await outputsUnder(place.home, CROWD);
    const broken = logs.filter((file) => !wholeNumbers(file));
    tell(`${CROWD} tasks at full speed`, { ...figures, stalls: Math.max(...stalls), used, broken });
    return [
      row(`${CROWD} tasks at full speed: 95 of 100 frames within`, 'ms', figures.frameP95Ms, 50),
      row('work of 95 of 100 frames within', 'ms', figures.frameWorkP95Ms, 50),
      row('longest stall of the composer', 'ms', Math.max(...stalls), 200),
      row('logs with a line missing or twice', '', broken.length + CROWD - logs.length, 0),
      row('terminal host, resident', 'MB', used.host, 400),
      row('page, shared pages once', 'MB', used.page, 350),
    ];
  } finally {
    await host.stop();
    await api.close();
    place.remove();
  }
}

/** Runs in the page: collects in `benchStalls` the time from each typed character until the frame after it. */
function watchTyping() {
  window.benchStalls = [];
  window.addEventListener(
    'input',
    ({ timeStamp }) =>
      requestAnimationFrame(() => window.benchStalls.push(performance.now() - timeStamp)),
    { capture: true },
  );
}

/** Looks every second at the memory of the terminal host and the page; gives the most of each, in megabytes. */
async function watchMemory(browser, { home }, seconds) {
  const most = { host: 0, page: 0 };
  const cdp = await browser.newBrowserCDPSession();
  for (let i = 0; i < seconds; i += 1) {
    const { processInfo } = await cdp.send('SystemInfo.getProcessInfo');
    const pages = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => pssOf(id));
    most.page = Math.max(most.page, ...pages);
    most.host = Math.max(most.host, residentOf(terminalHostPid(home)));
    await delay(1_000);
  }
  return most;
}

const residentOf = (pid) => kilobytes(`/proc/${pid}/status`, /VmRSS:\s+(\d+)/) / 1000;
const pssOf = (pid) => kilobytes(`/proc/${pid}/smaps_rollup`, /Pss:\s+(\d+)/) / 1000;

function kilobytes(file, pattern) {
  try {
    return Number(pattern.exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
