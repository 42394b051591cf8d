import { missingPackages, packagePlan } from './decisions.mjs';
import { hasProgram, run, systemChromium } from './system.mjs';
import { toolPath } from './tools.mjs';

/** Installs what the tests need from the system: by apt as root on Debian, else a hint says what is missing. */
export async function installFromDebian(tell) {
  if (process.platform !== 'linux') return;
  const plan = packagePlan(missingPackages(hasProgram), {
    hasApt: hasProgram('apt-get'),
    isRoot: process.geteuid() === 0,
  });
  if (plan.kind === 'hint') tell(plan.text);
  if (plan.kind !== 'apt') return;
  tell(`Installing ${plan.packages.join(', ')} (apt-get); this happens once.`);
  await aptGet('update');
  if ((await aptInstall(plan.packages)) === 0) return;
  // One by one: what this system does not have keeps nothing else away.
  for (const name of plan.packages) {
    const code = await aptInstall([name]);
    if (code !== 0) tell(`apt-get could not install ${name} (exit code ${code}); tests may fail.`);
  }
}

const aptInstall = (names) => aptGet('install', '-y', '--no-install-recommends', ...names);

const aptGet = (command, ...words) =>
  run('apt-get', [command, '-qq', ...words], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });

/** Gets Playwright's own browser where the system has none, after the packages of npm. */
export async function installBrowser(tell) {
  if (systemChromium() !== null) return;
  tell("Getting Playwright's Chromium.");
  const code = await run(process.execPath, [
    toolPath('@playwright/test', 'playwright'),
    'install',
    'chromium',
  ]);
  if (code !== 0) tell('No Chromium could be had; the tests in a browser will fail.');
}
