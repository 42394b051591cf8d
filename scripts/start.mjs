/** `npm start`: sets everything up and opens the app, as Electron where that can be had. */
import { existsSync } from 'node:fs';
import { launch } from './lib/launch.mjs';
import { inRoot, readText, run } from './lib/system.mjs';

/** Longer than this nobody waits for a window; a download that needs it can be made by hand. Milliseconds. */
const DOWNLOAD_MS = 20_000;

await launch(async (tell) => {
  if (!couldShowElectron() || hasElectron()) return;
  tell('Downloading Electron.');
  const code = await run(process.execPath, [inRoot('node_modules', 'electron', 'install.js')], {
    timeoutMs: DOWNLOAD_MS,
    stdio: 'ignore',
  });
  if (code === null) tell('That takes too long; to fetch it in peace: npx install-electron');
});

/** Without a display, or as the superuser, Electron cannot start, so it need not be fetched. */
function couldShowElectron() {
  if (process.platform !== 'linux') return true;
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return Boolean(DISPLAY || WAYLAND_DISPLAY) && process.geteuid() !== 0;
}

function hasElectron() {
  const folder = inRoot('node_modules', 'electron');
  const program = readText(`${folder}/path.txt`);
  return program !== null && existsSync(`${folder}/dist/${program.trim()}`);
}
