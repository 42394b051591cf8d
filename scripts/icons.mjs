/** Draws resources/icons/*.png from icon.svg with Chromium. For whoever changes the mark; the pictures are committed. */
import { mkdirSync, readFileSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { inRoot } from './lib/system.mjs';

/** What Linux desktops, Windows and macOS ask for; electron-builder makes .ico and .icns of the largest. */
const SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024];

const folder = inRoot('resources', 'icons');
mkdirSync(folder, { recursive: true });
const svg = readFileSync(`${folder}/icon.svg`, 'utf8');
const browser = await chromium.launch({
  executablePath: process.env.LATHE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage();
for (const size of SIZES) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>*{margin:0}svg{display:block;width:100vw}</style>${svg}`);
  await page.screenshot({ path: `${folder}/${size}x${size}.png`, omitBackground: true });
}
await page.screenshot({ path: `${folder}/icon.png`, omitBackground: true });
await browser.close();
