import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, spawned } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

const LINES = 60_000;

test('programs that flood together lose nothing, although all but a few of them wait at any time', async () => {
  const specs = Array.from({ length: 8 }, (_, i) => ({
    ...bash(terminals, `seq 1 ${LINES}; echo THE-END`),
    outputFile: join(terminals.folder, `flood-${i}.output`),
  }));
  await Promise.all(specs.map((spec) => spawned(terminals.client, spec)));
  const exits = await Promise.all(specs.map(({ id }) => terminals.client.exited(id)));
  const lines = Array.from({ length: LINES }, (_, i) => `${i + 1}`);
  const whole = [...lines, 'THE-END', ''].join('\r\n');
  for (const [i, { outputFile }] of specs.entries()) {
    expect(exits[i]).toMatchObject({ exitCode: 0, bytes: whole.length });
    expect(readFileSync(outputFile, 'utf8') === whole).toBe(true);
  }
});
