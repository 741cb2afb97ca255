// Writes into `cases.json` what the npm of this machine makes of each case: run it with
// `node record.mjs` after a case was added, or to see whether a new npm has changed its mind.
//
// npm's own code reads made-up files in a made-up home, and answers as it would before a request.
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const here = path.dirname(new URL(import.meta.url).pathname)
const npm = path.join(execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim(), 'npm')
const require = createRequire(path.join(npm, 'package.json'))
const Config = require('@npmcli/config')
const { definitions, shorthands, flatten } = require('@npmcli/config/lib/definitions')
const fetch = require('npm-registry-fetch')
process.on('log', () => {})

async function ask({ files = {}, variables = {}, package: name = 'x', from = 'project' }) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'npmrc-'))
  // Paths in texts and values are written with `@root@`.
  const put = text => text.replaceAll('@root@', root)
  const all = { 'project/package.json': '{}', 'npm/package.json': '{"version":"0.0.0"}', ...files }
  for (const [file, text] of Object.entries(all)) {
    const at = path.join(root, put(file))
    fs.mkdirSync(path.dirname(at), { recursive: true })
    fs.writeFileSync(at, put(text))
  }
  fs.mkdirSync(path.join(root, 'home'), { recursive: true })
  const env = { HOME: path.join(root, 'home') }
  for (const [key, value] of Object.entries(variables)) env[key] = put(value)
  const cwd = path.join(root, from)
  process.chdir(cwd)
  const config = new Config({
    definitions, shorthands, flatten, env, cwd, argv: ['node', 'npm'], platform: 'linux', warn: false,
    npmPath: path.join(root, 'npm'), execPath: path.join(root, 'node', 'bin', 'node'),
  })
  const said = {}
  try {
    await config.load()
    config.validate()
  } catch (error) {
    if (error.code !== 'ERR_INVALID_AUTH') throw error
    said.refuses = 'credentials without a place'
    config.repair(error.problems)
  }
  const flat = config.flat
  const registry = fetch.pickRegistry(name, flat)
  said.registry = registry === definitions.registry.default ? null : registry
  const auth = fetch.getAuth(`${registry.replace(/\/?$/, '/')}${encodeURIComponent(name)}`, { ...flat, spec: name })
  if (auth.token) said.authorization = `Bearer ${auth.token}`
  else if (auth.auth) said.authorization = `Basic ${auth.auth}`
  const texts = list => [].concat(list ?? []).filter(Boolean)
  if (texts(flat.ca).length) said.ca = texts(flat.ca)
  if (auth.cert || flat.cert) said.certificate = [auth.cert || flat.cert, auth.key || flat.key]
  if (!flat.strictSSL) said.insecure = true
  if (flat.httpsProxy || flat.proxy) said.proxy = flat.httpsProxy || flat.proxy
  if (flat.noProxy) said.noproxy = flat.noProxy
  fs.rmSync(root, { recursive: true })
  return JSON.parse(JSON.stringify(said).replaceAll(root, '@root@'))
}

const file = path.join(here, 'cases.json')
const cases = JSON.parse(fs.readFileSync(file, 'utf8'))
for (const one of cases) one.npm = await ask(one)
fs.writeFileSync(file, `[\n${cases.map(one => '  ' + JSON.stringify(one)).join(',\n')}\n]\n`)
