import { type Script, startScriptedApi } from '../support/scripted-api';
import { hold, reply, text, toolUse } from '../support/scripted-api-replies';
import { faults } from './support/faults';
import { expect, test } from './support/lathe';
import { gate, KEY, openScripted as open } from './support/scripted-app';

test.slow();

const start = (description: string) =>
  toolUse('Agent', { description, prompt: `the ${description}`, subagent_type: 'general-purpose' });

/** Two sub-agents work: one asks before it runs something, the other writes until it is let go or stopped. */
function script(released: Promise<void>): Script {
  let asked = 0;
  return ({ body }) => {
    const said = JSON.stringify(body.messages);
    if (said.includes('what to do about both')) {
      asked += 1;
      return asked === 1 ? reply([start('first half'), start('second half')]) : reply('All told.');
    }
    if (said.includes('the second half'))
      return reply([text('Half of it is '), hold(released), text('written.')]);
    return said.includes('tool_result')
      ? reply('The first half is done.')
      : reply([toolUse('Bash', { command: 'touch made-by-the-first' })]);
  };
}

test('the tree of agents shows who works, who asks and what each said, and opens one beside the conversation', async ({
  page,
  lathe,
}) => {
  const later = gate();
  const api = await startScriptedApi(script(later.opened), { apiKey: KEY });
  try {
    const app = await open(page, lathe, api);
    // First, because the question wants the focus when it comes.
    await page.getByRole('tab', { name: /^Agents/ }).click();
    await app.send('Say what to do about both.');
    const tree = page.getByRole('list', { name: 'Agents' });
    const row = (name: string) =>
      tree.getByRole('listitem').filter({ has: page.getByTitle(name, { exact: true }) });
    await expect(row('first half')).toContainText('asks you');
    await expect(row('Main agent')).toBeVisible();
    await expect(row('second half')).toContainText('Half of it is');
    expect.soft(await faults(page)).toEqual([]);
    // The question says whose it is.
    await expect(await app.question('touch made-by-the-first')).toContainText('first half');
    await app.allowOnce('touch made-by-the-first');
    await expect(row('first half').getByRole('img', { name: 'done' })).toBeVisible();
    await expect(row('first half')).toContainText('The first half is done.');

    // Title and type are two words for who has them read out, and the type stays where the title is long.
    await tree.getByRole('button', { name: /second half [a-zA-Z-]+ / }).press('Enter');
    await expect(page.locator('h2:focus')).toContainText('second half');
    const beside = page.getByRole('region', { name: 'Transcript of second half' });
    await expect(beside).toContainText('the second half');
    await expect(beside).toContainText('Half of it is');
    await expect(app.conversation).toContainText('what to do about both');
    expect.soft(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'All agents' }).click();

    await row('second half').hover();
    await row('second half').getByRole('button', { name: 'Stop second half' }).click();
    await expect(row('second half').getByRole('img', { name: 'stopped' })).toBeVisible();
    await expect(app.conversation).toContainText('All told.');
    // A card leads there too.
    await app.conversation.getByRole('button', { name: 'first half' }).first().click();
    await app.conversation.getByRole('button', { name: 'Open beside' }).first().click();
    await expect(page.getByRole('region', { name: 'Transcript of first half' })).toContainText(
      'The first half is done.',
    );
    expect(api.refusals).toEqual([]);
  } finally {
    later.open();
    await api.close();
  }
});
