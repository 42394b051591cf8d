/** Joins class names; false, null, undefined and '' are left out. */
export const cx = (...names: readonly (string | false | null | undefined)[]): string =>
  names.filter(Boolean).join(' ');

/**
 * Returns the value of a colour token (e.g. "--term-red") as the page shows it now, as `rgb(…)`. Tokens hold
 * light-dark() pairs, which only a real property resolves; canvas and xterm need the resolved one.
 */
export function cssColor(token: string, near: HTMLElement = document.documentElement): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  probe.hidden = true;
  // Forced colours would make every token the colour of text.
  probe.style.setProperty('forced-color-adjust', 'none');
  near.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}
