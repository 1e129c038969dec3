/** Source lines and instructions of the hottest functions, as `dendro annotate` has them. */

/** @import { CodeFunction, Functions } from "./payload.js" */
/** @import { State } from "./state.js" */
import { CODES } from "./state.js";
import { element, shown } from "./elements.js";
import { amount, percent, shorten } from "./text.js";

/** @param {string} command that makes the page */
const noCode = (command) => `This page has no code: ${command} --source puts that of the hottest ` +
	"functions into it.";

/** @param {number} part @param {number} whole @param {string} what */
function share(part, whole, what) {
	const cell = element(`td.share.${what}`);
	const bar = element("div.bar");
	bar.style.width = `${whole ? Math.min((100 * part) / whole, 100) : 0}%`;
	cell.append(bar, element("span", part ? percent(part, whole) : ""));
	cell.dataset.value = String(part);
	return cell;
}

/** A line over all columns. @param {string} text @param {string} [why] */
function across(text, why) {
	const row = element("tr.across");
	const cell = /** @type {HTMLTableCellElement} */ (element("td", shown(text)));
	cell.colSpan = 4;
	if (why)
		cell.append(element("small", ` ${shown(why)}`));
	row.append(cell);
	return row;
}

/** What is shown once a button or the key for code was pressed. @param {State["code"]} shownNow
 * @param {string} [name] of what is shown or hidden; without: the next one */
export function codeAfter(shownNow, name) {
	const at = CODES.indexOf(shownNow);
	const known = CODES.find((of) => of === name) ?? CODES[(at + 1) % CODES.length];
	return known === shownNow ? "" : known;
}

/** The headings of the table. */
function headings() {
	const row = element("tr");
	for (const name of ["self %", "total %", "place", "code"]) {
		const heading = element(name === "code" ? "th.text" : "th", name);
		heading.setAttribute("scope", "col");
		row.append(heading);
	}
	return row;
}

export class Code {
	/** @param {HTMLElement} host @param {string} label @param {string} command that makes the page
	 * @param {() => Promise<CodeFunction[]>} read those of the page, the hottest first */
	constructor(host, label, command, read) {
		this.host = host;
		this.label = label;
		this.command = command;
		this.read = read;
		this.choice = /** @type {HTMLSelectElement} */ (element("select.code-function"));
		this.choice.setAttribute("aria-label", `Function with code${label}`);
		this.title = element("h3.code-title");
		this.note = element("p.code-note");
		this.head = element("thead");
		this.head.append(headings());
		this.body = element("tbody");
		this.scroller = element("div.code-scroller");
		this.scroller.tabIndex = 0;
		this.scroller.setAttribute("role", "region");
		this.scroller.setAttribute("aria-label", `Code${label}`);
		this.fillHost();
		this.look = { mode: "", metric: 0, unit: "" };
		this.wanted = ""; /* the function that was asked for last, by name */
		this.drawn = ""; /* what the table shows */
		this.choice.addEventListener("change", () => this.draw());
	}

	fillHost() {
		const head = element("div.code-head");
		const table = element("table");
		head.append(this.title, this.choice);
		table.append(this.head, this.body);
		this.scroller.append(table);
		this.host.append(head, this.note, this.scroller);
	}

	/** Shows the code of a function, if the page has it, or the hottest one's at a process.
	 * @param {"" | "lines" | "instructions"} mode @param {number} metric @param {string} unit
	 * @param {Functions} functions @param {number} func */
	async show(mode, metric, unit, functions, func) {
		this.host.hidden = !mode;
		this.look = { mode, metric, unit };
		this.wanted = functions.name[func];
		const { name, module, kind } = functions;
		if (!mode)
			return;
		const all = await this.read();
		this.fill(all);
		const isCode = ["user", "kernel", "inline"].includes(kind[func]);
		const at = !isCode && all.length ? 0 : all.findIndex((of) =>
			of.name === name[func] && of.module === module[func] && of.kind === kind[func]);
		this.choice.value = String(at);
		await this.draw();
	}

