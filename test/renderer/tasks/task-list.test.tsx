import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TaskList } from '../../../src/renderer/tasks/TaskList';
import type { Task } from '../../../src/shared/task';

const task = (id: number): Task => ({
  ...{ id: `b_${id}`, type: 'local_bash', kind: 'Background command', sessionId: 's1' },
  ...{ agentId: 'main', title: `server ${id}`, status: 'running', isBackgrounded: true },
  ...{ startedAt: 0, outputBytes: 0, outputLines: 0, lastLine: '', endTold: false },
});

test('tasks that run have marks that stand still, as each that turns costs a layer of the page in every frame', () => {
  const acts = { onStop: () => {}, onShowTerminal: () => {} };
  const shown = renderToStaticMarkup(
    <TaskList tasks={Array.from({ length: 24 }, (_, id) => task(id))} acts={acts} />,
  );
  expect(shown.match(/aria-label="running"/g)).toHaveLength(24);
  expect(shown).not.toContain('animate-spin');
});
