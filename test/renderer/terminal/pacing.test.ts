import { Terminal } from '@xterm/xterm';
import { expect, test } from 'vitest';
import { holdScrollBar, paceFollowers } from '../../../src/renderer/terminal/pacing';

/** A terminal whose scroll bar and field for keys write down what they are told, with frames that come when they are wanted. */
function paced() {
  const told: string[] = [];
  const frames = new Map<number, () => void>();
  const addons: { dispose(): void }[] = [];
  const viewport = {
    _sync: (...place: readonly unknown[]) => told.push(`sync ${place.join()}`.trim()),
    scrollLines: (lines: number) => told.push(`scroll ${lines}`),
  };
  const core = { _viewport: viewport, _syncTextArea: () => void told.push('field') };
  const element = new EventTarget();
  const terminal = {
    _core: core,
    element: element as HTMLElement,
    loadAddon: (addon: { dispose(): void }) => addons.push(addon),
  };
  paceFollowers(terminal, {
    request(act) {
      frames.set(frames.size + 1, act);
      return frames.size;
    },
    cancel: (frame) => frames.delete(frame),
  });
  return {
    ...{ told, core, viewport, element },
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

test('the field for keys follows the cursor once a frame', () => {
  const { core, told, frame } = paced();
  for (let move = 0; move < 1_000; move += 1) core._syncTextArea();
  expect(told).toEqual([]);
  frame();
  expect(told).toEqual(['field']);
});

test('the emulator that is installed moves the field where it is paced', () => {
  expect(new Terminal()).toHaveProperty('_core._syncTextArea', expect.any(Function));
});

test('a terminal that is gone is left alone', () => {
  const { core, viewport, told, dispose, frame } = paced();
  viewport._sync();
  core._syncTextArea();
  dispose();
  frame();
  expect(told).toEqual([]);
});

test('the scroll bar waits until the rows there are have been drawn', () => {
  const told: string[] = [];
  const drawn: (() => void)[] = [];
  const css = { canvas: { height: 18 * 21 }, cell: { height: 21 } };
  const viewport = {
    _sync: (...place: readonly unknown[]) => void told.push(`sync ${place.join()}`),
  };
  const terminal = {
    _core: { rows: 15, _viewport: viewport, _renderService: { dimensions: { css } } },
    onRender: (act: () => void) => drawn.push(act),
  };
  holdScrollBar(terminal as never);
  viewport._sync(7);
  for (const act of drawn) act();
  expect(told).toEqual([]);
  css.canvas.height = 15 * 21 + 0.4;
  for (const act of [...drawn, ...drawn]) act();
  expect(told).toEqual(['sync ']);
  viewport._sync(7);
  expect(told).toEqual(['sync ', 'sync 7']);
});
