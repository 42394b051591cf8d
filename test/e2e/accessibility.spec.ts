import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { accessibilityFaults } from '../support/accessibility';
import { startScriptedApi } from '../support/scripted-api';
import { error, hold, reply, text, toolUse } from '../support/scripted-api-replies';
import { AppPage } from './support/app-page';
import { faults } from './support/faults';
import { expect, startLathe, test } from './support/lathe';
import { gate, KEY, played, writeFiles } from './support/scripted-app';

test.slow();

const DIALOG = '[role="dialog"]';
const MENU = '[role="menu"]';

test('nothing serious or moderate is wrong with any state, and nothing moves for who asked for that', async ({
  page,
  lathe,
}) => {
  const running = gate();
  const script = [
    reply([
      'A [link](https://example.com), `src/auth.ts` and\n\n```ts\nconst a = 1;\n```\n\n',
      '| a | b |\n|---|---|\n| 1 | 2 |\n',
      toolUse('Bash', { command: 'sleep 600', run_in_background: true }),
    ]),
    reply('It runs.'),
    reply([text('Looking.'), hold(running.opened), text('Seen.')]),
    error(400, 'no credit'),
  ];
  await played({ page, lathe }, script, async (app, _api, folder) => {
    await writeFiles(folder, { 'src/auth.ts': 'export const a = 1;\n' });
    const check = async (state: string, within?: string) =>
      expect.soft(await faults(page, within), state).toEqual([]);
    await check('empty');
    await app.send('begin');
    await expect(app.conversation).toContainText('It runs.');
    await check('conversation and tasks');
    const dialogs = [
      ['Control+k', 'palette'],
      ['Control+p', 'finder'],
      ['Control+/', 'key help'],
      ['Control+Shift+M', 'models'],
      ['Control+r', 'prompts'],
      ['Control+o', 'folder'],
    ] as const;
    for (const [keys, state] of dialogs) {
      await app.composer.focus();
      await page.keyboard.press(keys);
      await expect(page.getByRole('dialog')).toBeVisible();
      await check(state, DIALOG);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    }
    await app.conversation.getByRole('button', { name: 'src/auth.ts' }).click();
    await expect(page.getByRole('dialog', { name: 'src/auth.ts' })).toBeVisible();
    await check('viewer', DIALOG);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();

    await app.composer.focus();
    await page.keyboard.press('Control+,');
    const tabs = page.getByRole('tablist', { name: 'Settings' }).getByRole('tab');
    await expect(tabs).toHaveCount(13);
    for (const one of await tabs.all()) {
      await one.click();
      await check(`settings: ${await one.innerText()}`, DIALOG);
    }
    // Where the system chooses the colours, what is chosen has a frame.
    await page.emulateMedia({ forcedColors: 'active' });
    const outline = (of: typeof tabs) => of.evaluate((e) => getComputedStyle(e).outlineStyle);
    expect(await outline(tabs.last())).toBe('solid');
    expect(await outline(tabs.nth(1))).toBe('none');
    await page.emulateMedia({ forcedColors: 'none' });
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();

    await app.composer.focus();
    await page.keyboard.press('Control+`');
    await expect(page.locator('.xterm-helper-textarea').last()).toBeFocused();
    await page.keyboard.press('Control+Shift+O');
    await expect(app.terminals.locator('.xterm')).toHaveCount(2);
    await check('split terminals');
    await app.terminals.getByRole('button', { name: 'Find in this terminal' }).first().click();
    await expect(page.getByRole('textbox', { name: 'Find in this terminal' })).toBeFocused();
    await check('find in a terminal');
    await page.keyboard.press('Escape');
    await app.composer.focus();
    await page.keyboard.press('Control+Shift+F');
    await page.keyboard.type('beg');
    await check('session search');
    await app.send('look');
    await expect(app.conversation).toContainText('Looking.');
    await app.send('wait');
    await expect(page.getByRole('list', { name: 'Queued prompts' })).toContainText('wait');
    await check('running, with a queue');
    running.open();
    await expect(app.conversation).toContainText('no credit');
    await check('error card');
    const goOn = lathe.freeze();
    try {
      await expect(page.getByText(/What you send waits here/)).toBeVisible();
      await check('disconnected');
    } finally {
      goOn();
    }
  });
});

