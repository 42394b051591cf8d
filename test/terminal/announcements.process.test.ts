import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TerminalInfo } from '../../src/shared/terminal';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { TestPane } from '../support/terminal-pane';
import { shell, spawned, until } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

test('title, folder, bell and unread output of a shell reach every client and outlive a window', async () => {
  const spec = shell(terminals);
  await spawned(terminals.client, spec);
  const other = terminals.connect();
  await other.list();
  let info: TerminalInfo | undefined;
  other.onChanged((all) => {
    info = all.find(({ id }) => id === spec.id);
  });
  const pane = await TestPane.open(terminals.client, spec.id);
  pane.type("printf '\\e]0;my \\x01title\\a\\e]7;file:///tmp\\a'\n");
  await until(() => info?.programTitle === 'my title' && info.cwd === '/tmp');
  expect(info).toMatchObject({ bell: false, unread: false });
  pane.type("read x; printf 'more\\a'; exit 3\n");
  await pane.untilText('read x');
  await pane.type('\n');
  // Whoever looks has heard it.
  await until(() => info?.exitCode === 3);
  expect(info?.bell).toBe(false);
  pane.close();
});

test('a name is kept by the host, without what would not show, and an empty one goes', async () => {
  const spec = shell(terminals);
  await spawned(terminals.client, spec);
  expect((await terminals.client.rename(spec.id, 'build\u202e \x07one')).ok).toBe(true);
  const other = terminals.connect();
  const named = async () => (await other.list()).find(({ id }) => id === spec.id);
  expect((await named())?.name).toBe('build one');
  await terminals.client.rename(spec.id, ' ');
  expect(await named()).not.toHaveProperty('name');
  await terminals.client.kill(spec.id, 0);
});

test('a command that rings and prints while nobody looks is marked until somebody does', async () => {
  const spec = shell(terminals);
  await spawned(terminals.client, spec);
  const find = async () => (await terminals.client.list()).find(({ id }) => id === spec.id);
  const pane = await TestPane.open(terminals.client, spec.id);
  pane.type("read -s -d Q; sleep 0.2; printf 'done\\a'; read -s -d Q\n");
  await pane.untilText('printf');
  pane.type('Q');
  pane.close();
  await until(async () => {
    const info = await find();
    return info?.bell === true && info.unread === true;
  });
  const again = await TestPane.open(terminals.client, spec.id);
  await again.untilText('done');
  await until(async () => {
    const info = await find();
    return info?.bell === false && info.unread === false;
  });
  again.close();
  await terminals.client.kill(spec.id, 0);
});
