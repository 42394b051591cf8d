import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestTerminals, type TestTerminals } from '../support/terminal-client';
import { bash, spawned, untilOutput } from './support';

let terminals: TestTerminals;
beforeAll(async () => {
  terminals = await startTestTerminals();
});
afterAll(() => terminals.stop());

const LONG = 'x'.repeat(200);

test('a terminal is read as text while it runs and after its end, wrapped lines joined', async () => {
  const spec = bash(
    terminals,
    `printf '\\e[31m%s\\e[0m\\n' one ${LONG}; seq 1 100; printf READY; read -r; echo bye`,
  );
  await spawned(terminals.client, spec);
  await untilOutput(terminals.client, spec.id, 'READY');
  const text = await terminals.client.text(spec.id);
  if (!text.ok) throw new Error(text.error.message);
  expect(text.value).toMatch(new RegExp(`^one\n${LONG}\n1\n2\n[\\s\\S]*\n100\nREADY\n$`));
  await terminals.client.kill(spec.id, 0);
  await terminals.client.exited(spec.id);
  const after = await terminals.client.text(spec.id);
  expect(after.ok && after.value).toContain(`${LONG}\n1\n`);
  await terminals.client.dismiss(spec.id);
  expect(await terminals.client.text(spec.id)).toMatchObject({
    ok: false,
    error: { code: 'gone' },
  });
});
