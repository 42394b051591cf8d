import { accessibilityFaults } from '../support/accessibility';
import { type OpenGallery, openGallery } from '../support/gallery/open';
import { test as base, expect } from './support/lathe';

/** Each worker builds the gallery once. */
const test = base.extend<object, { gallery: OpenGallery }>({
  gallery: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const gallery = await openGallery();
      await use(gallery);
      await gallery.close();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
});

/** Every variant of the dialog. */
const VARIANTS = [
  'command',
  'parts',
  'hidden',
  'longCommand',
  'edit',
  'multiEdit',
  'mixedEdits',
  'create',
  'largeEdit',
  'read',
  'fetch',
  'connect',
  'connectOneOf',
  'lookalike',
  'tool',
  'question',
  'preview',
  'plan',
  'three',
];

for (const scene of VARIANTS)
  test(`the dialog "${scene}" can be used by everyone, light and dark`, async ({ gallery }) => {
    for (const theme of ['light', 'dark'] as const) {
      const page = await gallery.open(scene, theme);
      await expect(page.getByRole('dialog')).toHaveAttribute('data-armed', 'true');
      expect
        .soft([theme, await accessibilityFaults(page, { rulesOnly: true })])
        .toEqual([theme, []]);
    }
    expect(gallery.errors).toEqual([]);
  });
