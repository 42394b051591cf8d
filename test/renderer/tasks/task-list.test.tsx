import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TaskList } from '../../../src/renderer/tasks/TaskList';
import type { Task } from '../../../src/shared/task';

const ACTS = { onStop: () => {}, onShowTerminal: () => {} };

const task = (id: number): Task => ({
  ...{ id: `b_${id}`, type: 'local_bash', kind: 'Background command', sessionId: 's1' },
  ...{ agentId: 'main', title: `server ${id}`, status: 'running', isBackgrounded: true },
  ...{ startedAt: 0, outputBytes: 0, outputLines: 0, lastLine: '', endTold: false },
});

test('a task that runs says what is to be known of it', () => {
  const note = 'Its output is not saved: the disk is full.';
  const shown = renderToStaticMarkup(
    <TaskList tasks={[{ ...task(1), lastLine: 'ready', note }]} acts={ACTS} />,
  );
  expect(shown).toContain(`>${note} · ready<`);
});

test('tasks that run have marks that stand still, as each that turns costs a layer of the page in every frame', () => {
  const shown = renderToStaticMarkup(
    <TaskList tasks={Array.from({ length: 24 }, (_, id) => task(id))} acts={ACTS} />,
  );
  expect(shown.match(/aria-label="running"/g)).toHaveLength(24);
  expect(shown).not.toContain('animate-spin');
});
