import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { hostPlace, readHostRecord } from '../../src/main/terminal/run-folder';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, spawned, until } from './support';

const started: TestTerminals[] = [];
afterEach(async () => {
  for (const terminals of started.splice(0)) await terminals.stop();
});

test('what a host that hangs was asked to start is not started when it wakes, because it was said that it was not', async () => {
  const terminals = await startTestTerminals({ answerMs: 2_000 });
  started.push(terminals);
  const { client, folder, runFolder } = terminals;
  await spawned(client, bash(terminals, 'true'));
  const host = (await readHostRecord(hostPlace(runFolder)))?.pid ?? 0;
  expect(host).toBeGreaterThan(0);
  const mark = join(folder, 'mark');
  process.kill(host, 'SIGSTOP');
  try {
    const refused = await client.spawn(bash(terminals, `echo started > ${mark}`));
    expect(refused).toMatchObject({ ok: false, error: { code: 'host_hung' } });
  } finally {
    process.kill(host, 'SIGCONT');
  }
  await until(async () => {
    const later = bash(terminals, 'true');
    const { ok } = await client.spawn(later);
    if (ok) await client.exited(later.id);
    return ok;
  });
  expect(existsSync(mark)).toBe(false);
});
