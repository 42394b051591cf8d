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

test('programs that flood are closed for good right after they were ended, although their last output is still on its way', async () => {
  const { client } = terminals;
  const close = async ({ id }: { readonly id: string }) => {
    expect(await client.kill(id, 2_000)).toMatchObject({ survivors: [] });
    await client.dismiss(id);
  };
  for (let round = 0; round < 6; round += 1) {
    const specs = Array.from({ length: 6 }, () => bash(terminals, 'yes "what is printed last"'));
    for (const spec of specs) await spawned(client, spec);
    await Promise.all(specs.map(close));
    expect(await client.list()).not.toContainEqual(
      expect.objectContaining({ command: 'yes "what is printed last"' }),
    );
  }
});
