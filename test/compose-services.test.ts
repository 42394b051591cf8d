import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settingsAsTrusted } from '../src/main/compose-services';
import { createTrustStore } from '../src/main/engine/permissions/trust';
import { createNodeFiles } from '../src/main/node/files';
import { createHome, type Home } from './engine/settings/support';
import { memoryClock } from './support/memory-clock';

type Asked = Parameters<typeof settingsAsTrusted>[2];

let home: Home;
let root: string;
beforeEach(() => {
  home = createHome();
  root = join(home.home, 'checkout');
  mkdirSync(root);
  home.put('checkout/.claude/settings.json', { model: 'of-the-root' });
  home.put('proj/.claude/settings.json', { model: 'of-the-project' });
});
afterEach(() => home.remove());

/** Reads the settings where the user trusted some folders as they are. */
async function look(trusted: readonly string[], asked: Asked) {
  const file = join(home.home, 'trust.json');
  const trust = createTrustStore({ files: createNodeFiles(), file, clock: memoryClock() });
  const loadSettings = (_: string, counts: boolean, options: Asked) => home.load(counts, options);
  for (const folder of trusted) {
    const inFolder = folder === home.project ? {} : { configRoot: folder };
    await trust.set(folder, (await home.load(false, inFolder)).findingsHash);
  }
  const found = await settingsAsTrusted({ loadSettings, trust }, home.project, asked);
  const { settings } = found;
  expect(settings.trusted).toBe(found.trusted);
  return [settings.model, settings.trusted, settings.rootTrusted];
}

test.each<[string, boolean, boolean, Asked, readonly unknown[]]>([
  ['nobody', false, false, {}, [undefined, false, false]],
  ['the user, of the root', true, false, {}, ['of-the-root', false, true]],
  ['the user, of the project', false, true, {}, [undefined, true, false]],
  ['the user, of both', true, true, {}, ['of-the-root', true, true]],
  ['a flag', false, false, { trust: true }, ['of-the-root', true, true]],
  ['a program, of the root', false, false, { driven: true }, ['of-the-root', false, true]],
  [
    'a program, of both',
    false,
    false,
    { driven: true, settingSources: ['project'] },
    ['of-the-root', true, true],
  ],
])(
  'trust of a root and of the folder worked in are two answers: %s',
  async (_, ofRoot, ofProject, asked, expected) => {
    const trusted = [...(ofRoot ? [root] : []), ...(ofProject ? [home.project] : [])];
    expect(await look(trusted, { ...asked, configRoot: root })).toEqual(expected);
  },
);

test('a program that names the folder itself as the root trusts that folder', async () => {
  const asked = { driven: true, configRoot: home.project };
  expect(await look([], asked)).toEqual(['of-the-project', true, true]);
});

test('without a root there is one answer', async () => {
  expect(await look([], { driven: true })).toEqual([undefined, false, undefined]);
  expect(await look([home.project], {})).toEqual(['of-the-project', true, undefined]);
});