	/** @param {CodeFunction[]} all */
	fill(all) {
		this.choice.hidden = !all.length;
		if (this.choice.options.length)
			return;
		const none = /** @type {HTMLOptionElement} */ (element("option", "Functions with code"));
		none.value = "-1";
		none.disabled = true;
		const hasFiles = all.some(({ file }) => file !== all[0].file);
		this.choice.append(none, ...all.map(({ name, kind, file }, i) => {
			const option = /** @type {HTMLOptionElement} */ (element("option",
				shorten(name, 80) + (kind === "inline" ? " (inlined)" : "") +
				(hasFiles ? `, ${shorten(file ?? "", 80)}` : "")));
			option.value = String(i);
			return option;
		}));
	}

	async draw() {
		const { mode, metric, unit } = this.look;
		const all = await this.read();
		const at = Number(this.choice.value);
		const of = all[at];
		const drawn = JSON.stringify([mode, metric, at, of ? "" : this.wanted]);
		if (drawn === this.drawn)
			return;
		this.drawn = drawn;
		this.title.textContent = (mode === "lines" ? "Source lines" : "Instructions") + this.label;
		this.head.hidden = !of;
		this.body.replaceChildren();
		if (!of) {
			this.note.textContent = all.length
				? `The page has no code of ${shorten(this.wanted, 200)}, only of hotter functions.`
				: noCode(this.command);
			return;
		}
		this.describe(of, metric, unit);
		const rows = mode === "lines" ? this.lines(of, metric) : this.instructions(of, metric);
		this.body.replaceChildren(...rows);
		this.scrollToHottest(rows);
	}

	/** @param {CodeFunction} of @param {number} metric @param {string} unit */
	describe(of, metric, unit) {
		const self = of.costs[1][metric];
		const total = of.costs[2][metric];
		const notes = ["Shares of the function's cost in all samples of " +
			`${shorten(of.file ?? "the page", 200)}, whatever is filtered: ` +
			`self ${amount(self, unit)}, total ${amount(total, unit)}.`];
		if (of.problem)
			notes.push(`No instructions: ${of.problem}.`);
		if (of.cut)
			notes.push("Some instructions without cost are left out.");
		this.note.textContent = shown(notes.join(" "));
	}

	/** @param {CodeFunction} of @param {number} metric @param {string} place
	 * @param {string | null} text @param {number[] | undefined} self
	 * @param {number[] | undefined} total */
	row(of, metric, place, text, self, total) {
		const row = element(self ? "tr" : "tr.idle");
		const code = element("td.text", shown(text ?? ""));
		row.append(share(self?.[metric] ?? 0, of.costs[1][metric], "self"),
			share(total?.[metric] ?? 0, of.costs[2][metric], "total"),
			element("td.place", place), code);
		return row;
	}

	/** @param {CodeFunction} of @param {number} metric */
	lines(of, metric) {
		const rows = [];
		let file = -1;
		let next = 0;
		for (const [at, line, text, self, total] of of.lines) {
			if (at !== file) {
				const [path, why] = of.files[at];
				const hint = text === null ? " (--source-path FROM=TO)" : "";
				rows.push(across(path || "No line is known",
					why && `The source file is ${why}${hint}.`));
			} else if (line !== next) {
				rows.push(across("…"));
			}
			file = at;
			next = line + 1;
			rows.push(this.row(of, metric, line ? String(line) : "", text, self, total));
		}
		if (of.linesLeftOut)
			rows.push(across(`${of.linesLeftOut} more lines with cost`));
		return rows;
	}

	/** @param {CodeFunction} of @param {number} metric */
	instructions(of, metric) {
		const rows = [];
		let place = "";
		for (const [address, text, at, self, total] of of.instructions) {
			if (at && at !== place)
				rows.push(across(at));
			place = at || place;
			rows.push(this.row(of, metric, address, text, self, total));
		}
		if (of.instructionsLeftOut)
			rows.push(across(`${of.instructionsLeftOut} more instructions with cost`));
		return rows;
	}

	/** @param {HTMLElement[]} rows */
	scrollToHottest(rows) {
		let most = 0;
		let hottest = rows[0];
		for (const row of rows) {
			const self = Number(row.querySelector(".self")?.getAttribute("data-value") ?? 0);
			if (self > most)
				[most, hottest] = [self, row];
		}
		if (hottest)
			this.scroller.scrollTop = hottest.offsetTop - this.scroller.clientHeight / 3;
	}
}
