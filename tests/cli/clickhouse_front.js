#!/usr/bin/env node
// clickhouse_front.js FOLDER [ANSWER...]
//
// ClickHouse's HTTP interface in front of npm's chdb, a ClickHouse of our days in this process. Its
// data is FOLDER/data, its port gets into FOLDER/http, the one in FOLDER/port if there is one, and FOLDER/seen has a line for each request.
// The first insertions into samples are answered with the ANSWERs:
//
//     drop     inserted, but the connection ends without an answer
//     before   the connection ends, and nothing is inserted
//     twice    inserted after the connection has ended: what asks meanwhile is told that it is executed
//     garbage  what is not HTTP, after it was inserted
//     full     HTTP 500 with ClickHouse's error of a full disk
//     login    a page of HTML with status 200
//     slow     after a second, as all others
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');
const { Session } = require(path.join(__dirname, '../../build/npm/node_modules/chdb'));

const [folder, ...answers] = process.argv.slice(2);
const session = new Session(path.join(folder, 'data'));
const running = new Set();
let n_bodies = 0;

// A server takes these with each query; here they are of the session.
const SETTINGS = ['insert_deduplication_token', 'deduplicate_blocks_in_dependent_materialized_views'];

function execute(query, parameters, headers, body) {
  const database = parameters.get('database');
  if (database) session.query(`USE ${'`'}${database}${'`'}`);
  const insert = /^INSERT INTO (\w+) \(([^)]*)\) FORMAT RowBinary$/.exec(query);
  if (!insert) return session.query(query, 'TabSeparated');
  const file = path.join(folder, `body-${n_bodies++}`);
  fs.writeFileSync(file, body);
  const settings = SETTINGS.filter((name) => parameters.has(name))
    .map((name) => `${name} = '${parameters.get(name)}'`).join(', ');
  const compression = headers['content-encoding'] || 'none';
  session.query(`INSERT INTO ${insert[1]} (${insert[2]}) FROM INFILE '${file}' ` +
    `COMPRESSION '${compression}' ${settings && `SETTINGS ${settings}`} FORMAT RowBinary`);
  fs.unlinkSync(file);
  return '';
}

function answer_error(response, text) {
  const status = /^Code: (60|81)\b/.test(text) ? 404 : 500;
  response.writeHead(status, { 'Content-Type': 'text/plain' });
  response.end(text);
}

function answer(response, query, parameters, headers, body) {
  try {
    const text = execute(query, parameters, headers, body);
    response.writeHead(200, { 'Content-Type': 'text/tab-separated-values' });
    response.end(text);
  } catch (error) {
    answer_error(response, error.message.replace(/^Query failed: /, ''));
  }
}

function misbehave(how, response, ...request) {
  const { socket } = response;
  const [query, parameters] = request;
  switch (how) {
    case 'drop':
      execute(...request);
      return socket.destroy();
    case 'before':
      return socket.destroy();
    case 'twice':
      running.add(parameters.get('query_id'));
      setTimeout(() => {
        execute(...request);
        running.delete(parameters.get('query_id'));
      }, 2000);
      return socket.destroy();
    case 'garbage':
      execute(...request);
      return socket.end('\u001b[31m\0\r\n\r\n');
    case 'full':
      return answer_error(response, 'Code: 243. DB::Exception: Cannot reserve 1.00 MiB. (NOT_ENOUGH_SPACE)');
    case 'login':
      response.writeHead(200, { 'Content-Type': 'text/html' });
      return response.end('<html>log in</html>');
    case 'slow':
      return setTimeout(() => answer(response, ...request), 1000);
    default:
      throw new Error(`${how} for ${query}`);
  }
}

function serve(request, response, body) {
  const parameters = new URL(request.url, 'http://localhost').searchParams;
  const query = parameters.get('query') || body.toString();
  const how = query.startsWith('INSERT INTO samples ') ? answers.shift() : undefined;
  const id = parameters.get('query_id');
  fs.appendFileSync(path.join(folder, 'seen'), `${how || 'right'} ${body.length} ${query.split('\n')[0]}\n`);
  if (running.has(id))
    return answer_error(response, `Code: 216. DB::Exception: Query with id = ${id} is already running.`);
  if (how) return misbehave(how, response, query, parameters, request.headers, body);
  return answer(response, query, parameters, request.headers, body);
}

const server = http.createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => serve(request, response, Buffer.concat(parts)));
});
const known = path.join(folder, 'port');
server.listen(fs.existsSync(known) ? Number(fs.readFileSync(known)) : 0, '127.0.0.1', () => {
  fs.writeFileSync(known, String(server.address().port));
  fs.copyFileSync(known, path.join(folder, 'http.new'));
  fs.renameSync(path.join(folder, 'http.new'), path.join(folder, 'http'));
});
