import { useRef } from 'react';
import type { Task } from '../../shared/task';

/** How long a task's output has not grown, in milliseconds, as far as this window has seen. */
export function useSilence(task: Task, now: number): number {
  const seen = useRef({ bytes: task.outputBytes, at: now });
  if (seen.current.bytes !== task.outputBytes) {
    seen.current = { bytes: task.outputBytes, at: now };
  }
  return now - seen.current.at;
}
