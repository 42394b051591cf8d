import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import { hashFindings } from '../../../src/main/engine/settings/findings';
import { type ScriptedApi, startScriptedApi } from '../../support/scripted-api';
import type { Reply } from '../../support/scripted-api-replies';
import { AppPage } from './app-page';
import { expect, type Lathe } from './lathe';

/** The key that the scripted API takes. */
export const KEY = 'sk-test-scripted';

/** The app in an empty project, connected to a scripted API; a host that has not started finds both as a user left them. */
export async function openScripted(page: Page, lathe: Lathe, api: ScriptedApi): Promise<AppPage> {
  const app = new AppPage(page);
  const folder = join(lathe.home, 'projects', 'harbour');
  await mkdir(folder, { recursive: true });
  if (lathe.hasStarted) {
    await app.openFolder(await lathe.link(), folder);
    await app.connect(KEY, api.url);
  } else {
    await leaveAsConnected(lathe.latheHome, await realpath(folder), api.url);
    await page.goto(await lathe.link());
    const trust = page.getByRole('button', { name: 'Trust and open' });
    await expect(app.composer.or(trust)).toBeVisible();
    if (await trust.isVisible()) await trust.click();
  }
  await expect(app.composer).toBeVisible();
  return app;
}

/** Writes what Lathe keeps of a folder that was opened, and trusted while it was empty, and of a key that was entered. */
async function leaveAsConnected(
  latheHome: string,
  folder: string,
  endpoint: string,
): Promise<void> {
  const isEmpty = (await readdir(folder)).length === 0;
  const trusted = { [folder]: { findingsHash: hashFindings([]), trustedAt: 0 } };
  await writeFiles(latheHome, {
    'state.json': JSON.stringify({ recents: [folder], connection: 'stored' }),
    'key.json': JSON.stringify({ key: KEY, baseUrl: endpoint }),
    'trust.json': JSON.stringify({ version: 1, folders: isEmpty ? trusted : {} }),
  });
}

/** A promise and what resolves it. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Returns what the model was told last. */
export const lastTold = (api: ScriptedApi): string =>
  JSON.stringify(api.requests.at(-1)?.body.messages.at(-1)?.content);

/** The app over a script, in the project `harbour`. */
export async function played(
  { page, lathe }: { readonly page: Page; readonly lathe: Lathe },
  script: readonly Reply[],
  play: (app: AppPage, api: ScriptedApi, folder: string) => Promise<void>,
): Promise<void> {
  const api = await startScriptedApi(script, { apiKey: KEY });
  try {
    const app = await openScripted(page, lathe, api);
    await play(app, api, join(lathe.home, 'projects', 'harbour'));
    expect(api.refusals).toEqual([]);
  } finally {
    await api.close();
  }
}

/** Writes files into a folder, by their paths in it. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}
