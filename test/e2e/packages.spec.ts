import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { extractAll, listPackage, statFile } from '@electron/asar';
import fuses from '@electron/fuses';
import type { Page } from '@playwright/test';
import { startScriptedApi } from '../support/scripted-api';
import { reply, toolUse } from '../support/scripted-api-replies';
import { AppPage } from './support/app-page';
import { expect, runCli, startLathe, test } from './support/lathe';
import { makeStubElectron } from './support/stub-electron';
import { makeStubFpm, type SystemPackage } from './support/stub-fpm';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const MODULES = join(ROOT, 'node_modules');
const MB = 1e6;

/** The states of a fuse: digits in the program. */
const [OFF, ON] = ['0', '1'].map((digit) => digit.charCodeAt(0));

test('the packaged app holds what it needs and no ballast, and runs from its archive', async ({
  home,
  page,
}) => {
  const electron = join(home, 'electron');
  await makeStubElectron(electron);
  const fpm = await makeStubFpm(join(home, 'fpm'));
  await run(
    process.execPath,
    [
      ...[
        join(MODULES, 'electron-builder', 'cli.js'),
        '--linux',
        'deb',
        'rpm',
        '--publish',
        'never',
      ],
      ...['--projectDir', ROOT, `-c.electronDist=${electron}`],
      `-c.directories.output=${join(home, 'dist')}`,
    ],
    { cwd: ROOT, env: { ...process.env, CUSTOM_FPM_PATH: fpm.path } },
  );
  const [deb, rpm] = await Promise.all([fpm.told('deb'), fpm.told('rpm')]);
  for (const told of [deb, rpm]) await isInstalledWhole(told, home);
  expect(deb.option('-d')).toEqual(expect.arrayContaining(['libgtk-3-0', 'libnss3', 'xdg-utils']));
  expect(deb.option('--category')).toEqual(['devel']);
  expect(rpm.option('--category')).toEqual(['Development/Tools']);
  for (const told of [deb, rpm])
    expect(told.option('--description').join()).toMatch(/^(Desktop coding agent\n )?Works on /);
  expect(deb.option('--deb-recommends')).toEqual(['bubblewrap', 'socat']);
  expect(rpm.option('-d')).toEqual(expect.arrayContaining(['gtk3', 'nss', 'xdg-utils']));
  expect(rpm.option('--rpm-tag')).toEqual(['Recommends: bubblewrap', 'Recommends: socat']);
  expect(rpm.option('--directories')).toEqual(['/opt/Lathe']);
  // An update runs the old one's, with the number of versions that stay.
  expect(rpm.text('--after-remove')).toContain('\n[ "$1" = 0 ] || exit 0\n');
  // Each app on this version of Electron would own the same links, and only one of them could be installed.
  expect(rpm.option('--rpm-rpmbuild-define')).toEqual(['_build_id_links none']);

  const app = join(home, 'dist', 'linux-unpacked');
  const archive = join(app, 'resources', 'app.asar');

  const files = listPackage(archive, { isPack: false }).filter((path) => 'size' in entry(path));
  function entry(path: string) {
    return statFile(archive, path.slice(1));
  }
  const bytes = files.reduce((sum, path) => sum + sizeOf(entry(path)), 0);
  console.log(`app.asar and beside it: ${files.length} files, ${(bytes / MB).toFixed(1)} MB`);
  expect(await readFile(join(app, 'resources', 'apparmor-profile'), 'utf8')).toContain(
    'profile "lathe-desktop" "/opt/Lathe/lathe-desktop" flags=(unconfined) {\n  userns,',
  );
  expect(bytes).toBeLessThan(35 * MB);
  expect(files.filter((path) => /\.(map|[mc]?ts)$/.test(path))).toEqual([]);
  expect(files.filter((path) => /^\/node_modules\/.*\/(tests?|docs)\//.test(path))).toEqual([]);
  expect(files).toContain('/resources/demo/project/dot-gitignore');

  await hasLicences(join(app, 'resources', 'licences'));
  const packages = files.flatMap(
    (path) => /^\/node_modules\/(.+)\/package\.json$/.exec(path)?.[1] ?? [],
  );
  for (const name of packages)
    for (const file of await readdir(join(MODULES, name)))
      if (/^licen[cs]e/i.test(file)) expect(files).toContain(`/node_modules/${name}/${file}`);

  const { FuseV1Options } = fuses;
  const wire = await fuses.getCurrentFuseWire(join(app, 'lathe-desktop'));
  expect([
    wire[FuseV1Options.RunAsNode],
    wire[FuseV1Options.EnableCookieEncryption],
    wire[FuseV1Options.EnableEmbeddedAsarIntegrityValidation],
    wire[FuseV1Options.OnlyLoadAppFromAsar],
  ]).toEqual([ON, ON, ON, ON]);
  expect([
    wire[FuseV1Options.EnableNodeOptionsEnvironmentVariable],
    wire[FuseV1Options.EnableNodeCliInspectArguments],
    wire[FuseV1Options.GrantFileProtocolExtraPrivileges],
  ]).toEqual([OFF, OFF, OFF]);

  // Its launcher hands the command line to the app's own program, wherever it is called from and through a link.
  const link = join(home, 'lathe');
  await symlink(join(app, 'resources', 'bin', 'lathe'), link);
  const { stdout } = await run(link, ['-p', 'two words'], { cwd: home });
  expect(stdout.split('\n').slice(0, 1)).toEqual(['as node: 1']);
  expect(stdout).toMatch(/app\.asar\/out\/main\/cli\.js\n-p\ntwo words\n$/);

  const unpacked = join(home, 'unpacked');
  extractAll(archive, unpacked);
  // As they lie beside the archive, programs among them.
  await cp(`${archive}.unpacked`, unpacked, { recursive: true });
  await findsItsPackages(unpacked);
  await runsEverything(home, join(unpacked, 'out', 'main', 'cli.js'), page);
});

test('the package of npm runs where it is installed with its dependencies only', async ({
  home,
  page,
}) => {
  const { stdout } = await run(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', home],
    { cwd: ROOT },
  );
  const [packed] = JSON.parse(stdout);
  const names: string[] = packed.files.map(({ path }: { path: string }) => path);
  console.log(
    `${packed.filename}: ${names.length} files, ${(packed.size / MB).toFixed(1)} MB, ${(packed.unpackedSize / MB).toFixed(1)} MB unpacked`,
  );
  expect(names.filter((path) => /\.(map|ts)$|(^|\/)\.|^(src|test)\//.test(path))).toEqual([]);
  expect(names).toContain('resources/demo/project/dot-npmrc');

  const place = join(home, 'somewhere', 'node_modules', 'lathe');
  await mkdir(place, { recursive: true });
  const tarball = join(home, packed.filename);
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', place]);
  await linkDependencies(place);
  await hasLicences(join(place, 'out'));
  await findsItsPackages(place);
  await runsEverything(home, join(place, 'bin', 'lathe.mjs'), page);
});

/** Checks that the texts of licences of what is bundled came along: of code, styles, fonts and what a thread of the page runs. */
async function hasLicences(folder: string): Promise<void> {
  const texts = await Promise.all(
    ['main/licences.txt', 'renderer/licences.txt', 'renderer/licences-worker.txt'].map((name) =>
      readFile(join(folder, name), 'utf8'),
    ),
  );
  const text = texts.join('\n');
  for (const name of ['ws', 'zod', 'react', 'shiki', 'tailwindcss', '@fontsource-variable/inter'])
    expect(text).toMatch(new RegExp(`^(.*, )?${name} \\d+\\.`, 'm'));
  expect(text).toContain('SIL OPEN FONT LICENSE');
}

/** Checks what a package of a Linux distribution installs, and what its scripts do. */
async function isInstalledWhole(told: SystemPackage, home: string): Promise<void> {
  expect(told.places).toEqual(
    expect.arrayContaining([
      ...['/opt/Lathe', '/usr/bin/lathe', '/usr/share/applications/lathe.desktop'],
      '/usr/share/icons/hicolor/256x256/apps/lathe-desktop.png',
    ]),
  );
  expect(told.text('/usr/bin/lathe')).toBe(await readFile(join(ROOT, 'bin', 'lathe'), 'utf8'));
  const entry = told.text('/usr/share/applications/lathe.desktop').split('\n');
  expect(entry).toEqual(
    expect.arrayContaining([
      ...['Name=Lathe', 'Exec=/opt/Lathe/lathe-desktop %U', 'Icon=lathe-desktop', 'Terminal=false'],
      ...['StartupWMClass=lathe', 'Categories=Development;'],
      expect.stringMatching(/^MimeType=x-scheme-handler\/lathe;/),
    ]),
  );
  const after = told.text('--after-install');
  // Where no user may make namespaces, Chromium's sandbox needs the SUID bit; where AppArmor forbids it, a profile.
  for (const line of [
    ...["chmod 4755 '/opt/Lathe/chrome-sandbox'", "chmod 0755 '/opt/Lathe/chrome-sandbox'"],
    ...["'/opt/Lathe/resources/apparmor-profile'", "'/etc/apparmor.d/lathe-desktop'"],
    "'/usr/bin/lathe-desktop'",
  ])
    expect(after).toContain(line);
  expect(told.text('--after-remove')).toContain("'/etc/apparmor.d/lathe-desktop'");
  for (const [at, script] of [after, told.text('--after-remove')].entries()) {
    // The link of the window's program must never take the place of the command line.
    expect(script).not.toMatch(/'\/usr\/bin\/lathe'/);
    const path = join(home, `script-${at}`);
    await writeFile(path, script);
    await run('bash', ['-n', path]);
  }
}

/** Gives an installed package the dependencies that it names. Its own code finds nothing else. */
async function linkDependencies(place: string): Promise<void> {
  const { dependencies, optionalDependencies } = JSON.parse(
    await readFile(join(place, 'package.json'), 'utf8'),
  );
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const target = join(dirname(place), name);
    await mkdir(dirname(target), { recursive: true });
    // A dangling link where an optional one is not for this system.
    await symlink(join(MODULES, name), target);
  }
}

const sizeOf = (entry: object): number =>
  'size' in entry && typeof entry.size === 'number' ? entry.size : 0;

/** Checks that every package that the program asks for by its name is there. */
async function findsItsPackages(place: string): Promise<void> {
  const main = join(place, 'out', 'main');
  const asked = new Set<string>();
  for (const { name, parentPath } of await readdir(main, { recursive: true, withFileTypes: true }))
    if (name.endsWith('.js'))
      for (const [, dependency = ''] of (await readFile(join(parentPath, name), 'utf8')).matchAll(
        // Behind a grave accent stands code that is only written.
        /(?<!`)\b(?:import|require|load)\("([a-z@][^"]*)"\)/g,
      ))
        asked.add(dependency);
  const packages = [...asked].filter((name) => !isBuiltin(name) && name !== 'electron');
  expect(packages).toContain('node-pty');
  for (const name of packages) createRequire(join(main, 'cli.js')).resolve(name);
}

/** Runs `doctor`, `-p` with a command and a search, and `serve` of an installation with a terminal in its page. */
async function runsEverything(home: string, cli: string, page: Page): Promise<void> {
  const doctor = await runCli(home, ['doctor'], { cli });
  expect(doctor.output).toMatch(/ripgrep/i);
  expect(doctor.output).not.toMatch(/Cannot find|ERR_/);

  await writeFile(join(home, 'note.txt'), 'a needle in a file\n');
  const api = await startScriptedApi(
    [
      reply(toolUse('Grep', { pattern: 'needle', output_mode: 'content' })),
      reply(toolUse('Bash', { command: 'cat note.txt' })),
      reply('Found it.'),
    ],
    { apiKey: 'k' },
  );
  try {
    const ran = await runCli(home, ['-p', 'go'], {
      cli,
      env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: api.url },
    });
    expect(ran).toMatchObject({ exitCode: 0, output: expect.stringContaining('Found it.') });
    const told = JSON.stringify(api.requests.at(-1)?.body.messages);
    expect(told).toContain('note.txt:1:a needle in a file');
    expect(told).not.toContain('tool_use_error');

    const project = join(home, 'harbour');
    await mkdir(project);
    const lathe = await startLathe(home, [project], {}, cli);
    try {
      await page.goto(await lathe.link());
      await expect(page).toHaveTitle(/Lathe$/);
      await page.getByRole('button', { name: 'Trust and open' }).click();
      const screen = new AppPage(page);
      await screen.connect('k', api.url);
      await screen.openShell();
      await screen.typeInTerminal('echo $((40 + 2)) needles');
      await expect.poll(() => screen.screenText()).toContain('42 needles');
    } finally {
      expect(await lathe.stop()).toEqual([]);
    }
  } finally {
    await api.close();
  }
}
