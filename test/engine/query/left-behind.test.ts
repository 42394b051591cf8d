import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { error, reply, thinking } from '../../support/scripted-api-replies';
import { endOf, saidIn, sessionsOfFile } from './support';

const start = sessionsOfFile();
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

it('a mentioned image that the API refused is not attached again, here or after a restart', async () => {
  const t = await start((_, number) =>
    number === 0 ? error(400, 'image exceeds 5 MB maximum') : reply(`answer ${number}`),
  );
  await writeFile(join(t.project, 'a.png'), Buffer.from(PIXEL, 'base64'));
  expect(endOf(await t.run('look at @a.png')).terminal).toBe('image_error');
  expect(saidIn(t.api, 0)).toContain('"type":"image"');
  expect(endOf(await t.run('and without it?')).text).toBe('answer 1');
  await t.reopen();
  expect(endOf(await t.run('and now?')).text).toBe('answer 2');
  for (const request of [1, 2]) {
    expect(saidIn(t.api, request)).not.toContain('"type":"image"');
    expect(saidIn(t.api, request)).toContain('look at @a.png');
    expect(saidIn(t.api, request)).toContain('a.png is not attached: the model cannot use');
  }
});

it('a summary right after a restart takes no thinking of before along, and no later request does', async () => {
  const t = await start((_, number) =>
    number === 3
      ? reply('<summary>Short.</summary>')
      : reply([thinking(`thought ${number}`), 'ok']),
  );
  for (const prompt of ['one', 'two', 'three']) await t.run(prompt);
  expect(saidIn(t.api, 2)).toContain('thought 1');
  await t.reopen();
  for await (const _ of t.session.main.engine.compact());
  expect(saidIn(t.api, 3)).toContain('three');
  expect(saidIn(t.api, 3)).not.toContain('thought');
  await t.run('four');
  expect(saidIn(t.api, 4)).not.toContain('thought');
  await t.run('five');
  expect(saidIn(t.api, 5)).toContain('thought 4');
});
