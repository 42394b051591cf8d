import { useEffect, useRef, useState } from 'react';
import type { QueuedPrompt } from '../../shared/agent-event';
import { QueueEditor } from './QueueEditor';
import { focusLine, QueueRow } from './QueueRow';
import { type QueueAct, standing } from './queue';

export interface QueueListProps {
  readonly queue: readonly QueuedPrompt[];
  /** A query runs, so that there is something to wait for. */
  readonly running: boolean;
  readonly onAct: (act: QueueAct) => void;
  /** The prompt went in while its words were being changed; these are the new words. */
  readonly onEditLost: (text: string) => void;
}

/** Prompts that wait for their turn: each can be edited, moved, sent at once or taken back. */
export function QueueList({ queue, running, onAct, onEditLost }: QueueListProps) {
  const list = useRef<HTMLUListElement>(null);
  const [moved, setMoved] = useState<string | null>(null);
  const { editing, setEditing } = useEditing(queue, onEditLost);
  useEffect(() => {
    // A row that was moved has lost the focus on its way.
    const at = queue.findIndex((prompt) => prompt.id === moved);
    if (at >= 0 && document.activeElement === document.body)
      focusLine(list.current?.children[at] ?? null);
  }, [queue, moved]);
  if (queue.length === 0) return null;
  const act = (next: QueueAct) => {
    setMoved(next.kind === 'move' ? next.id : null);
    onAct(next);
  };
  const save = (id: string, text: string) => {
    setEditing(null);
    setMoved(id);
    if (text.trim() !== '' && text !== queue.find((p) => p.id === id)?.text)
      onAct({ kind: 'edit', id, text });
  };
  return (
    <div className="mb-2">
      {running ? null : (
        <p className="mb-1 px-2 text-meta text-ink-3">
          Stopped. These wait until you send something.
        </p>
      )}
      <ul
        ref={list}
        aria-label="Queued prompts"
        className="flex max-h-40 flex-col gap-1 overflow-y-auto p-px"
      >
        {queue.map((prompt) => (
          <li key={prompt.id}>
            {editing?.id === prompt.id ? (
              <QueueEditor
                text={editing.text}
                onText={(text) => setEditing({ ...editing, text })}
                onSave={() => save(prompt.id, editing.text)}
                onCancel={() => {
                  setEditing(null);
                  setMoved(prompt.id);
                }}
              />
            ) : (
              <QueueRow
                prompt={prompt}
                queue={queue}
                running={running}
                onAct={act}
                onEdit={() => setEditing({ id: prompt.id, text: prompt.text, was: prompt.text })}
              />
            )}
          </li>
        ))}
      </ul>
      <p role="status" className="sr-only">
        {placeText(queue, moved)}
      </p>
    </div>
  );
}

interface Editing {
  readonly id: string;
  readonly text: string;
  /** The words before. */
  readonly was: string;
}

/** What is being edited; words of a prompt that has left the queue meanwhile are handed on, not lost. */
function useEditing(queue: readonly QueuedPrompt[], onEditLost: (text: string) => void) {
  const [editing, setEditing] = useState<Editing | null>(null);
  const gone = editing !== null && !queue.some((prompt) => prompt.id === editing.id);
  useEffect(() => {
    if (!gone) return;
    setEditing(null);
    if (editing.text.trim() !== '' && editing.text !== editing.was) onEditLost(editing.text);
  }, [gone, editing, onEditLost]);
  return { editing, setEditing };
}

function placeText(queue: readonly QueuedPrompt[], id: string | null): string {
  const prompt = queue.find((p) => p.id === id);
  if (prompt === undefined) return '';
  const { place, count } = standing(queue, prompt);
  return `Message ${place + 1} of ${count}`;
}
