/*
 * Gives every test the same environment, whoever runs it and from where. What a user, an editor or a git hook has set
 * (`NODE_OPTIONS`, `GIT_DIR`, a proxy, a key) would reach each program that a test starts.
 */

/** Matches what programs need to be found and to find their places, what npm, Vitest and Playwright set or read, and the switches of our tests. */
const KEPT = new RegExp(
  `^(?:${[
    'PATH|HOME|USER|LOGNAME|TZ|TMPDIR|TMP|TEMP',
    'SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA',
    'DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS',
    'CI|NODE_ENV|TEST|VITEST\\w*|MODE|DEV|PROD|SSR|BASE_URL|TEST_\\w+|PLAYWRIGHT_\\w+|PW\\w+|DEBUG',
    'npm_config_\\w+|NODE_EXTRA_CA_CERTS',
    'LATHE_(?:AGENT_SDK|CHROMIUM|CRASHES|CRASH_SEED|E2E_APP|ESCAPE_SAMPLES|FUZZ_RUNS|FUZZ_SEED)',
    'LATHE_(?:LOOK|NPM_CLIENTS|PACKAGES|PICTURE_WIDTHS|QUICK|RUNS)',
  ].join('|')})$`,
  'i',
);

for (const name of Object.keys(process.env)) if (!KEPT.test(name)) delete process.env[name];
process.env['LANG'] = 'C.UTF-8';
process.umask(0o022);
