import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(
  join(import.meta.dirname, '../../../src/renderer/styles/tokens.css'),
  'utf8',
);

/** The value of a colour token in one theme, as #rrggbb. */
function token(name: string, theme: 'light' | 'dark'): string {
  const value = new RegExp(`--${name}:\\s*([^;]+);`).exec(css)?.[1]?.trim() ?? '';
  const other = /^var\(--([\w-]+)\)$/.exec(value)?.[1];
  if (other !== undefined) return token(other, theme);
  const pair = /^light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)$/.exec(value);
  const colour = pair ? pair[theme === 'light' ? 1 : 2] : value;
  if (colour === undefined || !/^#[0-9a-f]{6}$/.test(colour))
    throw new Error(`--${name}: ${value}`);
  return colour;
}

/** Relative luminance, WCAG 2. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

const SURFACES = ['canvas', 'side', 'raised', 'sunken', 'hover', 'selected'];
const CODE = ['constant', 'string', 'comment', 'keyword', 'function', 'punctuation', 'link'];
const TERMINAL = 'red green yellow blue magenta cyan white'.split(' ');

/** Text on surface, at least 4.5:1 (WCAG 2 AA). */
const TEXT: readonly (readonly [text: string, surface: string])[] = [
  ...['ink', 'ink-2', 'ink-3'].flatMap((ink) => SURFACES.map((s) => [ink, s] as const)),
  ...['accent', 'running', 'done', 'failed', 'waits'].flatMap((c) =>
    ['canvas', 'side', 'raised', 'sunken', 'hover'].map((s) => [c, s] as const),
  ),
  ...['done', 'failed', 'waits'].map((c) => [c, `${c}-tint`] as const),
  ['accent', 'accent-tint'],
  ...['ink', 'ink-2', 'ink-3'].flatMap((ink) =>
    ['waits-tint', 'failed-tint', 'done-tint'].map((s) => [ink, s] as const),
  ),
  ...['accent-fill', 'accent-fill-hover', 'failed-fill', 'failed-fill-hover'].map(
    (fill) => ['on-fill', fill] as const,
  ),
  ...['added', 'removed'].flatMap((s) => ['ink', 'ink-3'].map((ink) => [ink, s] as const)),
  ['done', 'added'],
  ['failed', 'removed'],
  ['ink', 'added-strong'],
  ['ink', 'removed-strong'],
  ...CODE.flatMap((name) =>
    ['sunken', 'canvas', 'added', 'removed'].map((s) => [`code-token-${name}`, s] as const),
  ),
  ['term-foreground', 'term-background'],
  ...TERMINAL.flatMap((name) =>
    [`term-${name}`, `term-bright-${name}`].map((c) => [c, 'term-background'] as const),
  ),
];

/** Shapes that carry meaning, at least 3:1. */
const SHAPES: readonly (readonly [shape: string, surface: string])[] = [
  ...['control', 'focus'].flatMap((c) => ['canvas', 'side', 'raised'].map((s) => [c, s] as const)),
];

describe.each(['light', 'dark'] as const)('contrast, %s', (theme) => {
  it.each(TEXT)('%s on %s is readable', (text, surface) =>
    expect(contrast(token(text, theme), token(surface, theme))).toBeGreaterThanOrEqual(4.5),
  );
  it.each(SHAPES)('%s on %s can be made out', (shape, surface) =>
    expect(contrast(token(shape, theme), token(surface, theme))).toBeGreaterThanOrEqual(3),
  );
});
