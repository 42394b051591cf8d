import { openGallery } from '../support/gallery/open';
import { expect, test } from './support/lathe';
import { problems } from './support/scripted-app';

test.slow();

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

test('every variant of the dialog can be used by everyone, light and dark', async () => {
  const gallery = await openGallery();
  try {
    for (const theme of ['light', 'dark'] as const)
      for (const scene of VARIANTS) {
        const page = await gallery.open(scene, theme);
        await expect(page.getByRole('dialog')).toHaveAttribute('data-armed', 'true');
        expect.soft([scene, theme, await problems(page)]).toEqual([scene, theme, []]);
      }
    expect(gallery.errors).toEqual([]);
  } finally {
    await gallery.close();
  }
});
