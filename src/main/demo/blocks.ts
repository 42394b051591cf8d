import type { ReplyBlock } from './api-types';

/** What is said to the person. */
export const say = (text: string): ReplyBlock => ({ type: 'text', text });

/** What is thought aloud. */
export const think = (text: string): ReplyBlock => ({ type: 'thinking', text });

/** A request to use a tool. */
export const call = (name: string, input: Record<string, unknown>): ReplyBlock => ({
  type: 'call',
  name,
  input,
});

const PLAN: readonly (readonly [content: string, activeForm: string])[] = [
  ['Read the code', 'Reading the code'],
  ['Run the tests and watch them', 'Running the tests'],
  ['Repair what fails', 'Repairing what fails'],
  ['Run the tests again', 'Running the tests again'],
];

/** How many steps the to-do list has. */
export const PLAN_LENGTH = PLAN.length;

/** The to-do list when the first `done` steps are finished and the next one is under way. */
export const todos = (done: number): ReplyBlock =>
  call('TodoWrite', {
    todos: PLAN.map(([content, activeForm], i) => ({
      content,
      activeForm,
      status: i < done ? 'completed' : i === done ? 'in_progress' : 'pending',
    })),
  });
