import { readFileSync } from 'node:fs';
import { drawBoard } from './board.js';
import { parseTime } from './clock.js';
import { parseTimetable } from './timetable.js';

const file = new URL('../timetable.txt', import.meta.url);
const clock = new Date();
const asked = process.argv[2];
const now = asked === undefined ? clock.getHours() * 60 + clock.getMinutes() : parseTime(asked);

for (const line of drawBoard(parseTimetable(readFileSync(file, 'utf8')), now)) {
  console.log(line);
}
