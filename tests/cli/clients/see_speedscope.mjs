// see_speedscope.mjs NODE_MODULES FILE [SCREENSHOT]: opens FILE in speedscope's own page in Chromium,
// offline, and prints what it shows as JSON: "title", of the profile that is chosen, and "rows" of its
// sandwich view: [name, total, self], each cost as the page writes it.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {createRequire} from 'node:module'
import {pathToFileURL} from 'node:url'

const [modules, file, screenshot] = process.argv.slice(2)
const require = createRequire(path.join(path.resolve(modules), 'x.js'))
const {chromium} = require('playwright-core')
const page_file = path.join(path.resolve(modules), 'speedscope/dist/release/index.html')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'speedscope-'))
const script = path.join(folder, 'profile.js')
const FLAGS = ['--no-sandbox', '--disable-gpu', '--use-gl=angle', '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader']

// The script that speedscope's own command makes for its page.
const base64 = fs.readFileSync(file).toString('base64')
fs.writeFileSync(script,
  `speedscope.loadFileFromBase64(${JSON.stringify(path.basename(file))}, "${base64}")`)

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: FLAGS})
try {
  const page = await browser.newPage({viewport: {width: 1400, height: 4000}})
  const messages = []
  page.on('pageerror', error => messages.push(String(error)))
  page.on('dialog', dialog => { messages.push(dialog.message()); dialog.dismiss() })
  await page.goto(`${pathToFileURL(page_file)}#localProfilePath=${script}`)
  await page.waitForSelector('canvas', {timeout: 120000})
  if (screenshot)
    await page.screenshot({path: screenshot, clip: {x: 0, y: 0, width: 1400, height: 900}})
  await page.keyboard.press('3')
  await page.waitForFunction(() => document.body.innerText.includes('Symbol Name'), null,
    {timeout: 120000})
  // The table of functions follows that of its headings; another one lists the profiles of the file.
  const read = () => {
    const tables = [...document.querySelectorAll('table')]
    const headings = tables.findIndex(table => table.textContent.includes('Symbol Name'))
    return [...(tables[headings + 1] ?? document.createElement('table')).querySelectorAll('tr')]
      .map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))
      .filter(cells => cells.length >= 3)
  }
  await page.waitForFunction(`(${read})().length`, null, {timeout: 120000})
  const rows = await page.evaluate(`(${read})()`)
  const title = await page.title()
  if (screenshot)
    await page.screenshot({path: screenshot.replace(/\.png$/, '.sandwich.png'),
      clip: {x: 0, y: 0, width: 1400, height: 900}})
  console.log(JSON.stringify({title, messages, rows: rows.map(cells => [cells[2], cells[0], cells[1]])}))
} finally {
  await browser.close()
  fs.rmSync(folder, {recursive: true})
}
