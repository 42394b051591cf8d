import { expect, type Locator, type Page } from '@playwright/test';

/** For what comes after a test run or a long answer of the demo, on a busy machine. */
export const A_WHILE = { timeout: 90_000 };

/** The parts of the app on screen, by the names that a user (or a screen reader) knows them by. */
export class AppPage {
  readonly conversation: Locator;
  readonly composer: Locator;
  readonly approval: Locator;
  readonly tasks: Locator;
  readonly terminals: Locator;
  readonly sessions: Locator;
  readonly status: Locator;

  constructor(readonly page: Page) {
    this.conversation = page.getByRole('region', { name: 'Conversation' });
    this.composer = page.getByRole('textbox', { name: 'Message to Lathe' });
    this.approval = page.getByRole('dialog');
    this.tasks = page.getByRole('list', { name: 'Tasks' });
    this.terminals = page.getByRole('region', { name: 'Terminals' });
    this.sessions = page.getByRole('navigation', { name: 'Sessions' });
    this.status = page.getByRole('contentinfo', { name: 'Status' });
  }

  /** Walks the first run to the demo's workbench, by keyboard alone. */
  async openDemo(link: string): Promise<void> {
    const { page } = this;
    await page.goto(link);
    await press(page.getByRole('button', { name: /Try the offline demo/ }));
    await expect(page.getByRole('heading', { name: /Do you trust sample-project/ })).toBeVisible();
    await press(page.getByRole('button', { name: 'Trust and open' }));
    await expect(this.composer).toBeVisible();
  }

  /** Opens a folder by its path, trusts it, and stops at the connection step. */
  async openFolder(link: string, path: string): Promise<void> {
    const { page } = this;
    await page.goto(link);
    if (isOfWebHost(link)) {
      await this.typePath(path);
      await page.getByRole('button', { name: 'Open this folder' }).click();
    } else await this.dropFolder(path);
    await page.getByRole('button', { name: 'Trust and open' }).click();
    await expect(page.getByRole('heading', { name: 'Connect to a model' })).toBeVisible();
  }

  /** Drops a folder on the window, as a file manager does: the system's dialog of the desktop app is out of reach. */
  async dropFolder(path: string): Promise<void> {
    const { page } = this;
    const target = page.getByRole('region', { name: 'Choose a folder' });
    const box = await target.boundingBox();
    if (box === null) throw new Error('There is nothing to drop a folder on.');
    // The stand-in for Electron knows files by their names alone.
    await page.evaluate((place) => Reflect.set(globalThis, 'doubleDropped', place), path);
    const inspector = await page.context().newCDPSession(page);
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await inspector.send('Input.dispatchDragEvent', {
        type,
        x: box.x + box.width / 2,
        y: box.y + box.height / 2,
        data: { items: [], files: [path], dragOperationsMask: 1 },
      });
    await inspector.detach();
  }

  /** Types a path into the folder browser and goes there. */
  async typePath(path: string): Promise<void> {
    const field = this.page.getByRole('textbox', { name: 'Path' });
    // The first listing fills it in; on a slow machine that would come in between.
    await expect(field).not.toHaveValue('');
    await field.fill(path);
    await field.press('Enter');
  }

  /** Connects with a key to another endpoint. */
  async connect(key: string, endpoint: string): Promise<void> {
    const { page } = this;
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Use another endpoint' }).click();
    await page.getByLabel('Endpoint').fill(endpoint);
    await page.getByRole('button', { name: 'Connect' }).click();
  }

  /** Goes on in a session in which nothing has been said yet. */
  async newSession(): Promise<void> {
    await this.composer.press('Alt+n');
    await expect(this.conversation).toContainText('What shall we do in ');
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press('Enter');
  }

  /** Waits for the question whose dialog shows `about`, past the guard against typing-through. */
  async question(about: string | RegExp): Promise<Locator> {
    const dialog = this.approval.filter({ hasText: about });
    await expect(dialog).toBeVisible(A_WHILE);
    await expect(dialog.getByRole('button', { name: 'Allow once' })).toBeEnabled();
    await expect(dialog).toBeFocused();
    return dialog;
  }

  /** Allows the question that shows `about` once, with the keyboard. */
  async allowOnce(about: string | RegExp): Promise<void> {
    const gone = await watchEnd(await this.question(about));
    await this.page.keyboard.press('Enter');
    await gone();
  }

  /** Denies the question that shows `about` with the keyboard; words go along when there are any. */
  async deny(about: string | RegExp, words?: string): Promise<void> {
    const dialog = await this.question(about);
    const gone = await watchEnd(dialog);
    if (words === undefined) await this.page.keyboard.press('Escape');
    else {
      await this.page.keyboard.press('Tab');
      await dialog.getByLabel('What should Lathe do instead?').fill(words);
      await this.page.keyboard.press('Enter');
    }
    await gone();
  }

  /** Goes to a folder that was opened before; its newest session is shown. */
  async openRecent(link: string, name: string): Promise<void> {
    await this.page.goto(link);
    await this.page
      .getByRole('button', { name: new RegExp(name) })
      .first()
      .click();
    await expect(this.composer).toBeVisible();
  }

  /** The conversation's text, without what changes by itself (times). */
  async shownText(): Promise<string> {
    return (await this.conversation.innerText()).replace(/\d+(\.\d+)? ?(ms|s|m)\b/g, '');
  }

  /** What the terminal in front shows now. */
  async screenText(): Promise<string> {
    return (await this.terminals.locator('.xterm-rows').innerText()).replaceAll('\u00a0', ' ');
  }

  /** Everything the terminal in front holds, scrollback included. */
  async wholeTerminal(): Promise<string> {
    const copied = () => this.page.evaluate(() => navigator.clipboard.readText());
    await this.page.evaluate(() => navigator.clipboard.writeText(''));
    await this.terminals.getByRole('button', { name: 'Copy everything' }).click();
    await expect.poll(copied).not.toBe('');
    return copied();
  }

  /** Opens a shell of one's own and waits for its prompt. */
  async openShell(): Promise<void> {
    await this.terminals
      .getByRole('button', { name: /Open a shell|New terminal/ })
      .first()
      .click();
    await expect.poll(() => this.screenText()).toMatch(/[$#] *$/m);
  }

  /** Types into the terminal in front. */
  async typeInTerminal(text: string): Promise<void> {
    await this.terminals.locator('.xterm-helper-textarea').focus();
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Enter');
  }
}

/** Tells whether a page is that of a web host, and not of the desktop app. */
const isOfWebHost = (link: string): boolean => new URL(link).protocol === 'http:';

/** Presses a button the way somebody without a mouse does, as soon as it can be pressed. */
async function press(button: Locator): Promise<void> {
  await expect(button).toBeEnabled();
  await button.focus();
  await button.press('Enter');
}

/** Returns a wait for the end of the dialog that stands now; the next one may look the same. */
async function watchEnd(dialog: Locator): Promise<() => Promise<void>> {
  const element = await dialog.elementHandle();
  return async () => element?.waitForElementState('hidden', { timeout: 60_000 });
}
