import { missingPackages, packagePlan } from './decisions.mjs';
import { hasProgram, run, systemChromium } from './system.mjs';
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
  // One by one: what this system does not have keeps nothing else away.
  for (const name of plan.packages) {
    const code = await run('apt-get', [...flags, name], { env });
    if (code !== 0) tell(`apt-get could not install ${name} (exit code ${code}); tests may fail.`);
  }
}

async function installPlaywrightBrowser(tell) {
  tell("Getting Playwright's Chromium.");
  const code = await run(process.execPath, [
    toolPath('@playwright/test', 'playwright'),
    'install',
    'chromium',
  ]);
  if (code !== 0) tell('No Chromium could be had; the tests in a browser will fail.');
}
