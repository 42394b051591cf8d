import { existsSync } from 'node:fs';
import { missingPackages, packagePlan } from './decisions.mjs';
import { hasProgram, run } from './system.mjs';
import { toolPath } from './tools.mjs';

/** Gets what the tests need from the system: by apt as root on Debian, else Playwright's own browser and a hint. */
export async function installTestPrograms(tell) {
  if (process.platform === 'linux') await installFromDebian(tell);
  if (systemChromium() === null) await installPlaywrightBrowser(tell);
}

async function installFromDebian(tell) {
  const plan = packagePlan(missingPackages(hasProgram), {
    hasApt: hasProgram('apt-get'),
    isRoot: process.geteuid() === 0,
  });
  if (plan.kind === 'hint') tell(plan.text);
  if (plan.kind !== 'apt') return;
  tell(`Installing ${plan.packages.join(', ')} (apt-get); this happens once.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env });
  const flags = ['install', '-y', '-qq', '--no-install-recommends'];
  const code = await run('apt-get', [...flags, ...plan.packages], { env });
  if (code !== 0) tell(`apt-get could not install them (exit code ${code}); some tests will fail.`);
}

/** Debian's Chromium, or null. The Playwright configuration looks at the same place. */
const systemChromium = () => (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : null);

async function installPlaywrightBrowser(tell) {
  tell("Getting Playwright's Chromium.");
  const code = await run(process.execPath, [
    toolPath('@playwright/test', 'playwright'),
    'install',
    'chromium',
  ]);
  if (code !== 0) tell('No Chromium could be had; the tests in a browser will fail.');
}
