import { mkdirSync } from 'node:fs';
import { chromium, type Page } from '@playwright/test';
import { createServer } from 'vite';

/**
 * Takes pictures of the gallery, light and dark: `npx node test/support/gallery/shots.ts [names] [folder]`.
 * A name is a scene, or a scene with something done in it.
 */
const STEPS: Readonly<
  Record<string, readonly [scene: string, steps: (page: Page) => Promise<void>]>
> = {
  cards: [
    'running',
    async (page) => {
      for (const name of ['Search', 'Bash npm test -- --run', 'Plan'])
        await page.getByRole('button', { name }).first().click();
      await page.getByRole('button', { name: 'Bash npm test', exact: false }).last().focus();
    },
  ],
  editCard: [
    'running',
    async (page) => {
      await page.getByRole('button', { name: 'Read src' }).click();
      await page.getByRole('button', { name: 'Edit src' }).click();
      await page.keyboard.press('Tab');
    },
  ],
  always: ['command', (page) => page.getByRole('button', { name: 'Allow always…' }).click()],
  editCommand: ['command', (page) => page.keyboard.press('Control+e')],
  split: ['edit', (page) => page.getByRole('radio', { name: 'Side by side' }).click()],
  other: [
    'question',
    async (page) => {
      await page.keyboard.press('1');
      await page.getByLabel('/v1/token').check();
      await page.getByLabel('Other…').last().check();
      await page.keyboard.type('and /v1/session, once the app is updated');
    },
  ],
  planEdit: ['plan', (page) => page.getByRole('radio', { name: 'Edit' }).click()],
  reason: ['command', (page) => page.keyboard.press('Tab')],
  editQueued: [
    'queue',
    (page) => page.getByRole('button', { name: /^Edit queued message: Keep/ }).click(),
  ],
  when: ['queue', (page) => page.getByRole('button', { name: /^When/ }).first().click()],
  thinking: ['running', (page) => page.getByRole('button', { name: 'Thought' }).click()],
  top: [
    'finished',
    async (page) => {
      await page.getByRole('region', { name: 'Conversation' }).focus();
      await page.keyboard.press('Home');
    },
  ],
  dialog: ['kit', (page) => page.getByRole('button', { name: 'Open dialog' }).click()],
  menu: ['kit', (page) => page.getByRole('button', { name: 'Mode: Ask before acting' }).click()],
};

const names = (
  process.argv[2] ??
  'kit,dialog,menu,running,cards,editCard,thinking,finished,top,troubled,retry,silent,recovered,queue,editQueued,when,heldQueue,stoppedQueue,usage,command,editCommand,always,reason,edit,split,multiEdit,create,fetch,connect,lookalike,form,visit,question,other,preview,plan,planEdit,parts,three,hidden,read,tool,longCommand,largeEdit,empty'
).split(',');
const folder = process.argv[3] ?? '/tmp/gallery';

mkdirSync(folder, { recursive: true });
const server = await createServer({
  configFile: `${import.meta.dirname}/vite.config.ts`,
  logLevel: 'error',
});
await server.listen();
const url = server.resolvedUrls?.local[0] ?? '';
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
page.on('pageerror', (error) => process.stderr.write(`page error: ${error.message}\n`));
page.on('console', (message) => {
  if (message.type() === 'error') process.stderr.write(`console: ${message.text()}\n`);
});
for (const name of names) {
  const [scene, steps] = STEPS[name] ?? [name, () => Promise.resolve()];
  for (const theme of ['light', 'dark']) {
    await page.goto(`${url}?scene=${scene}&theme=${theme}`);
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    await page.waitForTimeout(450);
    await steps(page);
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${folder}/${name}-${theme}.png` });
  }
}
await browser.close();
await server.close();
