/** What was derived from a state, by name: it is made again only if what it is made of has changed. */

export class Made {
	constructor() {
		/** @type {Record<string, {key: string, value: unknown}>} */
		this.known = {};
	}

	/** @template T @param {string} name @param {unknown[]} of @param {() => T} make @returns {T} */
	derive(name, of, make) {
		const key = JSON.stringify(of);
		if (this.known[name]?.key !== key)
			this.known[name] = { key, value: make() };
		return /** @type {T} */ (this.known[name].value);
	}
	/** What is made of what changes in place. @param {...string} names */
	forget(...names) {
		for (const name of names)
			delete this.known[name];
	}
}
