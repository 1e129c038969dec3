#!/usr/bin/env node
// clickhouse_front.js FOLDER [--sql FILE]... [--first] [ANSWER...]
//
// ClickHouse's HTTP interface in front of npm's chdb, which is a ClickHouse of our days in this
// process: a query is in the URL, with rows in the body, or is the body. Its data is FOLDER/data,
// after the statements of the FILEs; its port gets into FOLDER/http, and is the one in FOLDER/port
// if there is one. FOLDER/seen has a line for each request: the ANSWER or "right", the
// authorization or "-", the bytes of the body, and the first line of the query; FOLDER/encodings one
// for each insertion.
//
// The first insertions into samples, with --first the first requests of any kind, are answered with
// the ANSWERs:
//
//     drop           executed, but the connection ends without an answer
//     before         the connection ends, and nothing is executed
//     twice          executed after the connection has ended: what asks meanwhile is told that it runs
//     full           HTTP 500 with ClickHouse's error of a full disk
//     500, 401, 301  such errors of HTTP
//     hostile        HTTP 500, and an exception with control characters
//     login          a page of HTML with status 200
//     noise          what is not HTTP, after it was executed
//     garbage        bytes that are no rows
//     cut            half of the answer, then the connection ends
//     zeros          the answer, and zeros after it
//     slow           after a second, as all others
//     late           after 32 seconds
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');
const { Session } = require(path.join(__dirname, '../../build/npm/node_modules/chdb'));

const [folder, ...words] = process.argv.slice(2);
const files = [];
while (words[0] === '--sql') files.push(words.splice(0, 2)[1]);
const isFirst = words[0] === '--first';
const answers = words.slice(isFirst ? 1 : 0);
const session = new Session(path.join(folder, 'data'));
const running = new Set();
let n_bodies = 0;
let last = Promise.resolve(); // one query at a time

// A server takes these with each query; here they are of the session.
const SETTINGS = ['insert_deduplication_token', 'deduplicate_blocks_in_dependent_materialized_views'];
const INSERT = /^INSERT INTO (\w+) \(([^)]*)\) FORMAT RowBinary$/;

function insert([, table, columns], { parameters, headers, body }) {
  const file = path.join(folder, `body-${n_bodies++}`);
  const settings = SETTINGS.filter((name) => parameters.has(name))
    .map((name) => `${name} = '${parameters.get(name)}'`).join(', ');
  const compression = headers['content-encoding'] || 'none';
  fs.appendFileSync(path.join(folder, 'encodings'), `${compression}\n`);
  fs.writeFileSync(file, body);
  session.query(`INSERT INTO ${table} (${columns}) FROM INFILE '${file}' ` +
    `COMPRESSION '${compression}' ${settings && `SETTINGS ${settings}`} FORMAT RowBinary`);
  fs.unlinkSync(file);
}

// The bytes of the answer.
async function execute(asked) {
  const database = asked.parameters.get('database');
  if (database) session.query(`USE ${'`'}${database}${'`'}`);
  const rows = INSERT.exec(asked.query);
  if (!rows) return Buffer.from((await session.queryAsync(asked.query, { format: 'TabSeparated' })).bytes());
  insert(rows, asked);
  return Buffer.alloc(0);
}

function answerError(response, text) {
  const { 1: code } = /^Code: (\d+)\b/.exec(text) || [];
  const status = { 60: 404, 81: 404, 516: 401 }[code] || 500;
  response.writeHead(status, { 'Content-Type': 'text/plain' });
  response.end(text);
}

function typeOf(query) {
  return /FORMAT RowBinary$/.test(query) && !INSERT.test(query)
    ? 'application/octet-stream' : 'text/tab-separated-values';
}

async function answer(response, asked, change = (bytes) => bytes) {
  try {
    const bytes = change(await execute(asked));
    response.writeHead(200, { 'Content-Type': typeOf(asked.query), 'Content-Length': bytes.length });
    response.end(bytes);
  } catch (error) {
    answerError(response, error.message.replace(/^Query failed: /, ''));
  }
}

function misbehave(how, response, asked) {
  const { socket } = response;
  const id = asked.parameters.get('query_id');
  const end = (status, headers, text) => {
    response.writeHead(status, headers);
    response.end(text);
  };
  const ways = {
    async drop() {
      await execute(asked);
      socket.destroy();
    },
    before() {
      socket.destroy();
    },
    twice() {
      running.add(id);
      setTimeout(async () => {
        await execute(asked);
        running.delete(id);
      }, 2000);
      socket.destroy();
    },
    full: () => answerError(response, 'Code: 243. DB::Exception: Cannot reserve 1.00 MiB. (NOT_ENOUGH_SPACE)'),
    500: () => end(500, {}, 'Code: 241. DB::Exception: Memory limit exceeded'),
    401: () => end(401, {}, ''),
    301: () => end(301, { Location: 'http://elsewhere.example/' }, ''),
    hostile: () => end(500, { 'Content-Type': 'text/plain' },
      '\u001b]0;owned\u0007\u001b[2J\u202eboo\n\r second line'),
    login: () => end(200, { 'Content-Type': 'text/html' }, '<html>Log in</html>'),
    async noise() {
      await execute(asked);
      socket.end('\u001b[31m\0\r\n\r\n');
    },
    garbage: () => answer(response, asked, () => Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 97) & 255))),
    async cut() {
      const bytes = await execute(asked);
      response.writeHead(200, { 'Content-Type': typeOf(asked.query), 'Content-Length': bytes.length });
      response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
    },
    zeros: () => answer(response, asked, (bytes) => Buffer.concat([bytes, Buffer.alloc(5)])),
    async slow() {
      await new Promise((done) => setTimeout(done, 1000));
      await answer(response, asked);
    },
    async late() {
      await new Promise((done) => setTimeout(done, 32000));
      await answer(response, asked);
    },
  };
  return ways[how]();
}

async function serve(request, response, body) {
  const { headers } = request;
  const parameters = new URL(request.url, 'http://localhost').searchParams;
  const query = parameters.get('query') || body.toString();
  const asked = { query, parameters, headers, body };
  const how = isFirst || query.startsWith('INSERT INTO samples ') ? answers.shift() : undefined;
  const id = parameters.get('query_id');
  fs.appendFileSync(path.join(folder, 'seen'),
    `${how || 'right'} ${headers.authorization || '-'} ${body.length} ${query.split('\n')[0]}\n`);
  if (running.has(id))
    answerError(response, `Code: 216. DB::Exception: Query with id = ${id} is already running.`);
  else if (how) await misbehave(how, response, asked);
  else await answer(response, asked);
}

const server = http.createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    last = last.then(() => serve(request, response, Buffer.concat(parts)));
  });
});
for (const file of files) {
  const statements = fs.readFileSync(file, 'utf8').replace(/^\s*--.*$/gm, '').split(';');
  for (const statement of statements) if (statement.trim()) session.query(statement);
}
const known = path.join(folder, 'port');
server.listen(fs.existsSync(known) ? Number(fs.readFileSync(known)) : 0, '127.0.0.1', () => {
  fs.writeFileSync(known, String(server.address().port));
  fs.copyFileSync(known, path.join(folder, 'http.new'));
  fs.renameSync(path.join(folder, 'http.new'), path.join(folder, 'http'));
});
process.on('SIGTERM', () => process.exit(0));
