import type { AnyTool } from '../tool';
import { type BashToolOptions, createBashTool } from './bash/bash';
import { createEditTool } from './edit/edit';
import { createGlobTool } from './glob/glob';
import { createGrepTool } from './grep/grep';
import { createReadTool } from './read/read';
import { createTaskOutputTool } from './task-output/task-output';
import { createTaskStopTool } from './task-stop/task-stop';
import { createTodoWriteTool } from './todo-write/todo-write';
import { createWriteTool } from './write/write';

/** Every tool that comes with Lathe. */
export const createBuiltinTools = (options: BashToolOptions): readonly AnyTool[] => [
  createBashTool(options),
  createEditTool(),
  createGlobTool(),
  createGrepTool(),
  createReadTool(),
  createTaskOutputTool(),
  createTaskStopTool(),
  createTodoWriteTool(),
  createWriteTool(),
];
