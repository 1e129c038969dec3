// check_schema.mjs NODE_MODULES SCHEMA FILE: whether FILE is valid by the JSON schema.
import fs from 'node:fs'
import path from 'node:path'
import {createRequire} from 'node:module'

const [modules, schema, file] = process.argv.slice(2)
const require = createRequire(path.join(path.resolve(modules), 'x.js'))
const Ajv = require('ajv').default
const read = name => JSON.parse(fs.readFileSync(name, 'utf8'))
const validate = new Ajv({strict: false}).compile(read(schema))

if (!validate(read(file))) {
  console.log(validate.errors)
  process.exit(1)
}