test('each dialog and each page of the dock can be read at any size, and left by keys alone', async ({
  page,
  lathe,
  electron,
}) => {
  const folder = join(lathe.home, 'projects', 'harbour');
  await writeFiles(lathe.home, {
    '.claude/settings.json': JSON.stringify({ permissions: { allow: ['Bash'] } }),
    'projects/harbour/ships.txt': 'ferry\ntug\n',
  });
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '-q', '-b', 'quay');
  git('add', '-A');
  git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '-qm', 'Begin');
  const script = [
    reply([toolUse('Bash', { command: 'sed -i s/tug/barge/ ships.txt' })]),
    reply('## Ships\n\nChanged.'),
  ];
  await played({ page, lathe }, script, async (app) => {
    const check = async (state: string, within?: string) =>
      expect.soft(await faults(page, within), state).toEqual([]);
    await app.send('change them');
    await expect(app.conversation).toContainText('Changed.');
    const dialog = page.getByRole('dialog');
    const holdsFocus = () =>
      page.evaluate((of) => document.querySelector(of)?.contains(document.activeElement), DIALOG);
    // The app asks before it quits with a dialog of the system.
    const inPage = SLASH_DIALOGS.filter((command) => electron === null || command !== 'quit');
    for (const command of inPage) {
      await app.send(`/${command}`);
      await expect(dialog, command).toBeVisible();
      await expect.poll(holdsFocus, command).toBe(true);
      // Nothing behind it can be reached.
      for (const key of ['Shift+Tab', 'Tab', 'Tab', 'Shift+Tab']) {
        await page.keyboard.press(key);
        expect.soft(await holdsFocus(), `${command}: ${key}`).toBe(true);
      }
      await check(`/${command}`, DIALOG);
      // What a key says of a button lies over the dialog, and goes first.
      await expect(async () => {
        await page.keyboard.press('Escape');
        await expect(dialog, command).toBeHidden({ timeout: 2_000 });
      }).toPass({ timeout: 60_000 });
      await expect.poll(() => focusLeftIn(page), command).toBe(true);
    }
    await app.conversation.getByRole('button', { name: /Bash/ }).first().click();
    const opened = [
      ['undo', /^Undo what/, () => app.conversation.getByRole('button', { name: 'Undo…' }).click()],
      ['keep in mind', /^Keep in mind/, () => app.send('# tugs are orange')],
      [
        'allow everything',
        /^Allow everything in/,
        async () => {
          await app.send('/mode');
          await page.keyboard.type('Allow everything');
          await page.keyboard.press('Enter');
        },
      ],
      [
        'usage',
        /^Usage/,
        async () => {
          await app.composer.fill('');
          await app.status.getByRole('button', { name: /^Usage:/ }).click();
        },
      ],
      ['summary', /^Summarise/, () => dialog.getByRole('button', { name: 'Summarise…' }).click()],
    ] as const;
    for (const [state, name, open] of opened) {
      await open();
      await expect(page.getByRole('dialog', { name }), state).toBeVisible();
      await check(state, DIALOG);
      if (state === 'usage') continue;
      await page.keyboard.press('Escape');
      await expect(dialog, state).toBeHidden();
    }
    // Where a column folds its menus go, too: these are looked at in the usual size, with the whole page around them.
    for (const [place, name, layer] of [
      [app.sessions, /^More for/, MENU],
      [app.conversation, /^More for this prompt/, MENU],
      [app.status, /^Permission mode/, MENU],
      [app.status, /^Model/, DIALOG],
      [page, /^More$/, MENU],
    ] as const) {
      const menu = page.locator(layer);
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        let found: readonly string[] = [];
        // A list that changes just then closes its menu.
        await expect(async () => {
          if (await menu.isHidden())
            await place.getByRole('button', { name }).first().press('Enter');
          await expect(menu).toBeVisible({ timeout: 2_000 });
          found = await accessibilityFaults(page);
          await expect(menu).toBeVisible({ timeout: 1 });
        }).toPass({ timeout: 60_000 });
        expect.soft(found, `${name}`).toEqual([]);
      }
      await page.keyboard.press('Escape');
      await expect(menu).toBeHidden();
    }
    await app.conversation.getByText('Changed.').click({ button: 'right' });
    await expect(page.locator(MENU)).toBeVisible();
    expect.soft(await accessibilityFaults(page), 'context menu').toEqual([]);
    await page.keyboard.press('Escape');
    await expect(page.locator(MENU)).toBeHidden();
    for (const title of ['Changes of this session', 'Tasks', 'Processes', 'Plan']) {
      await app.composer.focus();
      await page.keyboard.press('Control+k');
      await page.keyboard.type(title);
      await page.keyboard.press('Enter');
      await expect(dialog).toBeHidden();
      await check(title);
    }
    await page.getByRole('tab', { name: 'Agents' }).click();
    await check('Agents');
    await page.keyboard.press('Control+Shift+D');
    await page.getByRole('radio', { name: 'To commit' }).click();
    await expect(page.getByRole('list', { name: 'Files to commit' })).toContainText('ships.txt');
    await check('to commit');
  });
});

