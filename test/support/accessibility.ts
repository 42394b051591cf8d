import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** The part of a page that is looked at; by default all of it. */
interface Area {
  readonly within?: string;
  /** What is left out, as a selector. */
  readonly without?: string;
  /** Looks at contrast alone, for a theme in which nothing else differs. */
  readonly contrastOnly?: boolean;
  /** Looks at all but contrast, for a size at which colours do not differ. */
  readonly withoutContrast?: boolean;
  /** Leaves out what is advice and no rule of WCAG 2.1 AA. */
  readonly rulesOnly?: boolean;
}

/** The axe that comes with its adapter. The adapter itself loads it anew for each look and sends every result over. */
const AXE = createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve(
  'axe-core/axe.min.js',
);

const WCAG_21_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'];

type Options = Parameters<AxeBuilder['options']>[0];
type Results = Awaited<ReturnType<AxeBuilder['analyze']>>;

/** Returns what axe finds wrong with the names, roles and contrast of the page as it stands; empty when nothing is. */
export async function accessibilityFaults(
  page: Page,
  { within, without, contrastOnly = false, withoutContrast = false, rulesOnly = false }: Area = {},
): Promise<readonly string[]> {
  // By the debugger, which the policy of the page does not bind; once for each document.
  if (!(await page.evaluate(() => 'axe' in window))) {
    await page.evaluate(`${readFileSync(AXE, 'utf8')};undefined`);
  }
  const options: Options = {
    // The details of what passes take longer than finding out that it does.
    resultTypes: ['violations'],
    // Our pages have none.
    iframes: false,
    ...(contrastOnly ? { runOnly: { type: 'rule', values: ['color-contrast'] } } : {}),
    ...(withoutContrast ? { rules: { 'color-contrast': { enabled: false } } } : {}),
    ...(rulesOnly ? { runOnly: { type: 'tag', values: WCAG_21_AA } } : {}),
  };
  const area = {
    ...(within === undefined ? {} : { include: [within] }),
    ...(without === undefined ? {} : { exclude: [without] }),
  };
  return page.evaluate(
    async ({ area, options }) => {
      // What fades in has the contrast of a moment.
      const fading = document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
      await Promise.allSettled(fading.map(({ finished }) => finished));
      const { axe } = window as unknown as {
        axe: { run(area: unknown, options: Options): Promise<Results> };
      };
      const { violations } = await axe.run(
        Object.keys(area).length === 0 ? document : area,
        options,
      );
      return violations.map(
        ({ id, help, nodes }) =>
          `${id} (${help}): ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
      );
    },
    { area, options },
  );
}
