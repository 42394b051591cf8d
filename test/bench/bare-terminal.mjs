import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { spawn } from 'node-pty';
import { WebSocketServer } from 'ws';

const load = createRequire(import.meta.url);
const FILES = {
  '/xterm.js': ['text/javascript', load.resolve('@xterm/xterm/lib/xterm.js')],
  '/xterm.css': ['text/css', load.resolve('@xterm/xterm/css/xterm.css')],
};

/** The page: xterm as it comes, and a socket. `window.benchTerminal` is its terminal. */
const page = (cols, rows) => `<!doctype html><meta charset="utf-8">
<link rel="stylesheet" href="/xterm.css"><script src="/xterm.js"></script>
<body style="margin:0;background:#000"><div id="place"></div><script>
const terminal = new Terminal({ cols: ${cols}, rows: ${rows}, scrollback: 10000, fontSize: 13, lineHeight: 1.25 });
terminal.open(document.getElementById('place'));
const socket = new WebSocket('ws://' + location.host + '/pty');
socket.binaryType = 'arraybuffer';
socket.onmessage = ({ data }) => terminal.write(new Uint8Array(data));
terminal.onData((text) => socket.send(text));
window.benchTerminal = terminal;
</script>`;

/**
 * Serves the floor of the terminal rows: a page with nothing but an xterm, and a bash that a socket joins to it. No flow
 * control, no log, no second screen, nothing kept.
 */
export async function startBareTerminal({ cols, rows, cwd }) {
  const shell = spawn('/bin/bash', ['--norc', '--noprofile', '-i'], {
    ...{ cols, rows, cwd, encoding: null },
    env: { PATH: process.env.PATH, HOME: cwd, LANG: 'C.UTF-8', TERM: 'xterm-256color', PS1: '$ ' },
  });
  const server = createServer((req, res) => {
    const [type, file] = FILES[req.url ?? ''] ?? ['text/html', null];
    res.writeHead(200, { 'content-type': type });
    res.end(file === null ? page(cols, rows) : readFileSync(file));
  });
  new WebSocketServer({ server }).on('connection', (socket) => {
    shell.onData((bytes) => socket.send(bytes));
    socket.on('message', (text) => shell.write(String(text)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    stop: () => {
      shell.kill('SIGKILL');
      server.close();
      server.closeAllConnections();
    },
  };
}