/** The commands that open a dialog. */
const SLASH_DIALOGS = [
  ...['rename', 'rewind', 'limits', 'mode', 'effort', 'contents', 'cost', 'health', 'quit'],
];

/** Tells whether something on the page has the focus: what a dialog leaves to nothing starts from its top. */
const focusLeftIn = (page: Page) => page.evaluate(() => document.activeElement !== document.body);

test('each page before the work and after it can be used by everyone', async ({ page, home }) => {
  const api = await startScriptedApi([], { apiKey: KEY });
  const lathe = await startLathe(home);
  const check = async (state: string) => expect.soft(await faults(page), state).toEqual([]);
  try {
    const link = await lathe.link();
    await page.goto(new URL(link).origin);
    await expect(page.getByRole('heading', { name: 'Open the link Lathe printed' })).toBeVisible();
    await check('a page without a ticket');
    const waiting = await page.context().newPage();
    await waiting.routeWebSocket(/./, () => {});
    await waiting.goto(link);
    await expect(waiting.getByRole('status')).toBeVisible();
    expect.soft(await faults(waiting), 'a page that waits for its host').toEqual([]);
    await waiting.close();
    const folder = join(home, 'projects', 'harbour');
    await writeFiles(folder, { 'CLAUDE.md': 'Ships.\n' });
    const app = new AppPage(page);
    await page.goto(await lathe.link());
    await app.typePath(join(home, 'projects'));
    await expect(page.getByRole('region', { name: 'Folders' })).toContainText('harbour');
    await check('folders of the machine');
    await app.typePath(join(home, 'nowhere'));
    await expect(page.getByRole('textbox', { name: 'Path' })).toHaveAttribute(
      'aria-invalid',
      'true',
    );
    await check('a folder that is not there');
    await app.typePath(folder);
    await page.getByRole('button', { name: 'Open this folder' }).click();
    await page.getByRole('button', { name: 'Trust and open' }).click();
    await expect(page.getByRole('heading', { name: 'Connect to a model' })).toBeVisible();
    await check('connection');
    await app.connect('sk-test-wrong', api.url);
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
    await check('a key that is refused');
    await page.getByLabel('API key').fill(KEY);
    await page.getByRole('button', { name: 'Connect' }).click();
    await expect(app.composer).toBeVisible();
    await app.send('/quit');
    await page.getByRole('dialog').getByRole('button', { name: 'Quit' }).click();
    await expect(page.getByRole('heading', { name: 'Lathe has ended' })).toBeVisible();
    await check('the end');
  } finally {
    expect(await lathe.stop()).toEqual([]);
    await api.close();
  }
});

test.describe('the first run', () => {
  test.use({ reducedMotion: 'reduce', serveWords: ['--demo'] });

  test('each screen of the first run and of the work can be used by everyone', async ({
    page,
    lathe,
  }) => {
    const app = new AppPage(page);
    await page.goto(await lathe.link());
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect.soft(await faults(page), 'folder').toEqual([]);
    await page.getByRole('button', { name: /Try the offline demo/ }).click();
    await expect(page.getByRole('button', { name: 'Trust and open' })).toBeVisible();
    expect.soft(await faults(page), 'trust').toEqual([]);
    await page.getByRole('button', { name: 'Trust and open' }).click();
    await expect(app.composer).toBeVisible();
    expect.soft(await faults(page), 'workbench').toEqual([]);
    await app.send('go');
    await app.question('npm test');
    expect.soft(await faults(page), 'question of a command').toEqual([]);
    await app.allowOnce('npm test');
    const question = await app.question('src/clock.js');
    expect.soft(await faults(page), 'question of an edit').toEqual([]);
    // What is asked, and every answer to it, are in a low window too.
    await page.setViewportSize({ width: 640, height: 400 });
    for (const name of ['Allow once', 'Deny'])
      await expect(question.getByRole('button', { name, exact: true })).toBeInViewport({
        ratio: 1,
      });
    await expect(question.getByRole('group', { name: 'What is asked' })).toBeInViewport();
  });
});
