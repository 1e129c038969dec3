#!/usr/bin/env node
/*
 * chdb_server.js FOLDER [--sql FILE]... [ANSWER...]
 *
 * ClickHouse's HTTP interface in front of npm's chdb, which is ClickHouse in this process: takes a
 * query as the body of a POST, or in the URL with rows in the body, and answers as the server does,
 * with HTTP 404 or 400 and the text of an exception. FOLDER/port gets the port, FOLDER/data the tables, after the statements of the FILEs
 * were run; FOLDER/seen a line for each
 * request: the authorization, the URL, and the query's size.
 *
 * The first requests are answered with the ANSWERs instead:
 *     500, 401, 301   HTTP errors           garbage   bytes that are no rows
 *     login           a page of HTML        hostile   an exception with control characters
 *     cut             half of the answer, then the connection ends
 *     zeros           the answer, and zeros after it
 *     slow            after a second, as all others
 */
"use strict";
const fs = require("fs");
const http = require("http");
const path = require("path");
const zlib = require("zlib");
const root = path.join(__dirname, "../..");
const { Session } = require(path.join(root, "build/npm/node_modules/chdb"));

const folder = process.argv[2];
const files = [];
const answers = process.argv.slice(3);
while (answers[0] === "--sql") files.push(answers.splice(0, 2)[1]);
const session = new Session(path.join(folder, "data"));
let last = Promise.resolve(); /* one query at a time */

const exceptions = { UNKNOWN_TABLE: 404, UNKNOWN_DATABASE: 404, AUTHENTICATION_FAILED: 401 };

function fail(response, text) {
	const code = /\(([A-Z_]+)\)/.exec(text);
	response.writeHead((code && exceptions[code[1]]) || 400, { "Content-Type": "text/plain" });
	response.end(text);
}

async function run(query) {
	const result = await session.queryAsync(query, { format: "TabSeparated" });
	return Buffer.from(result.bytes());
}

/* Rows of a push, which come in the body. */
function insert(query, gzipped, rows) {
	const file = path.join(folder, "rows");
	fs.writeFileSync(file, gzipped ? zlib.gunzipSync(rows) : rows);
	const from = ` FROM INFILE '${file}' COMPRESSION 'none' FORMAT RowBinary`;
	session.query(query.replace(/ FORMAT RowBinary$/, from));
	return Buffer.alloc(0);
}

function send(response, bytes, query) {
	const is_binary = query.endsWith("FORMAT RowBinary") && !query.startsWith("INSERT");
	const type = is_binary ? "application/octet-stream" : "text/tab-separated-values";
	response.writeHead(200, { "Content-Type": type });
	response.end(bytes);
}

async function misbehave(answer, query, response) {
	const http_error = Number(answer);
	if (http_error) {
		response.writeHead(http_error, { Location: "http://elsewhere.example/" });
		return response.end(http_error === 500 ? "Code: 241. DB::Exception: Memory limit exceeded" : "");
	}
	switch (answer) {
	case "garbage":
		return send(response, Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 97) & 255)), query);
	case "login":
		response.writeHead(200, { "Content-Type": "text/html" });
		return response.end("<html>Log in</html>");
	case "hostile":
		response.writeHead(500, { "Content-Type": "text/plain" });
		return response.end("\x1b]0;owned\x07\x1b[2J\u202eboo\n\r second line");
	case "cut": {
		const bytes = await run(query);
		response.writeHead(200, {
			"Content-Type": "application/octet-stream",
			"Content-Length": bytes.length,
		});
		return response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
	}
	case "zeros":
		return send(response, Buffer.concat([await run(query), Buffer.alloc(5)]), query);
	default:
		await new Promise((done) => setTimeout(done, 1000));
		return send(response, await run(query), query);
	}
}

async function answer(request, body, response) {
	const parameters = new URL(request.url, "http://localhost").searchParams;
	const query = parameters.get("query") || body.toString();
	const seen = `${request.headers.authorization || "-"} ${request.url} ${query.length}\n`;
	fs.appendFileSync(path.join(folder, "seen"), seen);
	try {
		const first = answers.shift();
		if (first) return await misbehave(first, query, response);
		const is_gzipped = request.headers["content-encoding"] === "gzip";
		send(response, parameters.has("query") ? insert(query, is_gzipped, body) : await run(query), query);
	} catch (error) {
		fail(response, String(error.message || error).replace(/^Query failed: /, ""));
	}
}

const server = http.createServer((request, response) => {
	const parts = [];
	request.on("data", (part) => parts.push(part));
	request.on("end", () => {
		last = last.then(() => answer(request, Buffer.concat(parts), response));
	});
});
for (const file of files) {
	const text = fs.readFileSync(file, "utf8").replace(/^\s*--.*$/gm, "");
	for (const statement of text.split(";")) if (statement.trim()) session.query(statement);
}
server.listen(0, "127.0.0.1", () => {
	fs.writeFileSync(path.join(folder, "port.new"), String(server.address().port));
	fs.renameSync(path.join(folder, "port.new"), path.join(folder, "port"));
});
process.on("SIGTERM", () => process.exit(0));
