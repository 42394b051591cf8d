import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createFixture } from './support/judge';

test('samples', async () => {
  const f = createFixture();
  const bad: string[] = [];
  const run = JSON.parse(readFileSync('/work/shared/samples/bash-permissions.sample.json', 'utf8'));
  for (const c of run.cases) {
    const d = await f.shell(c.command, c.rules, c.mode);
    if (!c.accept.includes(d.behavior))
      bad.push(
        `${c.id} ${JSON.stringify(c.command)} got ${d.behavior} want ${c.accept}: ${d.why.join(' | ')}`,
      );
  }
  const fs = JSON.parse(readFileSync('/work/shared/samples/file-permissions.sample.json', 'utf8'));
  for (const c of fs.cases) {
    if (c.platform !== 'any') continue;
    const t = performance.now();
    const d = await f.file(c.tool, c.path.replaceAll('{{HOME}}', f.home), c.rules, c.mode);
    if (!c.accept.includes(d.behavior) || performance.now() - t > 200)
      bad.push(`${c.id} ${c.path} got ${d.behavior} want ${c.accept}: ${d.why.join(' | ')}`);
  }
  f.remove();
  console.log(bad.join('\n'));
  expect(bad).toEqual([]);
});
