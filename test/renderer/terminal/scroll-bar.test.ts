import { expect, test } from 'vitest';
import { paceScrollBar } from '../../../src/renderer/terminal/xterm';

/** A terminal whose scroll bar writes down what it is told, with frames that come when they are wanted. */
function paced() {
  const told: string[] = [];
  const frames = new Map<number, () => void>();
  const addons: { dispose(): void }[] = [];
  const viewport = {
    _sync: (...place: readonly unknown[]) => told.push(`sync ${place.join()}`.trim()),
    scrollLines: (lines: number) => told.push(`scroll ${lines}`),
  };
  const element = new EventTarget();
  const terminal = {
    _core: { _viewport: viewport },
    element: element as HTMLElement,
    loadAddon: (addon: { dispose(): void }) => addons.push(addon),
  };
  paceScrollBar(terminal, {
    request(act) {
      frames.set(frames.size + 1, act);
      return frames.size;
    },
    cancel: (frame) => frames.delete(frame),
  });
  return {
    ...{ told, viewport, element },
    frame: () => [...frames.values()].map((act) => act()),
    dispose: () => addons.map((addon) => addon.dispose()),
  };
}

test('the scroll bar moves once a frame, however many lines scroll', () => {
  const { viewport, told, frame } = paced();
  for (let line = 0; line < 1_000; line += 1) viewport._sync();
  expect(told).toEqual([]);
  frame();
  frame();
  expect(told).toEqual(['sync']);
  viewport._sync();
  frame();
  expect(told).toEqual(['sync', 'sync']);
});

test('a place that the terminal wishes for is gone to at once', () => {
  const { viewport, told } = paced();
  viewport._sync(7);
  expect(told).toEqual(['sync 7']);
});

test('whoever scrolls begins where the bar should be', () => {
  const { viewport, told, element, frame } = paced();
  viewport._sync();
  viewport.scrollLines(-3);
  viewport._sync();
  element.dispatchEvent(new Event('wheel'));
  element.dispatchEvent(new Event('wheel'));
  frame();
  expect(told).toEqual(['sync', 'scroll -3', 'sync']);
});

test('a terminal that is gone is left alone', () => {
  const { viewport, told, dispose, frame } = paced();
  viewport._sync();
  dispose();
  frame();
  expect(told).toEqual([]);
});
