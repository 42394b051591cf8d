import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from './support/lathe';

/** The folder of the packages that are installed; without it nothing is. */
const PACKAGES = process.env['LATHE_PACKAGES'];
const AS_ROOT = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
const OWN_MOUNTS = [...AS_ROOT, 'unshare', '--mount', '--propagation', 'private'];

test.skip(PACKAGES === undefined, 'LATHE_PACKAGES names no folder with a deb and an rpm.');
test.slow();

/** How each kind is put in, put in again and taken out. Dependencies are the system's own affair. */
const KINDS = [
  {
    kind: 'deb',
    install: 'dpkg --install --force-depends /root/package',
    update: 'dpkg --install --force-depends /root/package',
    remove: 'dpkg --purge lathe',
  },
  {
    kind: 'rpm',
    install: 'rpm --initdb && rpm --install --nodeps /root/package',
    update: 'rpm --upgrade --replacepkgs --nodeps /root/package',
    remove: 'rpm --erase lathe',
  },
] as const;

for (const { kind, install, update, remove } of KINDS)
  test(`the ${kind} goes in, is updated and goes away without a trace`, async ({ home }) => {
    const missing = [kind === 'deb' ? 'dpkg' : 'rpm', 'update-alternatives'].filter(
      (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
    );
    test.skip(missing.length > 0, `There is no ${missing.join(', ')} here.`);
    const [mounts = '', ...words] = [...OWN_MOUNTS, 'true'];
    test.skip(spawnSync(mounts, words).status !== 0, 'Nothing may be mounted here, not by sudo.');
    const folder = resolve(PACKAGES ?? '');
    const name = readdirSync(folder).find((each) => each.endsWith(`.${kind}`));
    if (name === undefined) throw new Error(`${folder} holds no ${kind}.`);

    const [installed, updated, removed] = await inCopyOfSystem(home, join(folder, name), [
      `${NAMESPACES(false)} ${install}`,
      `${NAMESPACES(true)} ${update}`,
      remove,
    ]);
    const whole = {
      command: '/usr/bin/lathe',
      window: '/opt/Lathe/lathe-desktop',
      profile: 'yes',
      links: 'x-scheme-handler/lathe',
      folder: 'yes',
    };
    expect(installed).toMatchObject({ ...whole, sandbox: '4755' });
    expect(installed?.['version']).toMatch(
      /^(\d+\.\d+\.\d+|as node: 1 \/opt\/Lathe\/resources\/app.asar\/out\/main\/cli.js --version)$/,
    );
    // Scripts of an rpm are for bash under the name of sh, as where it is at home; elsewhere they choose the SUID bit.
    const namespaces = kind === 'deb' ? { sandbox: '755' } : {};
    expect(updated).toMatchObject({ ...whole, ...namespaces });
    expect(removed).toEqual({
      ...{ command: '', window: '', profile: '', links: '', folder: '', sandbox: '', version: '' },
    });
  });

/** Lets the script of a package find that a user may make namespaces, or may not. */
const NAMESPACES = (allowed: boolean) =>
  `printf '#!/bin/sh\\nexit ${allowed ? 0 : 1}\\n' > /usr/bin/unshare;`;

/** What can be seen of an installation, as `name=value`. */
const LOOK = `
there() { [ -e "$1" ] && echo yes; }
echo "command=$(command -v lathe)"
echo "window=$(readlink -e /usr/bin/lathe-desktop)"
echo "sandbox=$(stat -c %a /opt/Lathe/chrome-sandbox)"
echo "profile=$(there /etc/apparmor.d/lathe-desktop)"
echo "links=$(grep -o x-scheme-handler/lathe /usr/share/applications/lathe.desktop)"
echo "folder=$(there /opt/Lathe)"
echo "version=$(lathe --version | xargs)"
`;

/**
 * Runs steps as root in a copy of this system, of which nothing reaches the real one, and gives what can be seen after each.
 * AppArmor there is one that takes every profile.
 */
async function inCopyOfSystem(
  home: string,
  file: string,
  steps: readonly string[],
): Promise<readonly Readonly<Record<string, string>>[]> {
  for (const part of ['upper', 'work', 'system']) await mkdir(join(home, part));
  const inside = `set +e
for name in apparmor_status apparmor_parser; do
  printf '#!/bin/sh\\nexit 0\\n' > /usr/sbin/$name && chmod 755 /usr/sbin/$name
done
${steps.map((step) => `{ ${step}; } >&2 || echo "failed=${step.replaceAll('"', '')}"\n${LOOK}echo "#"`).join('\n')}
`;
  const outside = `set -e
cd "$1"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" system
mount -t proc proc system/proc
mount --rbind /dev system/dev
cp "$2" system/root/package
cp inside.sh system/root/inside.sh
chroot system bash /root/inside.sh 2> log
`;
  await writeFile(join(home, 'inside.sh'), inside);
  await writeFile(join(home, 'outside.sh'), outside);
  const [program = '', ...words] = [...OWN_MOUNTS, ...['sh', join(home, 'outside.sh'), home, file]];
  const { stdout } = await promisify(execFile)(program, words, {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
  });
  // What root wrote there only root may remove.
  const [taker = 'rm', ...rest] = [
    ...AS_ROOT,
    'rm',
    '-rf',
    join(home, 'upper'),
    join(home, 'work'),
  ];
  await promisify(execFile)(taker, rest);
  return stdout
    .split('#\n')
    .filter(Boolean)
    .map((seen) =>
      Object.fromEntries(
        seen
          .trim()
          .split('\n')
          .map((line) => line.split(/=(.*)/)),
      ),
    );
}
