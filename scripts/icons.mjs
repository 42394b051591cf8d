/**
 * Draws resources/icons/*.png from icon.svg with Chromium, and puts them into icon.icns and icon.ico; of the mark alone, the
 * pictures of macOS's menu bar. For whoever changes the mark; the pictures are committed.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chromium } from '@playwright/test';
import { inRoot } from './lib/system.mjs';

/** What Linux desktops, Windows and macOS ask for. Pixels. */
const SIZES = [16, 24, 32, 48, 64, 128, 256, 512, 1024];

/** The kinds of pictures in an .icns file (Apple's icon services), by size; the last ones are for dense screens. */
const ICNS = [
  ['icp4', 16],
  ['icp5', 32],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic11', 32],
  ['ic12', 64],
  ['ic13', 256],
  ['ic14', 512],
  ['ic10', 1024],
];
const ICO = [16, 24, 32, 48, 64, 128, 256];

const folder = inRoot('resources', 'icons');
for (const one of [folder, inRoot('resources', 'tray')]) mkdirSync(one, { recursive: true });
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
// The menu bar colours what is black, and needs 16 points, in twice as many pixels on dense screens.
const mark = [...svg.matchAll(/<path d="([^"]+)"/g)].map(([, d]) => `<path d="${d}"/>`).join('');
for (const [name, size] of [
  ['trayTemplate', 16],
  ['trayTemplate@2x', 32],
]) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>*{margin:0}svg{display:block;width:100vw;height:100vh}</style><svg xmlns="http://www.w3.org/2000/svg" viewBox="152 186 720 736">${mark}</svg>`,
  );
  await page.screenshot({ path: inRoot('resources', 'tray', `${name}.png`), omitBackground: true });
}
await browser.close();

const picture = (size) => readFileSync(`${folder}/${size}x${size}.png`);
writeFileSync(`${folder}/icon.icns`, icns(ICNS.map(([kind, size]) => [kind, picture(size)])));
writeFileSync(`${folder}/icon.ico`, ico(ICO.map((size) => [size, picture(size)])));

/** Each picture behind its kind and length, after the same of the whole. */
function icns(pictures) {
  const parts = pictures.flatMap(([kind, bytes]) => [header(kind, bytes.length), bytes]);
  const body = Buffer.concat(parts);
  return Buffer.concat([header('icns', body.length), body]);
}

function header(kind, length) {
  const bytes = Buffer.alloc(8);
  bytes.write(kind, 'latin1');
  bytes.writeUInt32BE(length + bytes.length, 4);
  return bytes;
}

/** A directory of the pictures, which Windows takes as PNG since Vista, and the pictures. */
function ico(pictures) {
  const head = Buffer.alloc(6 + 16 * pictures.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let place = head.length;
  for (const [i, [size, bytes]] of pictures.entries()) {
    const at = 6 + 16 * i;
    // 256 does not fit and is written as 0.
    head.writeUInt8(size % 256, at);
    head.writeUInt8(size % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(bytes.length, at + 8);
    head.writeUInt32LE(place, at + 12);
    place += bytes.length;
  }
  return Buffer.concat([head, ...pictures.map(([, bytes]) => bytes)]);
}
