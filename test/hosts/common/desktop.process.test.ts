import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { WindowCommand } from '../../../src/main/hosts/common/command-line/command';
import { runElectron } from '../../../src/main/hosts/common/desktop';
import { isInstanceAt } from '../../../src/main/hosts/common/instance';
import { tempFolder } from '../../node/temp-folder';
import { soon } from '../../support/soon';

const COMMAND: WindowCommand = {
  ...{ kind: 'open', folder: '/harbour', demo: false, port: 0 },
  ...{ openWindow: true, debug: false },
};

/** Makes a program that stands for the app. */
async function makeApp(text: (address: string) => string) {
  const folder = await tempFolder();
  const address = join(folder, 'app.sock');
  const path = join(folder, 'app');
  await writeFile(path, `#!${process.execPath}\n${text(address)}`);
  await chmod(path, 0o755);
  const run = (command: Partial<WindowCommand>, words: readonly string[] = []) =>
    runElectron({ path, words }, { ...COMMAND, ...command }, () => isInstanceAt(address));
  return { folder, address, run };
}

/**
 * Writes down its process and its words, and ends when the file `end` is there, or when its folder is gone, as after each test:
 * none outlives its own.
 */
const program = (address: string, start: string) => `
const { existsSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const address = ${JSON.stringify(address)};
const folder = dirname(address);
const up = () =>
  writeFileSync(join(folder, 'up'), JSON.stringify({ pid: process.pid, words: process.argv.slice(2) }));
setInterval(() => {
  if (existsSync(join(folder, 'end')) || !existsSync(folder)) process.exit(3);
}, 20);
${start}
`;
/** The first start of an app, which listens. */
const APP = (address: string) =>
  program(address, "require('node:net').createServer().listen(address, up);");
/** A start beside an app that is up. */
const SECOND = (address: string) => program(address, 'up();');

async function upIn(folder: string): Promise<{ pid: number; words: readonly string[] }> {
  // It is there before it is written.
  const up = await soon(async () => JSON.parse(await readFile(join(folder, 'up'), 'utf8')));
  onTestFinished(() => {
    try {
      process.kill(up.pid);
    } catch {
      // It has ended.
    }
  });
  return up;
}

test('a terminal is free as soon as the app is up, and the app lives on in a session of its own', async () => {
  const { folder, run } = await makeApp(APP);
  expect(await run({})).toEqual({ kind: 'ran', exitCode: 0 });
  const { pid, words } = await upIn(folder);
  expect(words).toEqual(['/harbour']);
  expect(process.kill(pid, 0)).toBe(true);
  // Neither its terminal's Ctrl+C nor its end reaches it: it leads a group of its own.
  expect(process.kill(-pid, 0)).toBe(true);
});

test.each<[string, Partial<WindowCommand>, readonly string[]]>([
  ['--wait', { waits: true }, []],
  ['a start from the sources', {}, ['--no-warnings']],
])('%s holds the terminal until the app ends, with its exit code', async (_, command, words) => {
  const { folder, run } = await makeApp(APP);
  let ended = false;
  const running = run(command, words).finally(() => {
    ended = true;
  });
  await upIn(folder);
  expect(ended).toBe(false);
  await writeFile(join(folder, 'end'), '');
  // An error so early means that it never came up.
  expect(await running).toEqual({ kind: 'failed', why: 'exit code 3' });
});

test('a start beside an app that is up already holds the terminal until it has handed over, with its exit code', async () => {
  const { folder, address, run } = await makeApp(SECOND);
  const first = createServer().listen(address);
  onTestFinished(() => void first.close());
  await once(first, 'listening');
  const running = run({});
  await upIn(folder);
  await writeFile(join(folder, 'end'), '');
  // What is up is the other one: the end of this start alone tells how it went.
  expect(await running).toEqual({ kind: 'failed', why: 'exit code 3' });
});

test('an app that does not come up is told apart from one that hands over to another', async () => {
  const broken = await makeApp(() => 'process.exit(7);');
  expect(await broken.run({})).toEqual({ kind: 'failed', why: 'exit code 7' });
  const handed = await makeApp(() => 'process.exit(0);');
  expect(await handed.run({})).toEqual({ kind: 'ran', exitCode: 0 });
});
