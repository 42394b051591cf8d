import type { Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { see } from '../../support/chromium';
import { type OpenGallery, openGallery } from '../../support/gallery/open';

let gallery: OpenGallery;
beforeAll(async () => {
  gallery = await openGallery();
});
afterAll(() => gallery?.close());

const dialog = (page: Page) => page.getByRole('dialog');
const log = (page: Page) => page.locator('[data-log]');
const armed = (page: Page) => see(dialog(page)).toHaveAttribute('data-armed', 'true');
const answer = async (page: Page): Promise<unknown> => {
  await see(log(page)).not.toBeEmpty();
  return JSON.parse((await log(page).textContent()) || '{}').answer;
};

/** Returns how often the words on the dialog's buttons change while thirty frames are drawn. */
const changesOfButtons = (page: Page) =>
  dialog(page).evaluate(async (element) => {
    const words = () => [...element.querySelectorAll('button')].map((it) => it.textContent).join();
    let [before, changes] = [words(), 0];
    for (let frame = 0; frame < 30; frame += 1) {
      await new Promise((done) => requestAnimationFrame(done));
      if (words() !== before) changes += 1;
      before = words();
    }
    return changes;
  });

async function opened(scene: string): Promise<Page> {
  const page = await gallery.open(scene);
  await armed(page);
  await see(dialog(page)).toBeFocused();
  return page;
}

describe('a question, by keyboard alone', () => {
  it('numbers choose, Tab goes to the next question, Enter sends', async () => {
    const page = await opened('question');
    // A question in Hebrew reads as Hebrew does.
    const asked = page.locator('bdi', { hasText: 'Where should sessions be kept?' });
    await see(asked).toBeVisible();
    await see(asked.locator('bdo')).toHaveCount(0);
    const send = page.getByRole('button', { name: 'Send answers' });
    await see(send).toBeDisabled();
    await page.keyboard.press('2');
    await see(page.getByLabel(/^Redis/)).toBeChecked();
    await page.keyboard.press('Tab');
    await see(page.getByLabel('/v1/login')).toBeFocused();
    await page.keyboard.press('3');
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    expect(await answer(page)).toEqual({
      behavior: 'answers',
      answers: [{ chosen: ['Redis'] }, { chosen: ['/v1/login', '/v1/whoami'] }],
    });
  });

  it('takes words of one’s own; digits in them are text', async () => {
    const page = await opened('preview');
    await page.keyboard.press('3');
    await see(page.getByLabel('Your answer to: Reply')).toBeFocused();
    await page.keyboard.type('410 and 2 lines why');
    await page.keyboard.press('Enter');
    expect(await answer(page)).toEqual({
      behavior: 'answers',
      answers: [{ chosen: [], other: '410 and 2 lines why' }],
    });
  });

  it('Enter without all answers sends nothing; Esc declines', async () => {
    const page = await opened('question');
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await see(log(page)).toBeEmpty();
    await page.keyboard.press('Escape');
    expect(await answer(page)).toEqual({ behavior: 'deny' });
  });
});

describe('a plan, by keyboard alone', () => {
  it('Enter approves and edits are asked for', async () => {
    const page = await opened('plan');
    // What is not in view yet is shown first; only then Enter approves.
    await page.getByRole('button', { name: 'Show the rest' }).waitFor();
    await page.keyboard.press('Enter');
    await see(page.getByRole('button', { name: 'Approve, ask for edits' })).toBeVisible();
    await armed(page);
    // The longer words on the button take room; the end stays in view all the same.
    expect(await changesOfButtons(page)).toBe(0);
    await page.keyboard.press('Enter');
    expect(await answer(page)).toMatchObject({ behavior: 'approvePlan', mode: 'default' });
  });

  it('is changed before it is approved, with edits accepted', async () => {
    const page = await opened('plan');
    await page.keyboard.press('Control+e');
    await see(page.getByRole('textbox', { name: 'The plan' })).toBeFocused();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('\nNo new dependencies.');
    await page.getByRole('radio', { name: 'Read' }).press('Enter');
    await see(dialog(page)).toContainText('No new dependencies.');
    const approve = page.getByRole('button', { name: 'Approve, accept edits' });
    // What is not in view yet is shown first; only then the button approves.
    await page.getByRole('button', { name: 'Show the rest' }).waitFor();
    await approve.press('Enter');
    await see(page.getByRole('button', { name: 'Show the rest' })).toBeHidden();
    await armed(page);
    await approve.press('Enter');
    const given = await answer(page);
    expect(given).toMatchObject({ behavior: 'approvePlan', mode: 'acceptEdits' });
    expect(JSON.stringify(given)).toContain('No new dependencies.');
  });

  it('Tab opens the way back to planning, with words', async () => {
    const page = await opened('plan');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Without SQLite');
    await page.keyboard.press('Enter');
    expect(await answer(page)).toEqual({ behavior: 'deny', message: 'Without SQLite' });
  });
});

describe('a command', () => {
  it('is changed before it runs: exactly these characters', async () => {
    const page = await opened('command');
    await page.keyboard.press('Control+e');
    const field = page.getByLabel('Run this instead');
    await see(field).toBeFocused();
    const dialog = page.getByRole('dialog');
    await see(dialog).toContainText('Bash(git push:*)');
    await field.fill('npm ci\u200b && npm run build');
    await see(page.getByRole('img', { name: 'zero-width space (U+200B)' })).toBeVisible();
    // The reason was that of the command before.
    await see(dialog).not.toContainText('Bash(git push:*)');
    await see(dialog).toHaveAccessibleDescription(/Your rules judge it anew/);
    await field.fill('  npm run build\n# no push ');
    await page.keyboard.press('Control+Enter');
    expect(await answer(page)).toEqual({
      behavior: 'allow',
      digest: 'digest-c1',
      edited: '  npm run build\n# no push ',
    });
  });

  it('Shift+Enter opens the rule and allows nothing', async () => {
    const page = await opened('command');
    await page.keyboard.press('Shift+Enter');
    await see(page.getByLabel('From now on, do not ask for')).toBeFocused();
    await see(log(page)).toBeEmpty();
  });

  it('names the sub-agent, the risks, where links lead, and that it changed', async () => {
    const page = await opened('parts');
    for (const words of [
      'from Explore',
      'runs what it downloads',
      'leads to /var/cache/shared',
      'changed while the question stood',
    ])
      await see(dialog(page)).toContainText(words);
    expect(await page.locator('.asks-mark').allInnerTexts()).toEqual([
      'sudo rm -rf ./cache',
      'git push --force origin main',
    ]);
  });
});

describe('three questions that wait', () => {
  it('the guard holds anew for the one that comes up', async () => {
    const page = await gallery.open('kit');
    // The guard goes by the page's clock, which stands still while the test looks.
    await page.clock.install({ time: 0 });
    await page.clock.pauseAt(1000);
    await gallery.open('three');
    await see(dialog(page)).toContainText('1 of 3');
    await see(dialog(page)).toBeFocused();
    await page.clock.runFor(401);
    await armed(page);
    await page.keyboard.press('Enter');
    await see(dialog(page)).toContainText('1 of 2');
    await see(dialog(page)).toHaveAccessibleName('Questions for you');
    // What is typed on goes nowhere: the next question takes no key before its guard is over.
    await page.keyboard.type('2\n');
    await see(page.getByLabel(/^Redis/)).not.toBeChecked();
    await see(log(page).locator('li')).toHaveCount(1);
    await page.keyboard.press('ArrowDown');
    await see(dialog(page)).toHaveAccessibleName('Go ahead with this plan?');
    await page.keyboard.press('ArrowUp');
    await see(dialog(page)).toHaveAccessibleName('Questions for you');
    await page.clock.resume();
  });
});

describe('fetching', () => {
  it('shows the host as the network sees it and what is odd about the address', async () => {
    const page = await opened('lookalike');
    await see(dialog(page)).toHaveAccessibleName('Fetch xn--exmple-4nf.com');
    await see(dialog(page)).toContainText('it is really xn--exmple-4nf.com');
    await see(dialog(page)).toContainText('a user name, not the host');
    await see(page.getByRole('img', { name: 'zero-width space (U+200B)' })).toBeVisible();
  });
});

it('fits on a small window at 200 %', async () => {
  for (const scene of ['parts', 'question', 'plan', 'edit', 'lookalike']) {
    const page = await gallery.open(scene);
    await page.setViewportSize({ width: 640, height: 400 });
    await page.addStyleTag({ content: 'nav, aside { display: none }' });
    await see(dialog(page)).toBeVisible();
    const overflow = await dialog(page).evaluate(
      (d) => d.scrollWidth > d.clientWidth || d.getBoundingClientRect().top < 0,
    );
    expect([scene, overflow]).toEqual([scene, false]);
    await page.setViewportSize({ width: 1280, height: 800 });
  }
});

it('threw nothing', () => expect(gallery.errors).toEqual([]));
