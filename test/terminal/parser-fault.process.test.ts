import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostPlace, readHostRecord } from '../../src/main/terminal/run-folder';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { TestPane } from '../support/terminal-pane';
import { bash, isAlive, spawned, untilOutput } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

test.each([
  ['the screen', '\\e[1J'],
  ['what is not protected', '\\e[?1J'],
])('erasing %s up to its last cell ends no terminal host, and shows', async (_what, erase) => {
  const spec = bash(terminals, `printf 'gone\\e[999;999H${erase}\\e[Hdone'; sleep 600`);
  await spawned(terminals.client, spec);
  await untilOutput(terminals.client, spec.id, 'done');
  const host = (await readHostRecord(hostPlace(terminals.runFolder)))?.pid ?? 0;
  expect(await terminals.client.text(spec.id)).toMatchObject({ value: 'done\n' });
  const pane = await TestPane.open(terminals.client, spec.id);
  await pane.untilText('done');
  expect(isAlive(host)).toBe(true);
});
