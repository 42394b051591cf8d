import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  becomeInstance,
  instanceAddress,
  instanceLock,
} from '../../src/main/hosts/common/instance';
import { createNodeLocks } from '../../src/main/node/locks';
import { soon } from '../support/soon';
import { createElectronDouble } from './double/electron-double';
import { runBuiltApp } from './double/run-built-app';

test('a home that is served to a browser is not opened twice, and the user is told', async () => {
  const home = await mkdtemp(join(tmpdir(), 'lathe-served-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const latheHome = join(home, 'lathe');
  const served = await becomeInstance(
    instanceAddress(latheHome, process.platform),
    { ask: 'url' },
    () => ({ host: 'web', pid: process.pid, url: 'http://127.0.0.1:1/' }),
    instanceLock(createNodeLocks(), latheHome),
  );
  if (!served.ok || 'other' in served.value) throw new Error('The home is taken');
  onTestFinished(served.value.release);
  const double = createElectronDouble();
  const app = await runBuiltApp(double, { at: { home, latheHome } });
  onTestFinished(app.stop);
  await soon(() => expect(double.app.record.exitCode).toBe(1));
  expect(double.errors).toEqual([
    `Lathe cannot open this home\n${latheHome}\n\nAnother Lathe serves it to a browser. End that one first.`,
  ]);
  expect(double.windows).toEqual([]);
});

test('what keeps the app from starting is told, and ends it', async () => {
  const double = createElectronDouble();
  double.electron.protocol.registerSchemesAsPrivileged = () => {
    throw new Error('The scheme is taken.');
  };
  const app = await runBuiltApp(double);
  onTestFinished(app.stop);
  await soon(() => expect(double.app.record.exitCode).toBe(1));
  expect(double.errors).toEqual(['Lathe cannot start\nThe scheme is taken.']);
});
