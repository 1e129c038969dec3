import { createRequire } from "node:module";

const require = createRequire(new URL("../../../build/npm/node_modules/none.js", import.meta.url));
const js = require("@eslint/js");

export default [
	js.configs.recommended,
	{
		files: ["report/html/page/*.js", "report/html/diff/*.js"],
		languageOptions: { ecmaVersion: 2022, sourceType: "module" },
		rules: {
			"no-undef": "off", // tsc knows the browser's names
			eqeqeq: "error",
			"no-var": "error",
			"prefer-const": "error",
			"no-shadow": "error",
			"no-eval": "error",
			"no-implied-eval": "error",
			"no-restricted-properties": ["error",
				{ property: "innerHTML" }, { property: "outerHTML" },
				{ property: "insertAdjacentHTML" }, { property: "write", object: "document" }],
			"no-restricted-syntax": ["error", {
				selector: "CallExpression[callee.property.name='setAttribute'][arguments.0.value='style']",
				message: "The content security policy forbids style attributes.",
			}],
			"max-len": ["error", { code: 105, tabWidth: 4 }],
			"max-lines-per-function": ["error", 60],
			complexity: ["error", 15],
		},
	},
	{
		files: ["tests/page/*.mjs"],
		languageOptions: { ecmaVersion: 2022, sourceType: "module" },
		rules: { "no-undef": "off", "prefer-const": "error", "no-control-regex": "off" },
	},
];
