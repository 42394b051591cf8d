import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

interface Area {
  /** The part of the page that is looked at, as a selector; the whole page when not said. */
  readonly within?: string;
  /** What is left out, as a selector. */
  readonly without?: string;
  /** Looks at contrast alone, for a theme in which nothing else differs. */
  readonly contrastOnly?: boolean;
  /** Leaves out what is advice and no rule of WCAG 2.1 AA. */
  readonly rulesOnly?: boolean;
}

/** Returns what axe finds wrong with the names, roles and contrast of the page as it stands; empty when nothing is. */
export async function accessibilityFaults(
  page: Page,
  { within, without, contrastOnly = false, rulesOnly = false }: Area = {},
): Promise<readonly string[]> {
  // Our pages have no frames. Otherwise axe opens a page of its own for each look, which takes longer than looking.
  const axe = new AxeBuilder({ page }).setLegacyMode();
  if (within !== undefined) axe.include(within);
  if (without !== undefined) axe.exclude(without);
  if (contrastOnly) axe.withRules(['color-contrast']);
  if (rulesOnly) axe.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']);
  const { violations } = await axe.analyze();
  return violations.map(
    ({ id, help, nodes }) =>
      `${id} (${help}): ${nodes.map((n) => n.html.slice(0, 200)).join(' | ')}`,
  );
}
